#include "spinney/prune/error_based.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/prune/pessimistic.hpp"
#include "spinney/tree/builder.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr double kLessErrors = 1e-3;  // that a branch must save to outlive the collapse
constexpr double kWorth = 0.1;        // estimated errors that a branch must save to outlive the pruning
constexpr double kSlack = 1e-6;

/// A row, or a share of it, by its own weight: class weights come in when classes are counted, so that sums of
/// whole numbers stay exact.
struct Item {
  RowIndex row;
  double weight;
};

/// A node of the tree in the making. Leaves hold the rows that reach them; the rows of an inner node are those of
/// the leaves below it.
struct Place {
  NodeId source;  // whose test it has
  std::vector<std::size_t> children;
  std::vector<double> classes;
  double weight = 0.0, estimate = 0.0;  // estimate: errors of the leaves below, or of the leaf
  std::int64_t n_rows = 0;
  bool moved = false;  // it has other rows than its source had
  std::vector<Item> rows;
  bool is_leaf() const { return children.empty(); }
};

class Pruner {
 public:
  Pruner(const Tree& tree, const Matrix& x, const Target& target, const ErrorBasedParams& params, Interrupt& interrupt)
      : tree_(tree),
        x_(x),
        target_(target),
        params_(params),
        bound_(params.cf),
        interrupt_(interrupt),
        sum_(x.n_rows, 0.0) {
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      Place place;
      place.source = static_cast<NodeId>(node);
      for (std::int32_t c = 0; c < tree.n_children[node]; ++c) place.children.push_back(tree.first_child[node] + c);
      places_.push_back(std::move(place));
    }
    std::vector<Item> everyone;
    for (std::size_t row = 0; row < x.n_rows; ++row) {
      if (target.weight[row] > 0.0) everyone.push_back({static_cast<RowIndex>(row), target.weight[row]});
    }
    settle(0, std::move(everyone), false);
  }

  Tree run() {
    prune();
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
  std::vector<double> count(const std::vector<Item>& rows) const {
    std::vector<double> classes(tree_.n_outputs(), 0.0);
    for (const Item& item : rows) classes[target_.codes[item.row]] += item.weight;
    for (std::size_t c = 0; c < classes.size(); ++c) classes[c] *= scale_of(static_cast<ClassCode>(c));
    return classes;
  }
  std::vector<std::vector<Item>> distribute(const Place& place, const std::vector<Item>& rows) const;
  void settle(std::size_t top, std::vector<Item> rows, bool moved);
  std::vector<Item> gather(std::size_t top);
  double branch_estimate(std::size_t top, std::vector<Item> rows) const;
  void prune();
  bool judge(std::size_t at);
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
  std::vector<double> sum_;  // by row, while shares are put together
};

/// The rows of each child. Rows that the test cannot place go by the tree's rule; shares are those of the rows here.
std::vector<std::vector<Item>> Pruner::distribute(const Place& place, const std::vector<Item>& rows) const {
  const NodeId node = place.source;
  const FeatureIndex feature = tree_.tests.feature[node];
  std::vector<std::vector<Item>> parts(place.children.size());
  std::vector<double> share(parts.size(), 0.0);
  std::vector<Item> unplaced;
  for (auto& part : parts) part.reserve(parts.size() == 2 ? rows.size() : 0);
  for (const Item& item : rows) {
    std::int32_t branch = tree_.tests.answer(node, x_.at(item.row, feature));
    if (branch == kNoBranch && tree_.missing != MissingRule::fractional)
      branch = next_node(tree_, node, x_, item.row) - tree_.first_child[node];
    if (branch == kNoBranch) {
      unplaced.push_back(item);
    } else {
      parts[branch].push_back(item);
      share[branch] += item.weight * scale_of(target_.codes[item.row]);
    }
  }
  if (unplaced.empty()) return parts;
  const double known = std::accumulate(share.begin(), share.end(), 0.0);
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const double part = known > 0.0 ? share[b] / known : 1.0 / static_cast<double>(parts.size());
    if (!(part > 0.0)) continue;
    for (const Item& item : unplaced) parts[b].push_back({item.row, item.weight * part});
  }
  return parts;
}

