#include "spinney/grow/drawn_subtrees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/grow/stats.hpp"
#include "spinney/objective/squared_error.hpp"
#include "spinney/splits/moments.hpp"
#include "spinney/splits/random_cut.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBlock = 1 << 14;  // values that a subtree may have
constexpr std::size_t kMostSmall = 1 << 10;

/// Rows of a subtree that weigh the same, for SquaredError.
struct EqualRows {
  std::span<const SampleIndex> group;
  const double* y;
  double unit;
  std::size_t size() const { return group.size(); }
  Row operator[](std::size_t i) const { return {0, y[group[i]], unit}; }
};

}  // namespace

DrawnSearch::DrawnSearch(const GrowParams& params, const Target& target, const Samples& samples, const Limits& limits)
    : task_(small_task(params, target, samples, limits)), least_(limits.rows), unit_(samples.weight.unit) {
  // Classes are counted as ranges of samples.
  const bool ordered = std::is_sorted(samples.label.begin(), samples.label.end());
  if (!samples.weight.is_equal() || !ordered || !params.monotone.empty()) task_ = SmallTask::none;
  if (usable()) inverse_ = make_inverses(kMostSmall);
}

std::size_t DrawnSearch::most_rows(std::size_t n_columns) { return std::min(kMostSmall, kBlock / n_columns); }

bool DrawnSubtrees::takes(const SampleRange& rows, const ColumnList& columns) const {
  if (!search_.usable() || rows.size() > DrawnSearch::most_rows(store_.values()->n_columns())) return false;
  return std::ranges::all_of(*columns, [&](FeatureIndex f) { return store_.is_plain(f); });
}

void DrawnSubtrees::load(const SampleRange& rows) {
  const std::size_t n = rows.size();
  const RowValues& from = *store_.values();
  n_columns_ = from.n_columns();
  if (rows_.size() < n) {
    values_.resize(n * n_columns_);
    lanes_.resize(kRowLanes * n);
    rows_.resize(n);
    spare_.resize(n + 1);
    if (!search_.of_classes()) y_.resize(n);
  }
  std::iota(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(n), SampleIndex{0});
  double* to = values_.data();
  for (const SampleIndex s : rows.members()) to = std::copy_n(from.data() + s * n_columns_, n_columns_, to);
  if (search_.of_classes()) return;
  for (std::size_t i = 0; i < n; ++i) y_[i] = samples_.y[rows.members()[i]];
}

void DrawnSubtrees::grow(NodeId leaf, const SampleRange& rows, const Origin& origin, const ColumnList& columns,
                         const Totals& totals, TreeBuilder& builder) {
  load(rows);
  lists_.assign(1, columns);
  const double ones = totals.classes.empty() ? 0.0 : std::round(totals.classes[1] / samples_.weight.unit);
  open_.push_back({.id = leaf,
                   .begin = 0,
                   .end = static_cast<std::uint32_t>(rows.size()),
                   .ones = static_cast<std::uint32_t>(ones),
                   .columns = 0,
                   .depth = origin.depth,
                   .path = origin.path,
                   .origin = totals.origin,
                   .loss = totals.loss});
  while (!open_.empty()) {
    Node node = open_.back();
    open_.pop_back();
    if (search(node)) divide(node, builder);
  }
}

/// Finds the test of a node, and strikes columns off that are constant.
bool DrawnSubtrees::search(Node& node) {
  bool found = false;
  if (draws_) {
    draw_.start(params_, node.path, *lists_[node.columns]);
    while (!found && !draw_.empty()) found = search_columns(node, draw_.next());
  } else {
    found = search_columns(node, *lists_[node.columns]);
  }
  return found && gains_enough(params_, best_.drop, total_weight_);
}

/// Whether some columns, ascending, have a test: the best, the first of equals.
bool DrawnSubtrees::search_columns(Node& node, std::span<const FeatureIndex> columns) {
  best_ = {};
  constant_.clear();
  for (std::size_t first = 0; first < columns.size(); first += kRowLanes)
    search_lanes(node, columns.subspan(first, std::min(kRowLanes, columns.size() - first)));
  if (!constant_.empty()) strike_constants(node);
  return best_.feature >= 0 && !(best_.drop < -tolerance::kDrop * node.loss);
}

void DrawnSubtrees::strike_constants(Node& node) {
  std::vector<FeatureIndex> kept = *lists_[node.columns];
  for (const FeatureIndex column : constant_) std::erase(kept, column);
  node.columns = static_cast<std::uint32_t>(lists_.size());
  lists_.push_back(std::make_shared<const std::vector<FeatureIndex>>(std::move(kept)));
}

