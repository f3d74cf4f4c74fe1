#include "spinney/grow/grow.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "spinney/grow/early_stop.hpp"
#include "spinney/grow/frontier.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr std::size_t kParallelWork = 1 << 15;  // entries to scan before threads are woken
constexpr double kNoGain = 1e-14;               // a drop this small, relative to the node's loss, is rounding

Tree empty_tree(const GrowInput& input) {
  Tree tree;
  tree.n_features = static_cast<std::int32_t>(input.data.columns.size());
  tree.n_classes = input.target.n_classes;
  tree.missing = input.params.missing;
  tree.cost = input.target.cost;
  return tree;
}

class Grower {
 public:
  Grower(GrowInput input, ThreadTeam& team, Interrupt& interrupt)
      : data_(input.data),
        target_(input.target),
        params_(input.params),
        samples_(std::move(input.samples)),
        team_(team),
        interrupt_(interrupt),
        scan_(make_scan(params_.criterion, samples_)),
        store_(data_, samples_, team.size()),
        summarizer_(target_, samples_, params_.criterion),
        builder_(input.start ? TreeBuilder::from(*input.start) : TreeBuilder(empty_tree(input))),
        stop_(target_, input.validation),
        frontier_(params_.max_leaf_nodes > 0 || stop_.active()) {
    for (SampleIndex s = 0; s < samples_.size(); ++s) total_weight_ += samples_.split_weight_of(s);
    if (input.start) {
      open_leaves(std::move(input.sorted), *input.start);
    } else {
      open_root(std::move(input.sorted));
    }
  }

  Tree run() {
    while (!frontier_.empty() && !leaf_limit() && !stop_.should_stop()) {
      interrupt_.check();
      divide(frontier_.pop());
    }
    return stop_.best(std::move(builder_).finish());
  }

 private:
  bool leaf_limit() const { return params_.max_leaf_nodes > 0 && n_leaves_ >= params_.max_leaf_nodes; }
  bool may_divide(const Summary& summary, std::int64_t depth) const {
    const std::int64_t n = summary.stats.n_samples;
    return !summary.pure && n >= params_.min_samples_split && n >= 2 * params_.min_samples_leaf &&
           depth < params_.max_depth;
  }
  Limits limits() const {
    const auto rows = static_cast<std::size_t>(params_.min_samples_leaf);
    const double weight = params_.min_weight_fraction_leaf * total_weight_;
    return samples_.is_unit() ? Limits::of_rows(rows, weight, samples_.unit_weight) : Limits{rows, weight};
  }
  void open_root(SortedColumns sorted);
  void open_leaves(SortedColumns sorted, const Tree& start);
  void open(OpenNode node);
  Split search(OpenNode& node);
  Split best_of(OpenNode& node, std::span<const FeatureIndex> features, bool any);
  Split best_of_drawn(OpenNode& node);
  void divide(OpenNode node);
  std::vector<Surrogate> find_surrogates(const OpenNode& node, const Sides& sides);
  std::array<std::vector<RowIndex>, 2> divide_validation(const OpenNode& node, const Fork& fork,
                                                         std::span<const Summary> children);

  template <class Task>
  void for_features(std::size_t n_rows, std::size_t n_features, const Task& task) {
    if (team_.size() > 1 && n_rows * n_features >= kParallelWork) {
      team_.run(n_features, task);
    } else {
      for (std::size_t i = 0; i < n_features; ++i) task(i, 0);
    }
  }

  const Dataset& data_;
  const Target& target_;
  const GrowParams& params_;
  Samples samples_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  std::unique_ptr<Scan> scan_;
  SortedStore store_;
  Summarizer summarizer_;
  TreeBuilder builder_;
  EarlyStop stop_;
  Frontier frontier_;
  double total_weight_ = 0.0;
  std::int64_t n_leaves_ = 0;
  std::vector<FeatureResult> results_;
  std::vector<std::optional<Surrogate>> candidates_;
  std::array<std::vector<SampleIndex>, 2> members_;
};

