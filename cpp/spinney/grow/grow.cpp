#include "spinney/grow/grow.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "spinney/grow/binned_store.hpp"
#include "spinney/grow/early_stop.hpp"
#include "spinney/grow/frontier.hpp"
#include "spinney/grow/multiway.hpp"
#include "spinney/grow/sorted_store.hpp"
#include "spinney/random.hpp"
#include "spinney/splits/oblique.hpp"
#include "spinney/tolerance.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr std::uint64_t kBestStream = 0xa0761d6478bd642fULL;  // apart from the stream that draws features
constexpr std::uint64_t kObliqueStream = 0xe7037ed1a0b428dbULL;
constexpr std::size_t kParallelWork = 1 << 15;  // entries to scan before threads are woken
constexpr std::size_t kSmallNode = 1 << 12;     // rows that are searched before anybody can wait for it

/// A column that a test asks.
FeatureIndex column_of(const Test& test) {
  return test.kind == TestKind::expression ? test.tokens.front().arg : test.feature;
}

std::unique_ptr<RowStore> make_store(GrowInput& input, Samples& samples, ThreadTeam& team, Interrupt& interrupt) {
  if (input.params.max_bins == 0) {
    return std::make_unique<SortedStore>(input.data, samples, std::move(input.sorted), team.size(), interrupt);
  }
  return std::make_unique<BinnedStore>(input.data, samples, static_cast<std::size_t>(input.params.max_bins), team,
                                       interrupt);
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
        store_(make_store(input, samples_, team, interrupt)),
        summarizer_(target_, samples_, params_.criterion),
        builder_(input.start ? TreeBuilder::from(*input.start)
                             : TreeBuilder(empty_tree(data_, target_, params_.criterion, params_.missing))),
        stop_(target_, params_.criterion, input.validation),
        frontier_(params_.max_leaf_nodes > 0 || stop_.active()),
        scratch_(interrupt) {
    for (SampleIndex s = 0; s < samples_.size(); ++s) total_weight_ += samples_.split_weight_of(s);
    if (input.start) {
      open_leaves(*input.start);
    } else {
      open_root(input.blocks);
    }
  }

  Tree run() {
    while (!frontier_.empty() && !leaf_limit() && !stop_.should_stop()) {
      OpenNode node = frontier_.pop();
      if (node.rows.size() > kSmallNode || ++n_small_ % 32 == 0) interrupt_.check();
      divide(std::move(node));
    }
    return stop_.best(std::move(builder_).finish());
  }

 private:
  /// Whether nodes see some of the columns only.
  bool draws() const {
    return params_.max_features > 0 && params_.max_features < static_cast<std::int64_t>(data_.columns.size());
  }
  bool leaf_limit() const { return params_.max_leaf_nodes > 0 && n_leaves_ >= params_.max_leaf_nodes; }
  bool may_divide(const Summary& summary, std::int64_t depth) const {
    const std::int64_t n = summary.stats.n_samples;
    return !summary.pure && n >= params_.min_samples_split && n / 2 >= params_.min_samples_leaf &&
           depth < params_.max_depth;
  }
  Limits limits() const {
    const auto rows = static_cast<std::size_t>(params_.min_samples_leaf);
    const double weight = params_.min_weight_fraction_leaf * total_weight_;
    return samples_.is_unit() ? Limits::of_rows(rows, weight, samples_.unit_weight) : Limits{rows, weight};
  }
  void open_root(const BlockCodes* blocks);
  void open_leaves(const Tree& start);
  void open_leaf(NodeId id, std::int64_t depth, NodeRows rows, const Summary& summary,
                 std::vector<RowIndex> validation);
  void open(OpenNode node);
  Split search(OpenNode& node);
  Split best_of(OpenNode& node, std::span<const FeatureIndex> features);
  Split best_of_drawn(OpenNode& node);
  Split best_linear(const OpenNode& node, const Split& axis, std::span<const FeatureIndex> features);
  void strike_constants(OpenNode& node, std::span<const FeatureIndex> features) const;
  std::size_t one_of_the_best(NodeId node) const;
  void divide(OpenNode node);
  std::array<Summary, 2> summarize_children(const OpenNode& node, std::array<std::size_t, 2>& n_rows);
  std::vector<Surrogate> find_surrogates(const OpenNode& node, const Sides& sides);
  std::array<std::vector<RowIndex>, 2> divide_validation(const OpenNode& node, const Fork& fork,
                                                         std::span<const Summary> children);

  template <class Task>
  void for_features(std::size_t n_rows, std::size_t n_features, const Task& task) {
    team_.run_if(n_rows * n_features >= kParallelWork, n_features, task);
  }

  const Dataset& data_;
  const Target& target_;
  const GrowParams& params_;
  Samples samples_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  std::unique_ptr<Scan> scan_;
  std::unique_ptr<RowStore> store_;
  Summarizer summarizer_;
  TreeBuilder builder_;
  EarlyStop stop_;
  Frontier frontier_;
  double total_weight_ = 0.0;
  std::int64_t n_leaves_ = 0;
  std::vector<FeatureResult> results_;
  std::vector<std::optional<Surrogate>> candidates_;
  std::vector<SampleIndex> members_;
  std::vector<FeatureIndex> drawn_;
  std::size_t n_tried_ = 0;  // of those
  Scratch scratch_;
  std::size_t n_small_ = 0;  // nodes divided without asking whether to stop
};

