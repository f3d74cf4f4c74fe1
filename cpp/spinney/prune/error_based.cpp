#include "spinney/prune/error_based.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "spinney/objective/registry.hpp"
#include "spinney/prefetch.hpp"
#include "spinney/prune/pessimistic.hpp"
#include "spinney/tree/builder.hpp"
#include "spinney/tree/monotone.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr double kLessErrors = 1e-3;  // that a branch must save to outlive the collapse
constexpr double kWorth = 0.1;        // estimated errors that a branch must save to outlive the pruning
constexpr double kSlack = 1e-6;       // of errors and weights, as J48 compares them
constexpr std::size_t kAhead = 16;    // rows whose values are asked for early: they lie anywhere in the table

/// A row, or a share of it, by its own weight: class weights come in when classes are counted, so that sums of
/// whole numbers stay exact.
struct Item {
  RowIndex row;
  double weight;
};

/// A node of the tree in the making.
struct Place {
  NodeId source;  // whose test it has
  std::vector<std::size_t> children;
  std::vector<double> classes;
  double weight = 0.0, estimate = 0.0;  // estimate: errors of the leaves below, or of the leaf
  std::int64_t n_rows = 0;
  bool moved = false;  // it has other rows than its source had
  bool is_leaf() const { return children.empty(); }
};

/// A node on the way down. Its rows lie child by child, those that its test cannot place last; a child's rows are its
/// part of them, unless there are some to share: then it gets rows of its own.
struct Step {
  std::size_t at;
  std::span<Item> rows;
  std::vector<Item> own;
  std::vector<std::size_t> part_begin;  // by child; then where the rows to share begin
  std::vector<double> share;
  std::size_t next_child = 0;
};

class Pruner {
 public:
  Pruner(const Tree& tree, const Matrix& x, const Target& target, const ErrorBasedParams& params, Interrupt& interrupt)
      : tree_(tree), x_(x), target_(target), params_(params), bound_(params.cf), interrupt_(interrupt) {
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      Place place;
      place.source = static_cast<NodeId>(node);
      for (std::int32_t c = 0; c < tree.n_children[node]; ++c) place.children.push_back(tree.first_child[node] + c);
      places_.push_back(std::move(place));
    }
  }

  Tree run() {
    std::vector<Item> everyone;
    for (std::size_t row = 0; row < x_.n_rows; ++row) {
      if (target_.weight[row] > 0.0) everyone.push_back({static_cast<RowIndex>(row), target_.weight[row]});
    }
    walk(
        0, std::move(everyone), [&](std::size_t at, std::span<const Item> rows) { settle(at, rows); },
        [&](std::size_t at, std::span<const Item> rows) { return judge(at, rows); });
    return write();
  }

 private:
  double scale_of(ClassCode c) const { return target_.class_scale.empty() ? 1.0 : target_.class_scale[c]; }
  /// Errors that a leaf with these rows must be expected to make.
  double leaf_estimate(const std::vector<double>& classes) const {
    const double total = std::accumulate(classes.begin(), classes.end(), 0.0);
    if (total < kSlack) return 0.0;
    const double errors = total - *std::max_element(classes.begin(), classes.end());
    return errors + bound_.added_errors(total, errors);
  }
  std::vector<double> count(std::span<const Item> rows) const {
    std::vector<double> classes(tree_.n_outputs(), 0.0);
    for (const Item& item : rows) classes[target_.codes[item.row]] += item.weight;
    for (std::size_t c = 0; c < classes.size(); ++c) classes[c] *= scale_of(static_cast<ClassCode>(c));
    return classes;
  }
  template <class Enter, class Leave>
  void walk(std::size_t top, std::vector<Item> rows, Enter&& enter, Leave&& leave);
  void divide(Step& step);
  std::pair<std::span<Item>, std::vector<Item>> part_of(const Step& step, std::size_t child) const;
  void settle(std::size_t at, std::span<const Item> rows);
  double branch_estimate(std::size_t top, std::span<const Item> rows);
  bool judge(std::size_t at, std::span<const Item> rows);
  NodeStats stats(const Place& place, const std::vector<double>* parent) const;
  double loss(const std::vector<double>& classes) const;
  Tree write() const;

  const Tree& tree_;
  const Matrix& x_;
  const Target& target_;
  const ErrorBasedParams& params_;
  Pessimistic bound_;
  Interrupt& interrupt_;
  std::vector<Place> places_;
  std::vector<std::int32_t> branch_;  // by row at hand, while a node is divided
  std::vector<Item> spare_;
};

