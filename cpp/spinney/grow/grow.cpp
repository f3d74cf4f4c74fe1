#include "spinney/grow/grow.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "spinney/grow/binned.hpp"
#include "spinney/grow/choose.hpp"
#include "spinney/grow/early_stop.hpp"
#include "spinney/grow/frontier.hpp"
#include "spinney/grow/multiway.hpp"
#include "spinney/grow/sorted_store.hpp"
#include "spinney/splits/oblique.hpp"
#include "spinney/tolerance.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr std::uint64_t kObliqueStream = 0xe7037ed1a0b428dbULL;  // apart from the stream that draws columns
constexpr std::size_t kSmallNode = 1 << 12;    // rows that are searched before anybody can wait for it
constexpr std::size_t kLeastSubtree = 1 << 9;  // rows: smaller ones are not worth the joining
constexpr std::size_t kSubtreesPerThread = 8;  // of about even size: enough to share them out evenly

/// What all parts of one growth share. Rows are in one node at a time, and only who grows that node writes to what
/// belongs to them.
struct Context {
  const Dataset& data;
  const Target& target;
  const GrowParams& params;
  Samples samples;
  Interrupt& interrupt;
  std::unique_ptr<Scan> scan;
  SortedStore store;
  Summarizer summarizer;
  double total_weight = 0.0;

  Context(GrowInput& input, ThreadTeam& team, Interrupt& asked)
      : data(input.data),
        target(input.target),
        params(input.params),
        samples(std::move(input.samples)),
        interrupt(asked),
        scan(make_scan(params.criterion, samples)),
        store(data, samples, std::move(input.sorted), team.size(), asked),
        summarizer(target, samples, params.criterion),
        total_weight(input.origin.total_weight) {
    if (total_weight > 0.0) return;
    for (SampleIndex s = 0; s < samples.size(); ++s) total_weight += samples.search_weight()[s];
  }

  Limits limits() const {
    const SampleWeights& weight = samples.search_weight();
    return limits_of(params, total_weight, weight.is_equal() ? weight.unit : 0.0);
  }
  /// Whether the nodes of different subtrees can be grown at the same time: neither the order of growth matters, nor
  /// are rows written to that are in both.
  bool subtrees_are_independent(bool best_first) const {
    return !best_first && params.missing != MissingRule::fractional;
  }
};

/// Divides open nodes until there are none, and so grows a tree or a part of one.
class Grower {
 public:
  /// With a team, whose caller is worker 0; or, as one of its workers, alone.
  Grower(Context& context, TreeBuilder builder, const Validation* validation, ThreadTeam* team, std::size_t worker)
      : context_(context),
        params_(context.params),
        store_(context.store),
        team_(team),
        worker_(worker),
        chooser_(context.params, context.data.columns.size()),
        builder_(std::move(builder)),
        stop_(context.target, context.params.criterion, validation),
        frontier_(context.params.max_leaf_nodes > 0 || stop_.active()),
        scratch_(context.interrupt) {}

  void open_root(const BlockCodes* blocks, const Origin& origin);
  void open_leaves(const Tree& start);
  /// The root of this grower's tree is a node whose test was found elsewhere.
  void adopt(OpenNode node) {
    node.id = 0;
    n_leaves_ = 1;
    frontier_.push(std::move(node));
  }
  Tree run(const Tree* start);

 private:
  bool leaf_limit() const { return params_.max_leaf_nodes > 0 && n_leaves_ >= params_.max_leaf_nodes; }
  std::size_t subtree_rows() const;
  Tree grow_subtrees(std::vector<OpenNode> nodes, Tree top, const Tree* start);
  void open_leaf(NodeId id, Origin origin, NodeRows rows, const Summary& summary, std::vector<RowIndex> validation);
  void open(OpenNode node);
  Split search(OpenNode& node);
  Split best_linear(const OpenNode& node, const Split& axis);
  void divide(OpenNode node);
  std::array<Summary, 2> summarize_children(const OpenNode& node, const Marks& marks,
                                            std::array<std::size_t, 2>& n_rows);
  std::vector<Surrogate> find_surrogates(const OpenNode& node, const Sides& sides);