void Grower::open_root(const BlockCodes* blocks) {
  const std::vector<NodeId> leaf(samples_.size(), 0);
  std::vector<SampleIndex> everyone(samples_.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  const Summary summary = summarizer_.summarize(everyone);
  n_leaves_ = 1;
  NodeRows rows = std::move(store_->start(leaf, 1)[0]);
  if (blocks && blocks->n_samples == samples_.size() && scan_->blocks() && !summary.pure) {
    const bool best_only = !draws() && params_.features.empty() && params_.n_best_splits == 1;
    store_->foresee(*blocks, rows, {*scan_, summary.totals, limits(), best_only});
  }
  open_leaf(builder_.add_root(summary.stats), 0, std::move(rows), summary, stop_.rows_at(nullptr, 0, data_.values));
}

/// Sorts the rows into the leaves of the given tree and opens the leaves that got any. Leaves keep what they know.
void Grower::open_leaves(const Tree& start) {
  std::vector<NodeId> leaf_of(samples_.size(), 0);
  std::vector<std::vector<SampleIndex>> members(start.n_nodes());
  for (SampleIndex s = 0; s < samples_.size(); ++s) {
    while (!start.is_leaf(leaf_of[s])) leaf_of[s] = next_node(start, leaf_of[s], data_.values, samples_.row[s]);
    members[leaf_of[s]].push_back(s);
  }
  std::vector<NodeRows> rows = store_->start(leaf_of, start.n_nodes());
  std::vector<std::int64_t> depth(start.n_nodes(), 0);
  for (std::size_t node = 0; node < start.n_nodes(); ++node) {
    const auto id = static_cast<NodeId>(node);
    if (node > 0) depth[node] = depth[start.parent[node]] + 1;
    if (!start.is_leaf(id)) continue;
    ++n_leaves_;
    if (members[node].empty()) continue;
    Summary summary = summarizer_.summarize(members[node]);
    summary.stats.value.assign(start.values(id), start.values(id) + start.n_outputs());
    open_leaf(id, depth[node], std::move(rows[node]), summary, stop_.rows_at(&start, id, data_.values));
  }
}

void Grower::open_leaf(NodeId id, std::int64_t depth, NodeRows rows, const Summary& summary,
                       std::vector<RowIndex> validation) {
  if (!may_divide(summary, depth)) return;
  OpenNode leaf{
      id, depth, std::move(rows), {}, summary.totals, summary.stats.value, summary.units, {}, std::move(validation)};
  std::vector<FeatureIndex> features = params_.features;
  if (features.empty()) {
    features.resize(data_.columns.size());
    std::iota(features.begin(), features.end(), FeatureIndex{0});
  }
  leaf.features = std::make_shared<const std::vector<FeatureIndex>>(std::move(features));
  open(std::move(leaf));
}

/// Searches a leaf and, if it can be divided, puts it in the queue.
void Grower::open(OpenNode node) {
  node.split = search(node);
  if (node.split.found()) frontier_.push(std::move(node));
}

Split Grower::search(OpenNode& node) {
  const auto features = node.features;
  Split best = draws() ? best_of_drawn(node) : best_of(node, *features);
  if (!best.found()) return best;
  if (params_.oblique) {
    Split linear = best_linear(node, best, draws() ? std::span<const FeatureIndex>(drawn_).first(n_tried_) : *features);
    if (linear.found()) best = std::move(linear);
  }
  const double least = params_.min_impurity_decrease * (1.0 - tolerance::kSum);
  if (least > 0.0 && !(best.drop / total_weight_ >= least)) return {};
  store_->complete(node.rows, best);
  return best;
}

/// The best linear test of some features, if it is better than the best of one.
Split Grower::best_linear(const OpenNode& node, const Split& axis, std::span<const FeatureIndex> features) {
  members_.clear();
  for (const Entry& entry : node.rows.column(features.front())) members_.push_back(entry.sample);
  std::sort(members_.begin(), members_.end());
  RandomStream random(params_.seed ^ kObliqueStream, static_cast<std::uint64_t>(node.id));
  return best_oblique({data_, samples_, *scan_, node.totals, limits(), members_, features}, axis, random, scratch_);
}

/// The best test over some features, the first of equals, also if it gains nothing. Features found constant are
/// struck off the node's list.
Split Grower::best_of(OpenNode& node, std::span<const FeatureIndex> features) {
  const Limits limits = this->limits();
  results_.assign(features.size(), {});
  for_features(node.rows.size(), features.size(), [&](std::size_t i, std::size_t worker) {
    if (node.rows.size() > kSmallNode) interrupt_.check();
    results_[i] = store_->search(node.rows, {features[i], *scan_, node.totals, limits}, worker);
  });
  std::size_t best = features.size();
  bool some_constant = false;
  const double slack = node.totals.slack();
  for (std::size_t i = 0; i < features.size(); ++i) {
    some_constant = some_constant || results_[i].constant;
    if (!results_[i].split.found()) continue;
    if (best == features.size() || results_[i].split.drop > results_[best].split.drop + slack) best = i;
  }
  if (some_constant) strike_constants(node, features);
  if (best == features.size() || results_[best].split.drop < -slack) return {};
  return std::move(results_[params_.n_best_splits > 1 ? one_of_the_best(node.id) : best].split);
}

void Grower::strike_constants(OpenNode& node, std::span<const FeatureIndex> features) const {
  std::vector<FeatureIndex> kept = *node.features;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (results_[i].constant) std::erase(kept, features[i]);
  }
  node.features = std::make_shared<const std::vector<FeatureIndex>>(std::move(kept));
}

