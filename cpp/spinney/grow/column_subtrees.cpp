#include "spinney/grow/column_subtrees.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "spinney/data/cut.hpp"
#include "spinney/grow/fixed_point.hpp"
#include "spinney/objective/entropy.hpp"
#include "spinney/objective/gini.hpp"
#include "spinney/objective/squared_error.hpp"
#include "spinney/splits/segments.hpp"

namespace spinney {

namespace {

constexpr std::size_t kLeastRows = 1 << 10;         // fewer are scanned as fast
constexpr double kAbove = 1.0 + tolerance::kBound;  // what is compared may be rounded
constexpr double kMost = 0x1p62,
                 kMostExact = 0x1p52;  // of products, and of sums that doubles hold with one bit to spare

/// What all rules go by: with w the weight left of a cut, W that of all, s and S the sums, a cut explains
/// D^2 / (w (W - w)) / W of the sum of squares, where D = s W - S w.
struct NodeRule {
  WholeSums all;
  double weight;

  explicit NodeRule(const WholeSums& sums) : all(sums), weight(static_cast<double>(sums.weight)) {}
  double distance(const WholeSums& left) const {
    return static_cast<double>(left.sum * all.weight - all.sum * left.weight);
  }
  /// least: times W.
  bool explains(const WholeSums& left, double least) const {
    const double d = distance(left), w = static_cast<double>(left.weight);
    return !(d * d * kAbove < least * (w * (weight - w)));
  }
};

/// The sum over sides of (weight of the second class)^2 / weight, as in moments.cpp.
struct GiniRule : NodeRule {
  double ones, undivided;
  explicit GiniRule(const WholeSums& sums)
      : NodeRule(sums), ones(static_cast<double>(sums.sum)), undivided(ones * ones * (1.0 / weight)) {}
  double score(const WholeSums& at) const {
    const double left = static_cast<double>(at.sum), right = ones - left, w = static_cast<double>(at.weight);
    return left * left * (1.0 / w) + right * right * (1.0 / (weight - w));
  }
  double least(double score) const { return ((score - undivided) / kAbove - tolerance::kSum * undivided) * weight; }
};

/// The drop, as in moment_scan.hpp. It is no larger than Gini's by p (1 - p) log 2: log x <= x - 1.
struct EntropyRule : NodeRule {
  Entropy entropy{{{.n = 2}}};
  double parent[2], loss;
  explicit EntropyRule(const WholeSums& sums)
      : NodeRule(sums), parent{static_cast<double>(sums.weight - sums.sum), static_cast<double>(sums.sum)} {
    loss = entropy.loss(parent, weight);
  }
  double score(const WholeSums& at) const {
    const double w = static_cast<double>(at.weight), ones = static_cast<double>(at.sum);
    const double left[2] = {w - ones, ones};
    const double right[2] = {std::max(0.0, parent[0] - left[0]), std::max(0.0, parent[1] - left[1])};
    return loss - entropy.loss(left, w) - entropy.loss(right, weight - w);
  }
  double least(double score) const {
    return (score - tolerance::kSum * loss) * std::numbers::ln2 * parent[0] * parent[1] / weight;
  }
};

/// What is explained, in squares of the unit of y.
struct SquaresRule : NodeRule {
  using NodeRule::NodeRule;
  double score(const WholeSums& at) const {
    const double left = distance(at) / weight, w = static_cast<double>(at.weight);
    return left * left * (1.0 / w) + left * left * (1.0 / (weight - w));
  }
  double least(double score) const { return score / kAbove * weight; }
};

}  // namespace

ColumnSubtrees::ColumnSubtrees(const Growth& growth, const Limits& limits, Interrupt& interrupt)
    : growth_(growth), limits_(limits), interrupt_(interrupt), task_(task_of(growth, limits)) {
  const bool fits = task_ == Task::numbers ? find_unit() : total_weight() * total_weight() < kMost;
  if (task_ != Task::none && !fits) task_ = Task::none;
}

/// None where parameters, or the objective, ask for more than the best threshold of the column.
ColumnSubtrees::Task ColumnSubtrees::task_of(const Growth& growth, const Limits& limits) {
  const SampleWeights& weight = growth.samples.weight;
  const bool plain = only_thresholds(growth.params, limits) && growth.params.monotone.empty();
  if (!plain || weight.form == SampleWeights::Form::real || weight.unit != 1.0) return Task::none;
  const ObjectiveChoice& choice = growth.params.criterion;
  if (growth.target.n_classes == 0) return choice.name == SquaredError::kName ? Task::numbers : Task::none;
  if (!plain_classes(growth.target, growth.samples) || !choice.cost.empty() || choice.callable) return Task::none;
  if (choice.name == Gini::kName) return Task::gini;
  return choice.name == Entropy::kName || choice.name == Entropy::kOtherName ? Task::entropy : Task::none;
}

double ColumnSubtrees::total_weight() const {
  const SampleWeights& weight = growth_.samples.weight;
  if (weight.is_equal()) return static_cast<double>(weight.size());
  return std::accumulate(weight.times.begin(), weight.times.end(), 0.0);
}

/// Looks for a power of two of which all y are whole multiples from the first on, small enough for sums to be exact.
bool ColumnSubtrees::find_unit() {
  const std::vector<double>& y = growth_.samples.y;
  origin_ = y.front();
  power_ = std::numeric_limits<int>::max();
  double largest = 0.0;
  for (const double value : y) {
    const Twofold distance = Twofold::sum(value, -origin_);
    if (!std::isfinite(distance.high) || distance.low != 0.0) return false;
    if (distance.high == 0.0) continue;
    int exponent = 0;
    const double mantissa = std::ldexp(std::frexp(std::abs(distance.high), &exponent), 53);
    power_ = std::min(power_, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(mantissa)));
    largest = std::max(largest, std::abs(distance.high));
  }
  if (largest == 0.0) return false;  // all are equal, and nothing is divided
  const double wholes = std::ldexp(largest, -power_), weight = total_weight();
  return wholes * weight < kMostExact && wholes * weight * weight < kMost && wholes * wholes * weight < kMost;
}