void Grower::open_root(SortedColumns sorted) {
  std::vector<SampleIndex> everyone(samples_.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  const Summary summary = summarizer_.summarize(everyone);
  OpenNode root;
  root.id = builder_.add_root(summary.stats);
  root.rows = {std::make_shared<SortedColumns>(std::move(sorted)), 0, samples_.size()};
  root.features.resize(data_.columns.size());
  std::iota(root.features.begin(), root.features.end(), FeatureIndex{0});
  root.totals = summary.totals;
  root.value = summary.stats.value;
  root.validation = stop_.rows_at(nullptr, 0, data_.values);
  n_leaves_ = 1;
  if (may_divide(summary, 0)) open(std::move(root));
}

/// Sorts the rows into the leaves of the given tree, in a stable way, and opens the leaves that got any.
void Grower::open_leaves(SortedColumns sorted, const Tree& start) {
  std::vector<NodeId> leaf_of(samples_.size(), 0);
  std::vector<std::vector<SampleIndex>> members(start.n_nodes());
  for (SampleIndex s = 0; s < samples_.size(); ++s) {
    while (!start.is_leaf(leaf_of[s])) leaf_of[s] = next_node(start, leaf_of[s], data_.values, samples_.row[s]);
    members[leaf_of[s]].push_back(s);
  }
  std::vector<std::size_t> begin(start.n_nodes() + 1, 0);
  for (std::size_t node = 0; node < start.n_nodes(); ++node) begin[node + 1] = begin[node] + members[node].size();
  std::vector<Entry> spare(samples_.size());
  for (std::size_t f = 0; f < sorted.n_columns(); ++f) {
    std::vector<std::size_t> at = begin;
    Entry* column = sorted.column(f);
    for (std::size_t i = 0; i < samples_.size(); ++i) spare[at[leaf_of[column[i].sample]]++] = column[i];
    std::copy(spare.begin(), spare.end(), column);
  }
  const auto block = std::make_shared<SortedColumns>(std::move(sorted));
  std::vector<std::int64_t> depth(start.n_nodes(), 0);
  for (std::size_t node = 0; node < start.n_nodes(); ++node) {
    if (node > 0) depth[node] = depth[start.parent[node]] + 1;
    if (!start.is_leaf(static_cast<NodeId>(node))) continue;
    ++n_leaves_;
    if (members[node].empty()) continue;
    const Summary summary = summarizer_.summarize(members[node]);
    if (!may_divide(summary, depth[node])) continue;
    OpenNode leaf;
    leaf.id = static_cast<NodeId>(node);
    leaf.depth = depth[node];
    leaf.rows = {block, begin[node], begin[node + 1]};
    leaf.features.resize(data_.columns.size());
    std::iota(leaf.features.begin(), leaf.features.end(), FeatureIndex{0});
    leaf.totals = summary.totals;
    leaf.value.assign(start.values(leaf.id), start.values(leaf.id) + start.n_outputs());
    leaf.validation = stop_.rows_at(&start, leaf.id, data_.values);
    open(std::move(leaf));
  }
}

/// Searches a leaf and, if it can be divided, puts it in the queue.
void Grower::open(OpenNode node) {
  node.split = search(node);
  if (node.split.found()) frontier_.push(std::move(node));
}

Split Grower::search(OpenNode& node) {
  const bool draw = params_.max_features > 0 && params_.max_features < static_cast<std::int64_t>(data_.columns.size());
  Split best = draw ? best_of_drawn(node) : best_of(node, std::vector<FeatureIndex>(node.features), false);
  if (!best.found()) return best;
  const double decrease = best.drop * summarizer_.loss_unit() / total_weight_;
  if (params_.min_impurity_decrease > 0.0 && !(decrease >= params_.min_impurity_decrease)) return {};
  store_.complete(node.rows, best);
  return best;
}

/// The best test over some features, the first of equals; without any gain, the first test there is. Features
/// found constant are struck off the node's list.
Split Grower::best_of(OpenNode& node, std::span<const FeatureIndex> features, bool any) {
  const Limits limits = this->limits();
  results_.assign(features.size(), {});
  for_features(node.rows.size(), features.size(), [&](std::size_t i, std::size_t worker) {
    interrupt_.check();
    results_[i] = store_.search(node.rows, features[i], *scan_, node.totals, limits, any, worker);
  });
  std::size_t best = features.size();
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (results_[i].constant) std::erase(node.features, features[i]);
    if (!results_[i].split.found()) continue;
    if (best == features.size() || results_[i].split.drop > results_[best].split.drop) best = i;
  }
  if (best == features.size()) return {};
  const double drop = results_[best].split.drop, rounding = kNoGain * node.totals.loss;
  if (any || drop > rounding) return std::move(results_[best].split);
  return drop < -rounding ? Split{} : best_of(node, features, true);
}