/// Up to four columns.
void DrawnSubtrees::search_lanes(const Node& node, std::span<const FeatureIndex> columns) {
  const std::span<const SampleIndex> rows = rows_of(node);
  std::array<FeatureIndex, kRowLanes> lanes;
  lanes.fill(columns[0]);
  std::copy(columns.begin(), columns.end(), lanes.begin());
  const LaneRanges range = gather_lanes(values_.data(), n_columns_, rows, lanes, lanes_.data());
  GivenCuts cuts{rows, lanes_.data(), {}};
  for (std::size_t lane = 0; lane < kRowLanes; ++lane) {
    RandomStream random = cut_stream(params_.seed, node.path, lanes[lane]);
    cuts.threshold[lane] = draw_threshold(range.low[lane], range.high[lane], random);
  }
  const ClassDrops found = search_.of_classes()
                               ? drops_of_classes(cuts, node.ones, search_.lanes())
                               : ClassDrops{drops_of_numbers(cuts, y_.data(), node.origin, search_.lanes()), {}};
  const double slack = tolerance::kDrop * node.loss;
  best_.lane = kRowLanes;
  for (std::size_t lane = 0; lane < columns.size(); ++lane) {
    const double drop = found.drops[lane];
    if (!(range.low[lane] < range.high[lane])) {
      constant_.push_back(columns[lane]);
    } else if (drop > -kInfinity && (best_.feature < 0 || drop > best_.drop + slack)) {
      best_ = {columns[lane], drop, cuts.threshold[lane], found.ones[lane], lane};
    }
  }
}

/// Moves the rows of a node to their sides, and returns how many go left.
std::size_t DrawnSubtrees::part(const Node& node) {
  const std::span<SampleIndex> rows = rows_of(node);
  if (best_.lane == kRowLanes)
    return part_in_place(values_.data() + best_.feature, n_columns_, best_.threshold, rows, spare_.data());
  GivenCuts cuts{rows, lanes_.data(), {}};
  cuts.threshold[best_.lane] = best_.threshold;
  return part_by_lane(cuts, best_.lane, rows, spare_.data());
}

void DrawnSubtrees::divide(const Node& node, TreeBuilder& builder) {
  const auto n_left = static_cast<std::uint32_t>(part(node));
  const auto ones = static_cast<std::uint32_t>(best_.ones);
  Node children[2] = {node, node};
  children[0].end = children[1].begin = node.begin + n_left;
  children[0].ones = ones;
  children[1].ones = node.ones - ones;
  bool goes_on[2];
  for (const std::int32_t b : {0, 1}) {
    Node& child = children[b];
    child.depth = node.depth + 1;
    child.path = child_path(node.path, b);
    goes_on[b] = !describe(child, stats_[b]);
    goes_on[b] = may_divide(params_, !goes_on[b], child.size(), child.depth);
  }
  Division division;
  division.test.kind = TestKind::threshold;
  division.test.feature = best_.feature;
  division.test.threshold = best_.threshold;
  division.gain = best_.drop;
  division.default_branch = children[1].size() > children[0].size() ? 1 : 0;
  const NodeId first = builder.divide(node.id, std::move(division), stats_);
  for (const std::int32_t b : {1, 0}) {  // the left child is on top of the stack
    if (!goes_on[b]) continue;
    children[b].id = first + b;
    open_.push_back(children[b]);
  }
}

/// What a child knows of its rows; true if they are all alike.
bool DrawnSubtrees::describe(Node& child, NodeStats& stats) const {
  const double unit = samples_.weight.unit;
  if (search_.of_classes()) {
    const bool pure =
        describe_classes(target_, (child.size() - child.ones) * unit, child.ones * unit, child.size(), stats);
    child.loss = stats.weight;
    return pure;
  }
  const std::span<const SampleIndex> rows{rows_.data() + child.begin, child.size()};
  const bool pure = std::ranges::all_of(rows, [&](SampleIndex s) { return y_[s] == y_[rows[0]]; });
  const Leaf leaf = SquaredError{}.leaf(EqualRows{rows, y_.data(), unit});
  child.origin = leaf.answer;
  child.loss = leaf.loss;
  stats.value = {leaf.answer + samples_.y_shift};
  stats.weight = leaf.weight;
  stats.risk = pure ? 0.0 : leaf.loss;
  stats.impurity = stats.risk / stats.weight;
  stats.n_samples = child.size();
  return pure;
}

}  // namespace spinney
