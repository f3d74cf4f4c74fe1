#include "spinney/grow/moments.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "spinney/prefetch.hpp"

namespace spinney {

namespace {

constexpr std::size_t kAhead = 16;  // rows that are fetched before they are needed

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

void RowBounds::merge(const RowBounds& other) {
  n_rows += other.n_rows;
  weight_low = std::min(weight_low, other.weight_low);
  weight_high = std::max(weight_high, other.weight_high);
  y_low = std::min(y_low, other.y_low);
  y_high = std::max(y_high, other.y_high);
}

MomentLayout::MomentLayout(const RowBounds& bounds, std::int32_t classes, std::optional<double> taken_off)
    : n_classes(classes), equal_weights(!(bounds.weight_low < bounds.weight_high)) {
  if (equal_weights && bounds.n_rows > 0) weight = bounds.weight_high;
  if (!equal_weights) weight_power = FixedPoint::power_above(bounds.weight_high);
  weights = FixedPoint(bounds.n_rows, weight_power);
  if (n_classes > 0 || bounds.n_rows == 0) return;
  origin = taken_off ? *taken_off : common_part(bounds.y_low, bounds.y_high);
  y_power = FixedPoint::power_above(std::max(std::abs(bounds.y_low - origin), std::abs(bounds.y_high - origin)));
  sums = FixedPoint(bounds.n_rows, weight_power + y_power);
  squares = FixedPoint(bounds.n_rows, weight_power + 2 * y_power);
}

std::size_t MomentLayout::bin_width() const {
  const std::size_t extra = equal_weights ? 0 : 1;
  return n_classes > 0 ? static_cast<std::size_t>(n_classes) + extra : 2 + extra;
}

std::size_t MomentLayout::node_width() const {
  if (n_classes > 0) return equal_weights ? bin_width() : 1 + 2 * static_cast<std::size_t>(n_classes);
  return equal_weights ? 5 : 7;
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
  const std::size_t n = targets.weight.size();
  const bool weighted = !layout.equal_weights, numbers = layout.n_classes == 0;
  fine_width = (weighted ? 2 : 0) + (numbers ? 4 : 0);
  fine.resize(n * fine_width);
  weight.resize(weighted ? n : 0);
  sum.resize(numbers ? n : 0);
  for (std::size_t row = 0; row < n && fine_width > 0; ++row) {
    std::int64_t* to = fine.data() + row * fine_width;
    const double w = weighted ? std::ldexp(targets.weight[row], -layout.weight_power) : 1.0;
    if (weighted) {
      weight[row] = std::max<std::int64_t>(1, layout.weights.of(w));
      put(to, fine_weight(layout.weights, w));
      to += 2;
    }
    if (!numbers) continue;
    const double d = std::ldexp(targets.y[row] - layout.origin, -layout.y_power);
    const FinePair term = layout.sums.fine(w * d);
    sum[row] = term.high;
    put(to, term);
    put(to + 2, layout.squares.fine(w * d * d));
  }
}

namespace {

/// Sums stay in registers: one row after the other would wait for memory.
template <std::size_t kWidth>
void add_numbers(const RowMoments& rows, std::span<const std::uint32_t> group, NodeSums& sums, std::size_t node) {
  std::array<std::int64_t, kWidth> sum{};
  double low = sums.y_low[node], high = sums.y_high[node];
  const std::int64_t* const fine = rows.fine.data();
  const double* const y = rows.targets.y.data();
  for (std::size_t at = 0; at < group.size(); ++at) {
    if (at + kAhead < group.size()) prefetch(fine + group[at + kAhead] * kWidth);
    const std::uint32_t row = group[at];
    for (std::size_t i = 0; i < kWidth; ++i) sum[i] += fine[row * kWidth + i];
    low = std::min(low, y[row]);
    high = std::max(high, y[row]);
  }
  for (std::size_t i = 0; i < kWidth; ++i) sums.of(node)[1 + i] += sum[i];
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
  if (layout.n_classes == 0)
    return layout.equal_weights ? add_numbers<4>(rows, group, sums, node) : add_numbers<6>(rows, group, sums, node);
  for (const std::uint32_t row : group) {
    to[1 + 2 * label[row]] += rows.fine[2 * std::size_t{row}];
    to[2 + 2 * label[row]] += rows.fine[2 * std::size_t{row} + 1];
  }
}

namespace {

NodeMoments read_numbers(const MomentLayout& layout, const NodeSums& sums, std::size_t node) {
  const std::int64_t* const from = sums.of(node);
  NodeMoments out;
  out.n_rows = from[0];
  const std::int64_t* const moments = layout.equal_weights ? from + 1 : from + 3;
  const Twofold weight = layout.equal_weights ? Twofold::of(from[0]) : read_pair(from + 1, layout.weights);
  const Twofold sum = read_pair(moments, layout.sums), squares = read_pair(moments + 2, layout.squares);
  const double unit = layout.equal_weights ? layout.weight : 1.0;
  out.weight = std::ldexp(weight.value(), layout.weight_power) * unit;
  out.pure = sums.y_low[node] == sums.y_high[node];
  if (out.n_rows == 0) return out;
  const Twofold mean = sum / weight;
  out.mean = out.pure ? sums.y_low[node] - layout.origin : std::ldexp(mean.value(), layout.y_power);
  const double loss = out.pure ? 0.0 : std::max(0.0, (squares - sum * mean).value());
  out.loss = std::ldexp(loss, layout.squares.power) * unit;
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
    const double unit = layout.equal_weights ? layout.weight : 1.0;
    out.n_rows = bin[0];
    out.weight = layout.equal_weights ? static_cast<double>(bin[0]) * unit : layout.weights.value(bin[1]);
    moments[0] = layout.sums.value(bin[layout.equal_weights ? 1 : 2]) * unit;
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