/// Sends rows down from a node and counts them on the way; estimates are brought up to date.
void Pruner::settle(std::size_t top, std::vector<Item> rows, bool moved) {
  std::vector<std::pair<std::size_t, std::vector<Item>>> stack;
  std::vector<std::size_t> order;
  stack.emplace_back(top, std::move(rows));
  while (!stack.empty()) {
    interrupt_.check();
    auto [at, here] = std::move(stack.back());
    stack.pop_back();
    order.push_back(at);
    Place& place = places_[at];
    place.classes = count(here);
    place.weight = std::accumulate(place.classes.begin(), place.classes.end(), 0.0);
    place.n_rows = static_cast<std::int64_t>(here.size());
    place.moved = place.moved || moved;
    if (place.is_leaf()) {
      place.estimate = leaf_estimate(place.classes);
      place.rows = std::move(here);
      continue;
    }
    auto parts = distribute(place, here);
    for (std::size_t b = 0; b < parts.size(); ++b) stack.emplace_back(place.children[b], std::move(parts[b]));
  }
  for (std::size_t i = order.size(); i-- > 0;) {  // children were visited after their parents
    Place& place = places_[order[i]];
    if (place.is_leaf()) continue;
    place.estimate = 0.0;
    for (const std::size_t child : place.children) place.estimate += places_[child].estimate;
  }
}

/// The rows of a node: those of its leaves, shares of one row put together again.
std::vector<Item> Pruner::gather(std::size_t top) {
  std::vector<Item> rows;
  std::vector<std::size_t> stack = {top};
  while (!stack.empty()) {
    const Place& place = places_[stack.back()];
    stack.pop_back();
    stack.insert(stack.end(), place.children.begin(), place.children.end());
    for (const Item& item : place.rows) {
      if (sum_[item.row] == 0.0) rows.push_back({item.row, 0.0});
      sum_[item.row] += item.weight;
    }
  }
  if (rows.size() > sum_.size() / 16) {  // in the order of the table they are faster to read from then on
    rows.clear();
    for (std::size_t row = 0; row < sum_.size(); ++row) {
      if (sum_[row] > 0.0) rows.push_back({static_cast<RowIndex>(row), 0.0});
    }
  }
  for (Item& item : rows) item.weight = std::exchange(sum_[item.row], 0.0);
  return rows;
}

/// Estimated errors of a branch if other rows went down it.
double Pruner::branch_estimate(std::size_t top, std::vector<Item> rows) const {
  double estimate = 0.0;
  std::vector<std::pair<std::size_t, std::vector<Item>>> stack;
  stack.emplace_back(top, std::move(rows));
  while (!stack.empty()) {
    interrupt_.check();
    auto [at, here] = std::move(stack.back());
    stack.pop_back();
    const Place& place = places_[at];
    if (place.is_leaf()) {
      estimate += leaf_estimate(count(here));
      continue;
    }
    auto parts = distribute(place, here);
    for (std::size_t b = 0; b < parts.size(); ++b) {
      if (!parts[b].empty()) stack.emplace_back(place.children[b], std::move(parts[b]));
    }
  }
  return estimate;
}

/// Bottom-up, without recursion. A node whose largest branch took its place is pruned once more from below.
void Pruner::prune() {
  std::vector<std::pair<std::size_t, std::size_t>> stack = {{0, 0}};  // (node, children done)
  while (!stack.empty()) {
    auto& [at, done] = stack.back();
    const Place& place = places_[at];
    if (done < place.children.size()) {
      const std::size_t child = place.children[done++];
      stack.emplace_back(child, 0);
    } else if (!place.is_leaf() && judge(at)) {
      done = 0;
    } else {
      stack.pop_back();
    }
  }
}