  template <class Task>
  void for_columns(std::size_t n_rows, std::size_t n_columns, const Task& task) {
    if (team_ && n_rows * n_columns >= kParallelWork) return team_->run(n_columns, task);
    for (std::size_t i = 0; i < n_columns; ++i) task(i, worker_);
  }

  Context& context_;
  const GrowParams& params_;
  SortedStore& store_;
  ThreadTeam* team_;
  std::size_t worker_;
  SplitChooser chooser_;
  TreeBuilder builder_;
  EarlyStop stop_;
  Frontier<OpenNode> frontier_;
  std::int64_t n_leaves_ = 0;
  std::vector<std::optional<Surrogate>> candidates_;
  std::vector<SampleIndex> members_;
  Scratch scratch_;
  std::size_t n_small_ = 0;  // nodes divided without asking whether to stop
};

Tree Grower::run(const Tree* start) {
  std::vector<OpenNode> small;  // to be grown at the same time, once there are enough of them
  const std::size_t subtree_rows = this->subtree_rows();
  while (!frontier_.empty() && !leaf_limit() && !stop_.should_stop()) {
    OpenNode node = frontier_.pop();
    if (node.rows.size() > kSmallNode || ++n_small_ % 32 == 0) context_.interrupt.check();
    if (node.rows.size() <= subtree_rows) {
      small.push_back(std::move(node));
    } else {
      divide(std::move(node));
    }
  }
  Tree tree = stop_.best(std::move(builder_).finish());
  return small.empty() ? std::move(tree) : grow_subtrees(std::move(small), std::move(tree), start);
}

/// Nodes of up to so many rows are left to threads; 0: none are.
std::size_t Grower::subtree_rows() const {
  if (!team_ || team_->size() < 2 || !context_.subtrees_are_independent(frontier_.best_first())) return 0;
  const std::size_t rows = context_.samples.size() / (kSubtreesPerThread * team_->size());
  return rows >= kLeastSubtree ? rows : 0;
}

/// Grows what is below some leaves, one subtree a thread, and puts everything together in the order of one grower.
Tree Grower::grow_subtrees(std::vector<OpenNode> nodes, Tree top, const Tree* start) {
  std::vector<Subtree> subtrees(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) subtrees[i].leaf = nodes[i].id;
  std::vector<std::size_t> order(nodes.size());  // the largest first, so that no thread is left with one at the end
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nodes[a].rows.size() > nodes[b].rows.size(); });
  team_->run(nodes.size(), [&](std::size_t task, std::size_t worker) {
    const std::size_t i = order[task];
    TreeBuilder builder(empty_like(top));
    builder.add_root(stats_of(top, nodes[i].id));
    Grower grower(context_, std::move(builder), nullptr, nullptr, worker);
    grower.adopt(std::move(nodes[i]));
    subtrees[i].tree = grower.run(nullptr);
  });
  return join_subtrees(top, start, subtrees);
}

void Grower::open_root(const BlockCodes* blocks, const Origin& origin) {
  const Samples& samples = context_.samples;
  const std::vector<NodeId> leaf(samples.size(), 0);
  std::vector<SampleIndex> everyone(samples.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  const Summary summary = context_.summarizer.summarize(everyone);
  n_leaves_ = 1;
  NodeRows rows = std::move(store_.start(leaf, 1)[0]);
  if (blocks && blocks->n_samples == samples.size() && context_.scan->blocks() && !summary.pure) {
    const bool best_only = !chooser_.draws() && params_.features.empty() && params_.n_best_splits == 1;
    store_.use_blocks(*blocks, rows, {*context_.scan, summary.totals, context_.limits(), best_only});
  }
  open_leaf(builder_.add_root(summary.stats), origin, std::move(rows), summary,
            stop_.rows_at(nullptr, 0, context_.data.values));
}

/// Sorts the rows into the leaves of the given tree and opens the leaves that got any. Leaves keep what they know.
void Grower::open_leaves(const Tree& start) {
  const Samples& samples = context_.samples;
  const Matrix& x = context_.data.values;
  std::vector<NodeId> leaf_of(samples.size(), 0);
  std::vector<std::vector<SampleIndex>> members(start.n_nodes());
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    leaf_of[s] = walk(start, 0, x, samples.row[s]);
    members[leaf_of[s]].push_back(s);
  }
  std::vector<NodeRows> rows = store_.start(leaf_of, start.n_nodes());
  const std::vector<Origin> origin = origins_of(start);
  for (std::size_t node = 0; node < start.n_nodes(); ++node) {
    const auto id = static_cast<NodeId>(node);
    if (!start.is_leaf(id)) continue;
    ++n_leaves_;
    if (members[node].empty()) continue;
    Summary summary = context_.summarizer.summarize(members[node]);
    summary.stats.value.assign(start.values(id), start.values(id) + start.n_outputs());
    open_leaf(id, origin[node], std::move(rows[node]), summary, stop_.rows_at(&start, id, x));
  }
}