/// Sends rows down a branch, depth first and without recursion. enter(node, rows) comes before a node's children,
/// leave(node, rows) after them; if leave returns true the node has another test now and is walked once more.
template <class Enter, class Leave>
void Pruner::walk(std::size_t top, std::vector<Item> rows, Enter&& enter, Leave&& leave) {
  std::vector<Step> stack;
  const auto open = [&](std::size_t at, std::span<Item> part, std::vector<Item> own) {
    enter(at, part);
    if (places_[at].is_leaf()) return;
    Step step{at, part, std::move(own), {}, {}, 0};
    divide(step);
    stack.push_back(std::move(step));
  };
  const std::span<Item> all(rows);
  open(top, all, std::move(rows));
  while (!stack.empty()) {
    interrupt_.check();
    Step& step = stack.back();
    const std::vector<std::size_t>& children = places_[step.at].children;
    if (step.next_child < children.size()) {
      const std::size_t child = step.next_child++;
      auto [part, own] = part_of(step, child);
      open(children[child], part, std::move(own));  // may move the stack: step is not used after it
    } else if (leave(step.at, step.rows)) {
      divide(step);
      step.next_child = 0;
    } else {
      stack.pop_back();
    }
  }
}

/// Lays the rows of a node out child by child. Rows that the test cannot place go by the tree's rule; shares are
/// those of the rows here.
void Pruner::divide(Step& step) {
  const Place& place = places_[step.at];
  const std::size_t k = place.children.size(), n = step.rows.size();
  branch_.resize(std::max(branch_.size(), n));
  spare_.resize(std::max(spare_.size(), n));
  step.share.assign(k, 0.0);
  step.part_begin.assign(k + 2, 0);
  const NodeId source = place.source;
  const TestKind kind = tree_.tests.kind[source];
  const FeatureIndex feature = tree_.tests.feature[source];
  const double threshold = tree_.tests.threshold[source];
  for (std::size_t i = 0; i < n; ++i) {
    const Item& item = step.rows[i];
    if (kind != TestKind::expression && i + kAhead < n) prefetch(x_.address(step.rows[i + kAhead].row, feature));
    std::int32_t branch;
    if (kind == TestKind::threshold) {
      const double value = x_.at(item.row, feature);
      branch = std::isnan(value) ? kNoBranch : static_cast<std::int32_t>(!(value <= threshold));
    } else {
      branch = tree_.tests.answer(source, x_, item.row);
    }
    if (branch == kNoBranch && tree_.missing != MissingRule::fractional)
      branch = next_node(tree_, source, x_, item.row) - tree_.first_child[source];
    if (branch != kNoBranch) step.share[branch] += item.weight * scale_of(target_.codes[item.row]);
    branch_[i] = branch == kNoBranch ? static_cast<std::int32_t>(k) : branch;
    ++step.part_begin[branch_[i] + 1];
  }
  const double known = std::accumulate(step.share.begin(), step.share.end(), 0.0);
  for (double& share : step.share) share = known > 0.0 ? share / known : 1.0 / static_cast<double>(k);
  std::partial_sum(step.part_begin.begin(), step.part_begin.end(), step.part_begin.begin());
  std::vector<std::size_t> at(step.part_begin.begin(), step.part_begin.end() - 1);
  for (std::size_t i = 0; i < n; ++i) spare_[at[branch_[i]]++] = step.rows[i];
  std::copy(spare_.begin(), spare_.begin() + static_cast<std::ptrdiff_t>(n), step.rows.begin());
}

/// The rows of a child: in place, or with its share of the others in memory of its own.
std::pair<std::span<Item>, std::vector<Item>> Pruner::part_of(const Step& step, std::size_t child) const {
  const std::size_t begin = step.part_begin[child], n = step.part_begin[child + 1] - begin;
  const auto to_share = step.rows.subspan(step.part_begin[step.share.size()]);
  const auto part = step.rows.subspan(begin, n);
  if (to_share.empty() || !(step.share[child] > 0.0)) return {part, {}};
  std::vector<Item> own(part.begin(), part.end());
  own.reserve(n + to_share.size());
  for (const Item& item : to_share) own.push_back({item.row, item.weight * step.share[child]});
  const std::span<Item> rows(own);
  return {rows, std::move(own)};
}

/// Counts the rows of a node.
void Pruner::settle(std::size_t at, std::span<const Item> rows) {
  Place& place = places_[at];
  place.classes = count(rows);
  place.weight = std::accumulate(place.classes.begin(), place.classes.end(), 0.0);
  place.n_rows = static_cast<std::int64_t>(rows.size());
  if (place.is_leaf()) place.estimate = leaf_estimate(place.classes);
  for (const std::size_t child : place.children) places_[child].moved = places_[child].moved || place.moved;
}