std::int64_t ColumnSubtrees::whole(SampleIndex s) const {
  if (task_ != Task::numbers) return growth_.samples.is_one[s];
  return static_cast<std::int64_t>(std::ldexp(growth_.samples.y[s] - origin_, -power_));
}

bool ColumnSubtrees::takes(const NodeRows& rows, const ColumnList& columns) const {
  if (task_ == Task::none || rows.size() < kLeastRows || columns->size() != 1) return false;
  const auto f = static_cast<std::size_t>(columns->front());
  return growth_.data.columns[f].kind != ColumnKind::nominal && !rows.column(f).back().missing();
}

void ColumnSubtrees::load(std::span<const Entry> entries) {
  entries_ = entries;
  first_row_.assign(1, 0);
  std::vector<WholeSums> before(1);
  const std::size_t n = entries.size();
  const bool numbers = task_ == Task::numbers;
  squares_.assign(numbers ? 1 : 0, 0);
  same_.assign(numbers ? n : 0, static_cast<std::uint32_t>(n));
  std::int64_t squares = 0;
  WholeSums sums;
  for (std::size_t i = 0; i < n; ++i) {
    const SampleIndex s = entries[i].sample();
    const std::int64_t w = times(s), number = whole(s);
    sums.weight += w;
    sums.sum += w * number;
    squares += w * number * number;
    if (i + 1 < n && entries[i + 1].tied()) continue;
    before.push_back(sums);
    first_row_.push_back(static_cast<std::uint32_t>(i + 1));
    if (numbers) squares_.push_back(squares);
  }
  const std::vector<double>& y = growth_.samples.y;
  for (std::size_t i = numbers ? n - 1 : 0; i-- > 0;)
    same_[i] = y[entries[i].sample()] == y[entries[i + 1].sample()] ? same_[i + 1] : static_cast<std::uint32_t>(i + 1);
  std::vector<std::uint8_t> matters = task_ == Task::entropy ? borders(before) : std::vector<std::uint8_t>{};
  hulls_.emplace(std::move(before), std::move(matters));
}

/// Whether the shares of classes differ on both sides of a place.
std::vector<std::uint8_t> ColumnSubtrees::borders(const std::vector<WholeSums>& before) const {
  std::vector<std::uint8_t> differ(before.size(), 0);
  for (std::size_t place = 1; place + 1 < before.size(); ++place) {
    const WholeSums a = before[place] - before[place - 1], b = before[place + 1] - before[place];
    differ[place] = a.sum * b.weight != b.sum * a.weight ? 1 : 0;
  }
  return differ;
}

/// Position is the place of the cut.
Cut ColumnSubtrees::search(const Node& node) const {
  const std::size_t n = n_rows(node);
  if (node.end - node.begin < 2 || n < 2 * limits_.rows) return {};
  const auto place_of = [&](std::size_t row) {  // the first that has so many rows before it
    const auto found = std::ranges::lower_bound(first_row_, static_cast<std::uint32_t>(row));
    return static_cast<std::size_t>(found - first_row_.begin());
  };
  PlaceRange range{node.begin + 1, node.end - 1};
  if (limits_.rows > 1) {
    range.first = place_of(first_row_[node.begin] + limits_.rows);
    const std::size_t last = first_row_[node.end] - limits_.rows;
    range.last = place_of(last);
    if (first_row_[range.last] != last) --range.last;
    if (range.first > range.last) return {};
  }
  const double slack = node.totals.slack();
  const WholeSums all = sums(node);
  if (task_ == Task::gini) {
    const GiniRule rule(all);
    const Cut found = hulls_->best(range, node.begin, false, rule, slack / 2.0);
    return {2.0 * (found.drop - rule.undivided), found.position};
  }
  if (task_ == Task::entropy) {
    const Cut found = hulls_->best(range, node.begin, limits_.rows > 1, EntropyRule(all), slack);
    if (found.drop > slack) return found;
    return {0.0, static_cast<std::uint32_t>(range.first)};  // without any gain all cuts are equal
  }
  Cut found = hulls_->best(range, node.begin, false, SquaresRule(all), std::ldexp(slack, -2 * power_));
  found.drop = std::ldexp(found.drop, 2 * power_);
  return found;
}