/// Decides what becomes of a node whose children are done; true if its largest branch took its place.
bool Pruner::judge(std::size_t at) {
  interrupt_.check();
  Place& place = places_[at];
  place.estimate = 0.0;
  for (const std::size_t child : place.children) place.estimate += places_[child].estimate;
  const double as_leaf = leaf_estimate(place.classes);
  std::size_t largest = place.children[0];
  for (const std::size_t child : place.children) {
    if (places_[child].weight >= places_[largest].weight - kSlack) largest = child;  // the last of equals
  }
  double as_branch = kInfinity;
  std::vector<Item> rows;
  if (params_.raise_subtrees && places_[largest].is_leaf()) {
    as_branch = as_leaf;
  } else if (params_.raise_subtrees) {
    rows = gather(at);
    as_branch = branch_estimate(largest, rows);
  }
  if (as_leaf <= place.estimate + kWorth + kSlack && as_leaf <= as_branch + kWorth + kSlack) {
    place.rows = rows.empty() ? gather(at) : std::move(rows);
    place.children.clear();
    place.estimate = as_leaf;
    return false;
  }
  if (!(as_branch <= place.estimate + kWorth + kSlack)) return false;
  place.source = places_[largest].source;
  place.children = places_[largest].children;
  settle(at, std::move(rows), true);
  return true;
}

double Pruner::loss(const std::vector<double>& classes) const {
  const double total = std::accumulate(classes.begin(), classes.end(), 0.0);
  if (!(total > 0.0)) return 0.0;
  return with_class_criterion(*params_.criterion, [&](const auto& criterion) {
    return std::max(0.0, criterion.loss(classes.data(), total, tree_.n_classes));
  });
}

NodeStats Pruner::stats(const Place& place, const std::vector<double>* parent) const {
  NodeStats stats;
  stats.value = place.weight > 0.0 || !parent ? place.classes : *parent;
  stats.weight = place.weight;
  stats.n_samples = place.n_rows;
  if (!(place.weight > 0.0)) return stats;
  stats.impurity = place.moved ? loss(place.classes) / place.weight : tree_.impurity[place.source];
  stats.risk = target_.least_cost(place.classes);
  return stats;
}

Tree Pruner::write() const {
  Tree empty;
  empty.n_features = tree_.n_features;
  empty.n_classes = tree_.n_classes;
  empty.missing = tree_.missing;
  empty.cost = tree_.cost;
  TreeBuilder builder(std::move(empty));
  std::vector<std::pair<std::size_t, NodeId>> queue = {{0, builder.add_root(stats(places_[0], nullptr))}};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [at, id] = queue[i];
    const Place& place = places_[at];
    if (place.is_leaf()) continue;
    const NodeId source = place.source;
    Division division{tree_.tests.get(source), tree_.gain[source], {}, tree_.default_branch[source]};
    for (std::int64_t s = tree_.surrogates.begin[source]; s < tree_.surrogates.begin[source + 1]; ++s)
      division.surrogates.push_back(tree_.surrogates.get(s));
    std::vector<NodeStats> children;
    double below = 0.0;
    for (std::size_t b = 0; b < place.children.size(); ++b) {
      const Place& child = places_[place.children[b]];
      children.push_back(stats(child, &place.classes));
      if (place.moved) below += loss(child.classes);
      if (place.moved && child.weight > places_[place.children[division.default_branch]].weight)
        division.default_branch = static_cast<std::int32_t>(b);
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
  std::vector<double> below = tree.risk;
  for (std::size_t node = tree.n_nodes(); node-- > 0;) {
    if (tree.is_leaf(static_cast<NodeId>(node))) continue;
    below[node] = 0.0;
    for (std::int32_t c = 0; c < tree.n_children[node]; ++c) below[node] += below[tree.first_child[node] + c];
  }
  std::vector<std::uint8_t> make_leaf(tree.n_nodes(), 0);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    make_leaf[node] = !tree.is_leaf(static_cast<NodeId>(node)) && below[node] >= tree.risk[node] - kLessErrors;
  }
  return collapse(tree, make_leaf);
}

Tree error_based(const Tree& tree, const Matrix& x, const Target& target, const ErrorBasedParams& params,
                 Interrupt& interrupt) {
  return Pruner(tree, x, target, params, interrupt).run();
}

}  // namespace spinney