/// Estimated errors of a branch if these rows went down it.
double Pruner::branch_estimate(std::size_t top, std::span<const Item> rows) {
  double estimate = 0.0;
  walk(
      top, std::vector<Item>(rows.begin(), rows.end()),
      [&](std::size_t at, std::span<const Item> here) {
        if (places_[at].is_leaf()) estimate += leaf_estimate(count(here));
      },
      [](std::size_t, std::span<const Item>) { return false; });
  return estimate;
}

/// Decides what becomes of a node whose children are done; true if its largest branch took its place.
bool Pruner::judge(std::size_t at, std::span<const Item> rows) {
  Place& place = places_[at];
  place.estimate = 0.0;
  for (const std::size_t child : place.children) place.estimate += places_[child].estimate;
  const double as_leaf = leaf_estimate(place.classes);
  std::size_t largest = place.children[0];
  for (const std::size_t child : place.children) {
    if (places_[child].weight >= places_[largest].weight - kSlack) largest = child;  // the last of equals
  }
  double as_branch = kInfinity;
  if (params_.raise_subtrees) as_branch = places_[largest].is_leaf() ? as_leaf : branch_estimate(largest, rows);
  if (as_leaf <= place.estimate + kWorth + kSlack && as_leaf <= as_branch + kWorth + kSlack) {
    place.children.clear();
    place.estimate = as_leaf;
    return false;
  }
  if (!(as_branch <= place.estimate + kWorth + kSlack)) return false;
  place.source = places_[largest].source;
  place.children = places_[largest].children;
  place.moved = true;
  for (const std::size_t child : place.children) places_[child].moved = true;
  return true;
}

double Pruner::loss(const std::vector<double>& classes) const {
  const double total = std::accumulate(classes.begin(), classes.end(), 0.0);
  if (!(total > 0.0)) return 0.0;
  return with_class_objective(*params_.criterion, {.n = tree_.n_classes}, [&](const auto& objective) {
    return std::max(0.0, objective.loss(classes.data(), total));
  });
}

NodeStats Pruner::stats(const Place& place, const std::vector<double>* parent) const {
  NodeStats stats;
  stats.value = place.weight > 0.0 || !parent ? place.classes : *parent;
  stats.weight = place.weight;
  stats.n_samples = place.n_rows;
  if (!(place.weight > 0.0)) return stats;
  stats.impurity = place.moved ? loss(place.classes) / place.weight : tree_.impurity(place.source);
  stats.risk = target_.least_cost(place.classes);
  return stats;
}

Tree Pruner::write() const {
  TreeBuilder builder(empty_like(tree_));
  std::vector<std::pair<std::size_t, NodeId>> queue = {{0, builder.add_root(stats(places_[0], nullptr))}};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [at, id] = queue[i];
    const Place& place = places_[at];
    if (place.is_leaf()) continue;
    const NodeId source = place.source;
    Division division{tree_.tests.get(source), tree_.gain[source], {}, tree_.default_branch[source]};
    for (std::int64_t s = tree_.surrogates.lists.begin(source); s < tree_.surrogates.lists.end(source); ++s)
      division.surrogates.push_back(tree_.surrogates.get(s));
    std::vector<NodeStats> children;
    double below = 0.0;
    for (std::size_t b = 0; b < place.children.size(); ++b) {
      const Place& child = places_[place.children[b]];
      children.push_back(stats(child, &place.classes));
      if (place.moved) below += loss(child.classes);
    }
    if (place.moved) division.gain = std::max(0.0, loss(place.classes) - below);
    const NodeId first = builder.divide(id, std::move(division), children);
    for (std::size_t b = 0; b < place.children.size(); ++b)
      queue.emplace_back(place.children[b], first + static_cast<NodeId>(b));
  }
  return std::move(builder).finish();
}

}  // namespace

Tree collapse_useless(const Tree& tree) {
  std::vector<double> below = of_nodes(tree, &Tree::risk);
  for (std::size_t node = tree.n_nodes(); node-- > 0;) {
    if (tree.is_leaf(static_cast<NodeId>(node))) continue;
    below[node] = 0.0;
    for (std::int32_t c = 0; c < tree.n_children[node]; ++c) below[node] += below[tree.first_child[node] + c];
  }
  std::vector<std::uint8_t> make_leaf(tree.n_nodes(), 0);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    make_leaf[node] = !tree.is_leaf(static_cast<NodeId>(node)) && below[node] >= tree.risk(node) - kLessErrors;
  }
  return collapse(tree, make_leaf);
}

Tree error_based(const Tree& tree, const Matrix& x, const Target& target, const ErrorBasedParams& params,
                 Interrupt& interrupt) {
  Tree pruned = Pruner(tree, x, target, params, interrupt).run();
  restore_order(pruned);
  return pruned;
}

}  // namespace spinney