Summary ColumnSubtrees::summarize(const Node& node) const {
  const WholeSums all = sums(node);
  const auto weight = static_cast<double>(all.weight);
  const auto rows = static_cast<std::int64_t>(n_rows(node));
  if (task_ != Task::numbers)
    return growth_.summarizer.from_units({static_cast<double>(all.weight - all.sum), static_cast<double>(all.sum)},
                                         rows);
  // As SquaredError::leaf adds up: distances from the first row.
  const std::size_t row = first_row_[node.begin];
  const SampleIndex first = entries_[row].sample();
  const double sum = std::ldexp(static_cast<double>(all.sum - whole(first) * all.weight), power_);
  const Twofold squares = Twofold::of(squares_[node.end] - squares_[node.begin]);
  const Twofold total = Twofold::of(all.sum);
  const double loss = (squares - total * total / Twofold{weight, 0.0}).value();
  return growth_.summarizer.from_moments({.n_rows = rows,
                                          .classes = {},
                                          .weight = weight,
                                          .answer = growth_.samples.y[first] + sum / weight,
                                          .loss = std::max(0.0, std::ldexp(loss, 2 * power_)),
                                          .centred = true,
                                          .pure = same_[row] >= first_row_[node.end]});
}

void ColumnSubtrees::divide(const Node& node, const Cut& cut, FeatureIndex column, TreeBuilder& builder) {
  const std::size_t middle = cut.position;
  std::array<Node, 2> children = {
      Node{.id = 0, .begin = node.begin, .end = middle, .origin = node.origin, .totals = {}},
      Node{.id = 0, .begin = middle, .end = node.end, .origin = node.origin, .totals = {}}};
  std::array<NodeStats, 2> stats;
  std::array<bool, 2> goes_on{};
  for (const std::int32_t b : {0, 1}) {
    Summary summary = summarize(children[b]);
    children[b].origin.path = child_path(node.origin.path, b);
    ++children[b].origin.depth;
    goes_on[b] = may_divide(growth_.params, summary, children[b].origin.depth);
    children[b].totals = std::move(summary.totals);
    stats[b] = std::move(summary.stats);
  }
  const auto value = [&](std::size_t row) {
    return growth_.data.values.at(growth_.samples.row[entries_[row].sample()], column);
  };
  Division division;
  division.test.kind = TestKind::threshold;
  division.test.feature = column;
  division.test.threshold = cut_between(value(first_row_[middle] - 1), value(first_row_[middle]));
  division.gain = cut.drop;
  division.default_branch = sums(children[1]).weight > sums(children[0]).weight ? 1 : 0;
  const NodeId first = builder.divide(node.id, std::move(division), stats);
  for (const std::int32_t b : {1, 0}) {  // the left child is on top of the stack
    if (!goes_on[b]) continue;
    children[b].id = first + b;
    open_.push_back(std::move(children[b]));
  }
}

void ColumnSubtrees::grow(NodeId leaf, const NodeRows& rows, const Origin& origin, const ColumnList& columns,
                          const Totals& totals, TreeBuilder& builder, SmallSubtrees* small) {
  const FeatureIndex column = columns->front();
  load(rows.column(static_cast<std::size_t>(column)));
  open_.push_back({leaf, 0, first_row_.size() - 1, origin, totals});
  for (std::size_t n_nodes = 0; !open_.empty(); ++n_nodes) {
    if (n_nodes % 256 == 0) interrupt_.check();
    const Node node = std::move(open_.back());
    open_.pop_back();
    const NodeRows own{rows.block, rows.begin + first_row_[node.begin], rows.begin + first_row_[node.end]};
    if (small && small->takes(own, columns)) {
      small->grow(node.id, own, node.origin, columns, node.totals, builder);
      continue;
    }
    const Cut cut = search(node);
    if (cut.found() && !(cut.drop < -node.totals.slack()) &&
        gains_enough(growth_.params, cut.drop, growth_.total_weight))
      divide(node, cut, column, builder);
  }
  hulls_.reset();
}

}  // namespace spinney
