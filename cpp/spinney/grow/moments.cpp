#include "spinney/grow/moments.hpp"

#include <algorithm>
#include <numeric>

namespace spinney {

namespace {

/// The number that numbers within a factor of two have in common: taken off without rounding. Otherwise 0, which takes
/// nothing off numbers near 0.
double common_part(double low, double high) {
  if (low > 0.0 && high <= 2.0 * low) return low;
  if (high < 0.0 && low >= 2.0 * high) return high;
  return 0.0;
}

void add(std::int64_t* pair, const FinePair& term) {
  pair[0] += term.high;
  pair[1] += term.low;
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

MomentLayout::MomentLayout(const RowBounds& bounds, std::int32_t classes)
    : n_classes(classes), equal_weights(!(bounds.weight_low < bounds.weight_high)) {
  if (equal_weights && bounds.n_rows > 0) weight = bounds.weight_high;
  if (!equal_weights) weight_power = FixedPoint::power_above(bounds.weight_high);
  weights = FixedPoint(bounds.n_rows, weight_power);
  if (n_classes > 0 || bounds.n_rows == 0) return;
  origin = common_part(bounds.y_low, bounds.y_high);
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
  if (!layout.equal_weights) {
    share.resize(n);
    weight.resize(n);
    for (std::size_t row = 0; row < n; ++row) {
      share[row] = std::ldexp(targets.weight[row], -layout.weight_power);
      weight[row] = std::max<std::int64_t>(1, layout.weights.of(share[row]));
    }
  }
  if (layout.n_classes > 0) return;
  distance.resize(n);
  sum.resize(n);
  for (std::size_t row = 0; row < n; ++row) {
    distance[row] = std::ldexp(targets.y[row] - layout.origin, -layout.y_power);
    sum[row] = layout.sums.of(layout.equal_weights ? distance[row] : share[row] * distance[row]);
  }
}

void add_rows(const MomentLayout& layout, const RowMoments& rows, std::span<const std::uint32_t> group, NodeSums& sums,
              std::size_t node) {
  std::int64_t* const to = sums.of(node);
  const std::uint16_t* const label = rows.targets.label.data();
  if (layout.n_classes > 0 && layout.equal_weights) {
    for (const std::uint32_t row : group) ++to[label[row]];
    return;
  }
  to[0] += static_cast<std::int64_t>(group.size());
  if (layout.n_classes > 0) {
    for (const std::uint32_t row : group) add(to + 1 + 2 * label[row], fine_weight(layout.weights, rows.share[row]));
    return;
  }
  std::int64_t* const moments = layout.equal_weights ? to + 1 : to + 3;
  for (const std::uint32_t row : group) {
    const double w = layout.equal_weights ? 1.0 : rows.share[row], d = rows.distance[row], y = rows.targets.y[row];
    if (!layout.equal_weights) add(to + 1, fine_weight(layout.weights, w));
    add(moments, layout.sums.fine(w * d));
    add(moments + 2, layout.squares.fine(w * d * d));
    sums.y_low[node] = std::min(sums.y_low[node], y);
    sums.y_high[node] = std::max(sums.y_high[node], y);
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