/// The place of one of the n_best_splits best results, each as likely; the first of equals come first.
std::size_t Grower::one_of_the_best(NodeId node) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].split.found() && results_[i].split.drop >= 0.0) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](std::size_t a, std::size_t b) { return results_[a].split.drop > results_[b].split.drop; });
  const std::size_t n = std::min(found.size(), static_cast<std::size_t>(params_.n_best_splits));
  return found[RandomStream(params_.seed ^ kBestStream, static_cast<std::uint64_t>(node)).below(n)];
}

/// Features drawn without replacement until max_features were tried and one of them can divide the node.
Split Grower::best_of_drawn(OpenNode& node) {
  RandomStream random(params_.seed, static_cast<std::uint64_t>(node.id));
  std::vector<FeatureIndex>& drawn = drawn_;
  drawn = *node.features;
  n_tried_ = 0;
  Split best;
  while (!best.found() && n_tried_ < drawn.size()) {
    const std::size_t wanted = n_tried_ == 0 ? static_cast<std::size_t>(params_.max_features) : 1;
    const std::size_t end = std::min(drawn.size(), n_tried_ + wanted);
    for (std::size_t i = n_tried_; i < end; ++i) std::swap(drawn[i], drawn[i + random.below(drawn.size() - i)]);
    std::sort(drawn.begin() + static_cast<std::ptrdiff_t>(n_tried_), drawn.begin() + static_cast<std::ptrdiff_t>(end));
    best = best_of(node, std::span(drawn).subspan(n_tried_, end - n_tried_));
    n_tried_ = end;
  }
  return best;
}