void Grower::open_leaf(NodeId id, Origin origin, NodeRows rows, const Summary& summary,
                       std::vector<RowIndex> validation) {
  if (!may_divide(params_, summary, origin.depth)) return;
  open({.id = id,
        .depth = origin.depth,
        .path = origin.path,
        .rows = std::move(rows),
        .columns = allowed_columns(params_, context_.data.columns.size()),
        .totals = summary.totals,
        .value = summary.stats.value,
        .units = summary.units,
        .split = {},
        .validation = std::move(validation)});
}

/// Searches a leaf and, if it can be divided, puts it in the queue.
void Grower::open(OpenNode node) {
  node.split = search(node);
  if (node.split.found()) frontier_.push(std::move(node));
}

Split Grower::search(OpenNode& node) {
  const Limits limits = context_.limits();
  const auto search_columns = [&](std::span<const FeatureIndex> columns, std::span<ColumnResult> results) {
    for_columns(node.rows.size(), columns.size(), [&](std::size_t i, std::size_t worker) {
      if (node.rows.size() > kSmallNode) context_.interrupt.check();
      results[i] = store_.search(node.rows, {columns[i], *context_.scan, node.totals, limits}, worker);
    });
  };
  Split best = chooser_.choose(node.path, node.columns, node.totals.slack(), search_columns);
  if (!best.found()) return best;
  if (params_.oblique) {
    Split linear = best_linear(node, best);
    if (linear.found()) best = std::move(linear);
  }
  if (!gains_enough(params_, best.drop, context_.total_weight)) return {};
  store_.complete(node.rows, best);
  return best;
}

/// The best linear test of the columns that were tried, if it is better than the best of one.
Split Grower::best_linear(const OpenNode& node, const Split& axis) {
  members_.clear();
  for (const Entry& entry : node.rows.column(chooser_.tried().front())) members_.push_back(entry.sample);
  std::sort(members_.begin(), members_.end());
  RandomStream random(params_.seed ^ kObliqueStream, node.path);
  return best_oblique(
      {context_.data, context_.samples, *context_.scan, node.totals, context_.limits(), members_, chooser_.tried()},
      axis, random, scratch_);
}

void Grower::divide(OpenNode node) {
  Marks marks = store_.mark(node.rows, node.split, node.columns->size() == 1);
  std::vector<Surrogate> surrogates = find_surrogates(node, marks.sides);
  const Sides& sides = marks.sides;
  const std::int32_t larger = sides.right > sides.left ? 1 : 0;
  const auto fork = [&] { return Fork(node.split.test, surrogates, larger); };
  if (params_.missing == MissingRule::fractional) {
    store_.share_unknown(marks, sides.left / (sides.left + sides.right));
  } else if (!sides.complete) {
    store_.place_unknown(node.rows, marks, fork());
  }
  std::array<std::size_t, 2> n_rows{};
  std::array<Summary, 2> children = summarize_children(node, marks, n_rows);
  const std::array<bool, 2> goes_on = {may_divide(params_, children[0], node.depth + 1),
                                       may_divide(params_, children[1], node.depth + 1)};
  std::array<std::vector<RowIndex>, 2> validation;
  if (stop_.active())
    validation = stop_.divide(node.id, node.validation, fork(), context_.data.values,
                              {node.value, children[0].stats.value, children[1].stats.value});
  std::array<NodeRows, 2> rows;
  std::tie(rows[0], rows[1]) =
      store_.divide(node.rows, marks, {n_rows[0], n_rows[1], goes_on[0], goes_on[1], *node.columns}, team_, worker_);
  const NodeId first =
      builder_.divide(node.id, {std::move(node.split.test), node.split.drop, std::move(surrogates), larger},
                      std::array<NodeStats, 2>{children[0].stats, children[1].stats});
  ++n_leaves_;
  for (const std::int32_t b : {1, 0}) {  // the left child is on top of the stack
    if (!goes_on[b]) continue;
    open({.id = first + b,
          .depth = node.depth + 1,
          .path = child_path(node.path, b),
          .rows = std::move(rows[b]),
          .columns = node.columns,
          .totals = std::move(children[b].totals),
          .value = std::move(children[b].stats.value),
          .units = std::move(children[b].units),
          .split = {},
          .validation = std::move(validation[b])});
  }
}

