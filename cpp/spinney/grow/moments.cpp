#include "spinney/grow/moments.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "spinney/objective/registry.hpp"
#include "spinney/prefetch.hpp"

namespace spinney {

namespace {

constexpr std::size_t kAhead = 16;       // rows that are fetched before they are needed
constexpr std::size_t kMostMoments = 8;  // that need no memory from the heap

/// The number that numbers within a factor of two have in common: taken off without rounding. Otherwise 0, which takes
/// nothing off numbers near 0.
double common_part(double low, double high) {
  if (low > 0.0 && high <= 2.0 * low) return low;
  if (high < 0.0 && low >= 2.0 * high) return high;
  return 0.0;
}

void put(std::int64_t* pair, const FinePair& term) {
  pair[0] = term.high;
  pair[1] = term.low;
}

/// A weight so small that it rounds to nothing still counts.
FinePair fine_weight(const FixedPoint& scale, double w) {
  const FinePair pair = scale.fine(w);
  return pair.high == 0 && pair.low == 0 ? FinePair{0, 1} : pair;
}

/// In units of 2^power.
Twofold read_pair(const std::int64_t* pair, const FixedPoint& scale) {
  return Twofold::of(FinePair{pair[0], pair[1]}).times_power(-scale.bits);
}

}  // namespace

NumberMoments::NumberMoments(const ObjectiveChoice& choice) {
  with_number_objective(choice, [&]<class O>(const O& objective) {
    if constexpr (std::is_same_v<O, SquaredError>) {
      return;
    } else if constexpr (HasLeafMoments<O>) {
      n_in_bins = objective.n_moments();
      n_in_nodes = objective.n_leaf_moments();
      add = [objective](const Row& row, double* moments) { objective.add_leaf(row, moments); };
      leaf = [objective](const double* moments, double weight) { return objective.leaf(moments, weight); };
    } else if constexpr (AdditiveObjective<O> && HasLoss<O>) {
      n_in_bins = n_in_nodes = objective.n_moments();
      add = [objective](const Row& row, double* moments) { objective.add(row, moments); };
      leaf = [objective](const double* moments, double weight) {
        return Leaf{objective.answer(moments, weight), objective.loss(moments, weight), weight};
      };
    } else {
      throw std::invalid_argument("max_bins does not work with the criterion '" + choice.name +
                                  "': it needs the rows of a node, and bins hold sums over them");
    }
  });
}

RowBounds::RowBounds(const RowTargets& rows, const NumberMoments& objective) {
  if (!objective.squared_error()) moment_high.assign(objective.n_in_nodes, 0.0);
  for (std::size_t row = 0; row < rows.weight.size(); ++row) {
    rows.y.empty() ? add_weight(rows.weight[row]) : add(rows.number(row), objective);
  }
}

void RowBounds::add_weight(double weight) {
  ++n_rows;
  weight_low = std::min(weight_low, weight);
  weight_high = std::max(weight_high, weight);
}

void RowBounds::add(const Row& row, const NumberMoments& objective) {
  add_weight(row.weight);
  y_low = std::min(y_low, row.y);
  y_high = std::max(y_high, row.y);
  if (objective.squared_error()) return;
  moment_high.resize(objective.n_in_nodes, 0.0);
  std::array<double, kMostMoments> known{};
  std::vector<double> more(objective.n_in_nodes > known.size() ? objective.n_in_nodes : 0, 0.0);
  double* const moments = more.empty() ? known.data() : more.data();
  objective.add(row, moments);
  for (std::size_t m = 0; m < objective.n_in_nodes; ++m) {
    if (!std::isfinite(moments[m])) throw std::invalid_argument("targets that are too large to be added up in bins");
    moment_high[m] = std::max(moment_high[m], std::abs(moments[m]));
  }
}

void RowBounds::merge(const RowBounds& other) {
  n_rows += other.n_rows;
  weight_low = std::min(weight_low, other.weight_low);
  weight_high = std::max(weight_high, other.weight_high);
  y_low = std::min(y_low, other.y_low);
  y_high = std::max(y_high, other.y_high);
  moment_high.resize(std::max(moment_high.size(), other.moment_high.size()), 0.0);
  for (std::size_t m = 0; m < other.moment_high.size(); ++m)
    moment_high[m] = std::max(moment_high[m], other.moment_high[m]);
}

MomentLayout::MomentLayout(const RowBounds& bounds, std::int32_t classes, NumberMoments numbers,
                           std::optional<double> taken_off)
    : n_classes(classes), equal_weights(!(bounds.weight_low < bounds.weight_high)), objective(std::move(numbers)) {
  if (equal_weights && bounds.n_rows > 0) weight = bounds.weight_high;
  if (!equal_weights) weight_power = FixedPoint::power_above(bounds.weight_high);
  weights = FixedPoint(bounds.n_rows, weight_power);
  if (n_classes > 0) return;
  if (!objective.squared_error()) {
    for (const double high : bounds.moment_high) moments.emplace_back(bounds.n_rows, FixedPoint::power_above(high));
    return;
  }
  if (equal_weights) unit = weight;
  if (bounds.n_rows > 0) {
    origin = taken_off ? *taken_off : common_part(bounds.y_low, bounds.y_high);
    y_power = FixedPoint::power_above(std::max(std::abs(bounds.y_low - origin), std::abs(bounds.y_high - origin)));
  }
  moments = {{bounds.n_rows, weight_power + y_power}, {bounds.n_rows, weight_power + 2 * y_power}};
}

std::size_t MomentLayout::bin_width() const {
  const std::size_t rows = n_classes > 0 && equal_weights ? 0 : 1, own_weight = n_classes > 0 || equal_weights ? 0 : 1;
  return rows + own_weight + n_moments();
}

std::size_t MomentLayout::node_width() const {
  if (n_classes > 0) return equal_weights ? bin_width() : 1 + 2 * n_moments();
  return 1 + 2 * ((equal_weights ? 0 : 1) + objective.n_in_nodes);
}

/// Squared error is divided before it is multiplied: no square can leave the range of doubles.
void MomentLayout::take_terms(const Row& row, double* terms) const {
  if (objective.squared_error()) {
    const double d = std::ldexp(row.y - origin, -y_power);
    const double share = equal_weights ? 1.0 : std::ldexp(row.weight, -weight_power);
    terms[0] = share * d;
    terms[1] = share * d * d;
    return;
  }
  std::fill_n(terms, moments.size(), 0.0);
  objective.add(row, terms);
  for (std::size_t m = 0; m < moments.size(); ++m) terms[m] = std::ldexp(terms[m], -moments[m].power);
}

NodeSums::NodeSums(const MomentLayout& layout, std::size_t n_nodes)
    : width(layout.node_width()), numbers(n_nodes * width, 0), y_low(n_nodes, kInfinity), y_high(n_nodes, -kInfinity) {}

NodeSums& NodeSums::operator+=(const NodeSums& other) {
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += other.numbers[i];
  for (std::size_t node = 0; node < y_low.size(); ++node) {
    y_low[node] = std::min(y_low[node], other.y_low[node]);
    y_high[node] = std::max(y_high[node], other.y_high[node]);
  }
  return *this;
}

NodeSums NodeSums::total() const {
  NodeSums all;
  all.width = width;
  all.numbers.assign(width, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) all.numbers[i % width] += numbers[i];
  all.y_low = {*std::min_element(y_low.begin(), y_low.end())};
  all.y_high = {*std::max_element(y_high.begin(), y_high.end())};
  return all;
}

RowMoments::RowMoments(const MomentLayout& layout, RowTargets rows) : targets(std::move(rows)) {
  const std::size_t n = targets.weight.size(), n_moments = layout.moments.size();
  const bool weighted = !layout.equal_weights;
  fine_width = (weighted ? 2 : 0) + 2 * n_moments;
  std::vector<std::int64_t> fine_weights;
  for (const double value : targets.weight.values().first(weighted ? targets.weight.values().size() : 0)) {
    const double w = std::ldexp(value, -layout.weight_power);
    weight.push_back(std::max<std::int64_t>(1, layout.weights.of(w)));
    const FinePair pair = fine_weight(layout.weights, w);
    fine_weights.insert(fine_weights.end(), {pair.high, pair.low});
  }
  if (layout.n_classes > 0) {
    fine = std::move(fine_weights);
    return;
  }
  fine.resize(n * fine_width);
  moments.reserve(n * layout.objective.n_in_bins);
  std::vector<double> terms(n_moments);
  for (std::size_t row = 0; row < targets.exposure.size(); ++row)
    rate.push_back(targets.y[row] / targets.exposure[row]);
  for (std::size_t row = 0; row < n; ++row) {
    std::int64_t* to = fine.data() + row * fine_width;
    if (weighted) to = std::copy_n(fine_weights.data() + 2 * targets.weight.place(row), 2, to);
    layout.take_terms(targets.number(row), terms.data());
    for (std::size_t m = 0; m < n_moments; ++m) {
      const FinePair term = layout.moments[m].fine(terms[m]);
      put(to + 2 * m, term);
      if (m < layout.objective.n_in_bins) moments.push_back(term.high);
    }
  }
}

namespace {

/// kWidth: the width of a row's numbers if it is known, so that sums stay in registers: one row after the other would
/// wait for memory. 0: any.
template <std::size_t kWidth>
void add_numbers(const RowMoments& rows, std::span<const std::uint32_t> group, NodeSums& sums, std::size_t node) {
  const std::size_t width = kWidth > 0 ? kWidth : rows.fine_width;
  std::array<std::int64_t, kWidth> in_registers{};
  std::int64_t* const to = sums.of(node) + 1;
  std::int64_t* const sum = kWidth > 0 ? in_registers.data() : to;
  double low = sums.y_low[node], high = sums.y_high[node];
  const std::int64_t* const fine = rows.fine.data();
  const double* const y = rows.rate.empty() ? rows.targets.y.data() : rows.rate.data();
  for (std::size_t at = 0; at < group.size(); ++at) {
    if (at + kAhead < group.size()) prefetch(fine + group[at + kAhead] * width);
    const std::uint32_t row = group[at];
    for (std::size_t i = 0; i < width; ++i) sum[i] += fine[row * width + i];
    low = std::min(low, y[row]);
    high = std::max(high, y[row]);
  }
  for (std::size_t i = 0; i < kWidth; ++i) to[i] += sum[i];
  sums.y_low[node] = low;
  sums.y_high[node] = high;
}

}  // namespace

void add_rows(const MomentLayout& layout, const RowMoments& rows, std::span<const std::uint32_t> group, NodeSums& sums,
              std::size_t node) {
  std::int64_t* const to = sums.of(node);
  const std::uint16_t* const label = rows.targets.label.data();
  if (layout.n_classes > 0 && layout.equal_weights) {
    for (const std::uint32_t row : group) ++to[label[row]];
    return;
  }
  to[0] += static_cast<std::int64_t>(group.size());
  if (layout.n_classes == 0) {
    if (rows.fine_width == 4) return add_numbers<4>(rows, group, sums, node);
    if (rows.fine_width == 6) return add_numbers<6>(rows, group, sums, node);
    if (rows.fine_width == 8) return add_numbers<8>(rows, group, sums, node);
    return add_numbers<0>(rows, group, sums, node);
  }
  for (const std::uint32_t row : group) {
    const std::int64_t* const pair = rows.fine.data() + 2 * rows.targets.weight.place(row);
    to[1 + 2 * label[row]] += pair[0];
    to[2 + 2 * label[row]] += pair[1];
  }
}

namespace {

/// The loss of squared error is a difference of large sums: in doubled precision.
void read_squared_error(const MomentLayout& layout, const std::int64_t* from, const Twofold& weight, NodeMoments& out) {
  const Twofold sum = read_pair(from, layout.moments[0]), squares = read_pair(from + 2, layout.moments[1]);
  const Twofold mean = sum / weight;
  out.centred = true;
  if (!out.pure) out.answer = std::ldexp(mean.value(), layout.y_power);
  const double loss = out.pure ? 0.0 : std::max(0.0, (squares - sum * mean).value());
  out.loss = std::ldexp(loss, layout.moments[1].power) * layout.unit;
}

void read_objective(const MomentLayout& layout, const std::int64_t* from, NodeMoments& out) {
  std::vector<double> moments;
  for (std::size_t m = 0; m < layout.moments.size(); ++m)
    moments.push_back(std::ldexp(read_pair(from + 2 * m, layout.moments[m]).value(), layout.moments[m].power));
  const Leaf leaf = layout.objective.leaf(moments.data(), out.weight);
  out.answer = leaf.answer;
  out.loss = leaf.loss;
}

NodeMoments read_numbers(const MomentLayout& layout, const NodeSums& sums, std::size_t node) {
  const std::int64_t* const from = sums.of(node);
  NodeMoments out;
  out.n_rows = from[0];
  if (out.n_rows == 0) return out;
  const Twofold weight = layout.equal_weights ? Twofold::of(from[0]) : read_pair(from + 1, layout.weights);
  out.weight = std::ldexp(weight.value(), layout.weight_power) * (layout.equal_weights ? layout.weight : 1.0);
  out.pure = sums.y_low[node] == sums.y_high[node];
  out.answer = sums.y_low[node] - layout.origin;
  const std::int64_t* const moments = from + (layout.equal_weights ? 1 : 3);
  if (layout.objective.squared_error()) {
    read_squared_error(layout, moments, weight, out);
  } else {
    read_objective(layout, moments, out);
  }
  return out;
}

}  // namespace

NodeMoments read_sums(const MomentLayout& layout, const NodeSums& sums, std::size_t node) {
  if (layout.n_classes == 0) return read_numbers(layout, sums, node);
  const std::int64_t* const from = sums.of(node);
  NodeMoments out;
  std::size_t n_classes = 0;
  for (std::int32_t c = 0; c < layout.n_classes; ++c) {
    const double w = layout.equal_weights
                         ? static_cast<double>(from[c]) * layout.weight
                         : std::ldexp(read_pair(from + 1 + 2 * c, layout.weights).value(), layout.weight_power);
    n_classes += w > 0.0 ? 1 : 0;
    out.classes.push_back(w);
    out.weight += w;
    if (layout.equal_weights) out.n_rows += from[c];
  }
  if (!layout.equal_weights) out.n_rows = from[0];
  out.pure = n_classes < 2;
  return out;
}

BinMoments read_bin(const MomentLayout& layout, const std::int64_t* bin, double* moments) {
  BinMoments out;
  if (layout.n_classes == 0) {
    out.n_rows = *bin++;
    out.weight = layout.equal_weights ? static_cast<double>(out.n_rows) * layout.weight : layout.weights.value(*bin++);
    for (std::size_t m = 0; m < layout.objective.n_in_bins; ++m)
      moments[m] = layout.moments[m].value(bin[m]) * layout.unit;
    return out;
  }
  if (!layout.equal_weights) out.n_rows = *bin++;
  for (std::int32_t c = 0; c < layout.n_classes; ++c) {
    moments[c] = layout.equal_weights ? static_cast<double>(bin[c]) * layout.weight : layout.weights.value(bin[c]);
    out.weight += moments[c];
    if (layout.equal_weights) out.n_rows += bin[c];
  }
  return out;
}

}  // namespace spinney