void Grower::divide(OpenNode node) {
  const FeatureIndex feature = column_of(node.split.test);
  const Sides sides = store_->mark(node.rows, node.split, node.features->size() == 1);
  std::vector<Surrogate> surrogates = find_surrogates(node, sides);
  const std::int32_t larger = sides.right > sides.left ? 1 : 0;
  const auto fork = [&] { return Fork(node.split.test, surrogates, larger); };
  if (params_.missing == MissingRule::fractional) {
    store_->share_unknown(sides.left / (sides.left + sides.right));
  } else if (!sides.complete) {
    store_->place_unknown(node.rows, feature, fork());
  }
  std::array<std::size_t, 2> n_rows{};
  std::array<Summary, 2> children = summarize_children(node, n_rows);
  const std::array<bool, 2> goes_on = {may_divide(children[0], node.depth + 1),
                                       may_divide(children[1], node.depth + 1)};
  std::array<std::vector<RowIndex>, 2> validation;
  if (stop_.active()) validation = divide_validation(node, fork(), children);
  auto [left, right] = store_->divide(node.rows, {n_rows[0], n_rows[1], goes_on[0], goes_on[1], *node.features}, team_);
  const NodeId first =
      builder_.divide(node.id, {std::move(node.split.test), node.split.drop, std::move(surrogates), larger},
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
    child.units = std::move(children[b].units);
    child.validation = std::move(validation[b]);
    open(std::move(child));
  }
}

/// Looks at the rows of the smaller child only, where that says enough of the other.
std::array<Summary, 2> Grower::summarize_children(const OpenNode& node, std::array<std::size_t, 2>& n_rows) {
  const FeatureIndex feature = column_of(node.split.test);
  std::array<Summary, 2> children;
  if (summarizer_.subtracts()) {
    n_rows[0] = store_->count_left(node.rows, feature);
    n_rows[1] = node.rows.size() - n_rows[0];
    const std::size_t small = n_rows[0] <= n_rows[1] ? 0 : 1;
    store_->list(node.rows, feature, static_cast<Side>(small), members_);
    children[small] = summarizer_.summarize(members_);
    children[1 - small] = summarizer_.rest(node.units, children[small], static_cast<std::int64_t>(n_rows[1 - small]));
    return children;
  }
  for (std::size_t b = 0; b < 2; ++b) {
    store_->list(node.rows, feature, static_cast<Side>(b), members_);
    n_rows[b] = members_.size();
    children[b] = summarizer_.summarize(members_);
  }
  return children;
}

std::vector<Surrogate> Grower::find_surrogates(const OpenNode& node, const Sides& sides) {
  std::vector<Surrogate> found;
  if (params_.missing != MissingRule::surrogate || params_.max_surrogates == 0) return found;
  const std::vector<FeatureIndex>& features = *node.features;
  candidates_.assign(features.size(), std::nullopt);
  for_features(node.rows.size(), features.size(), [&](std::size_t i, std::size_t worker) {
    if (features[i] == node.split.test.feature) return;
    candidates_[i] = store_->surrogate(node.rows, features[i], sides, worker);
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
  for (const RowIndex row : node.validation) rows[fork.branch(data_.values, row)].push_back(row);
  double after = 0.0;
  for (std::size_t b = 0; b < 2; ++b) after += stop_.error(rows[b], children[b].stats.value);
  stop_.divided(node.id, stop_.error(node.validation, node.value), after);
  return rows;
}

}  // namespace

Tree empty_tree(const Dataset& data, const Target& target, const ObjectiveChoice& objective, MissingRule missing) {
  Tree tree;
  tree.n_features = static_cast<std::int32_t>(data.columns.size());
  tree.n_classes = target.n_classes;
  tree.missing = missing;
  tree.cost = target.cost;
  tree.objective = judge_name(objective, target.n_classes);
  return tree;
}

Tree grow(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  if (input.samples.size() == 0) throw std::invalid_argument("no row of positive weight to grow a tree from");
  if (input.params.multiway) return grow_multiway(std::move(input), team, interrupt);
  return Grower(std::move(input), team, interrupt).run();
}

}  // namespace spinney