/// Features drawn without replacement until max_features were tried and one of them can divide the node.
Split Grower::best_of_drawn(OpenNode& node) {
  RandomStream random(params_.seed, static_cast<std::uint64_t>(node.id));
  std::vector<FeatureIndex> drawn = node.features;
  std::size_t n_tried = 0;
  Split best;
  while (!best.found() && n_tried < drawn.size()) {
    const std::size_t wanted = n_tried == 0 ? static_cast<std::size_t>(params_.max_features) : 1;
    const std::size_t end = std::min(drawn.size(), n_tried + wanted);
    for (std::size_t i = n_tried; i < end; ++i) std::swap(drawn[i], drawn[i + random.below(drawn.size() - i)]);
    std::sort(drawn.begin() + static_cast<std::ptrdiff_t>(n_tried), drawn.begin() + static_cast<std::ptrdiff_t>(end));
    best = best_of(node, std::span(drawn).subspan(n_tried, end - n_tried), false);
    n_tried = end;
  }
  return best;
}

void Grower::divide(OpenNode node) {
  const FeatureIndex feature = node.split.test.feature;
  const Sides sides = store_.mark(node.rows, node.split);
  std::vector<Surrogate> surrogates = find_surrogates(node, sides);
  const std::int32_t larger = sides.right > sides.left ? 1 : 0;
  const Fork fork(node.split.test, surrogates, larger);
  if (params_.missing == MissingRule::fractional) {
    store_.share_unknown(node.rows, feature, sides.left / (sides.left + sides.right));
  } else {
    store_.place_unknown(node.rows, feature, fork);
  }
  std::array<Summary, 2> children;
  std::array<bool, 2> goes_on;
  for (std::size_t b = 0; b < 2; ++b) {
    store_.list(node.rows, feature, static_cast<Side>(b), members_[b]);
    children[b] = summarizer_.summarize(members_[b]);
    goes_on[b] = may_divide(children[b], node.depth + 1);
  }
  auto validation = divide_validation(node, fork, children);
  auto [left, right] = store_.divide(node.rows, node.features, members_[0].size(), members_[1].size(), goes_on[0],
                                     goes_on[1], team_);
  const double gain = node.split.drop * summarizer_.loss_unit();
  const NodeId first = builder_.divide(node.id, {std::move(node.split.test), gain, std::move(surrogates), larger},
                                       std::array<NodeStats, 2>{children[0].stats, children[1].stats});
  ++n_leaves_;
  for (const std::int32_t b : {1, 0}) {  // the left child is on top of the stack
    if (!goes_on[b]) continue;
    OpenNode child;
    child.id = first + b;
    child.depth = node.depth + 1;
    child.rows = b == 0 ? std::move(left) : std::move(right);
    child.features = node.features;
    child.totals = std::move(children[b].totals);
    child.value = std::move(children[b].stats.value);
    child.validation = std::move(validation[b]);
    open(std::move(child));
  }
}

std::vector<Surrogate> Grower::find_surrogates(const OpenNode& node, const Sides& sides) {
  std::vector<Surrogate> found;
  if (params_.missing != MissingRule::surrogate || params_.max_surrogates == 0) return found;
  candidates_.assign(node.features.size(), std::nullopt);
  for_features(node.rows.size(), node.features.size(), [&](std::size_t i, std::size_t worker) {
    if (node.features[i] == node.split.test.feature) return;
    candidates_[i] = store_.surrogate(node.rows, node.features[i], sides, worker);
  });
  for (auto& candidate : candidates_) {
    if (candidate) found.push_back(std::move(*candidate));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Surrogate& a, const Surrogate& b) { return a.agreement > b.agreement; });
  if (found.size() > static_cast<std::size_t>(params_.max_surrogates)) found.resize(params_.max_surrogates);
  return found;
}

/// Sends the rows set aside on, and tells by how much their error fell.
std::array<std::vector<RowIndex>, 2> Grower::divide_validation(const OpenNode& node, const Fork& fork,
                                                               std::span<const Summary> children) {
  std::array<std::vector<RowIndex>, 2> rows;
  if (!stop_.active()) return rows;
  for (const RowIndex row : node.validation) rows[fork.branch(data_.values, row)].push_back(row);
  double after = 0.0;
  for (std::size_t b = 0; b < 2; ++b) after += stop_.error(rows[b], children[b].stats.value);
  stop_.divided(node.id, stop_.error(node.validation, node.value) - after);
  return rows;
}

}  // namespace

Tree grow(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  return Grower(std::move(input), team, interrupt).run();
}

}  // namespace spinney