/// Looks at the rows of the smaller child only, where that says enough of the other.
std::array<Summary, 2> Grower::summarize_children(const OpenNode& node, const Marks& marks,
                                                  std::array<std::size_t, 2>& n_rows) {
  const Summarizer& summarizer = context_.summarizer;
  std::array<Summary, 2> children;
  if (summarizer.subtracts()) {
    n_rows[0] = store_.count_left(node.rows, marks);
    n_rows[1] = node.rows.size() - n_rows[0];
    const std::size_t small = n_rows[0] <= n_rows[1] ? 0 : 1;
    store_.list(node.rows, marks, static_cast<Side>(small), members_);
    children[small] = summarizer.summarize(members_);
    children[1 - small] = summarizer.rest(node.units, children[small], static_cast<std::int64_t>(n_rows[1 - small]));
    return children;
  }
  for (std::size_t b = 0; b < 2; ++b) {
    store_.list(node.rows, marks, static_cast<Side>(b), members_);
    n_rows[b] = members_.size();
    children[b] = summarizer.summarize(members_);
  }
  return children;
}

std::vector<Surrogate> Grower::find_surrogates(const OpenNode& node, const Sides& sides) {
  if (params_.missing != MissingRule::surrogate || params_.max_surrogates == 0) return {};
  const std::vector<FeatureIndex>& columns = *node.columns;
  candidates_.assign(columns.size(), std::nullopt);
  for_columns(node.rows.size(), columns.size(), [&](std::size_t i, std::size_t worker) {
    if (columns[i] == node.split.test.feature) return;
    candidates_[i] = store_.surrogate(node.rows, columns[i], sides, worker);
  });
  return best_surrogates(candidates_, static_cast<std::size_t>(params_.max_surrogates));
}

}  // namespace

std::vector<Origin> origins_of(const Tree& tree) {
  std::vector<Origin> origin(tree.n_nodes());
  for (std::size_t node = 1; node < tree.n_nodes(); ++node) {
    const NodeId parent = tree.parent[node];
    origin[node].depth = origin[parent].depth + 1;
    origin[node].path = child_path(origin[parent].path, static_cast<NodeId>(node) - tree.first_child[parent]);
  }
  return origin;
}

Tree empty_tree(std::size_t n_columns, const Target& target, const ObjectiveChoice& objective, MissingRule missing) {
  Tree tree;
  tree.n_features = static_cast<std::int32_t>(n_columns);
  tree.n_classes = target.n_classes;
  tree.missing = missing;
  tree.cost = target.cost;
  tree.objective = judge_name(objective, target.n_classes);
  return tree;
}

Tree grow(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  if (input.samples.size() == 0) throw std::invalid_argument("no row of positive weight to grow a tree from");
  if (input.params.multiway) return grow_multiway(std::move(input), team, interrupt);
  if (input.params.max_bins > 0) return grow_binned(std::move(input), team, interrupt);
  Context context(input, team, interrupt);
  TreeBuilder builder = input.start ? TreeBuilder::from(*input.start)
                                    : TreeBuilder(empty_tree(input.data.columns.size(), input.target,
                                                             input.params.criterion, input.params.missing));
  Grower grower(context, std::move(builder), input.validation, &team, 0);
  if (input.start) {
    grower.open_leaves(*input.start);
  } else {
    grower.open_root(input.blocks, input.origin);
  }
  return grower.run(input.start);
}

}  // namespace spinney
