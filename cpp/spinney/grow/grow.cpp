#include "spinney/grow/grow.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "spinney/grow/binned.hpp"
#include "spinney/grow/choose.hpp"
#include "spinney/grow/column_subtrees.hpp"
#include "spinney/grow/drawn_subtrees.hpp"
#include "spinney/grow/early_stop.hpp"
#include "spinney/grow/frontier.hpp"
#include "spinney/grow/multiway.hpp"
#include "spinney/grow/random_store.hpp"
#include "spinney/grow/small_subtrees.hpp"
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

/// The store that the parameters ask for.
template <class Store>
Store make_store(GrowInput& input, Samples& samples, ThreadTeam& team, Interrupt& interrupt) {
  if constexpr (std::is_same_v<Store, RandomStore>) {
    std::shared_ptr<const RowValues> values = std::move(input.values);
    if (input.params.missing == MissingRule::fractional) {
      values = nullptr;  // parts of rows are samples that it does not know
    } else if (!values) {
      values = std::make_shared<const RowValues>(input.data, samples, team);
    }
    return RandomStore(input.data, samples, std::move(values), input.params, team.size(), interrupt);
  } else {
    return SortedStore(input.data, samples, std::move(input.sorted), team.size(), interrupt);
  }
}

/// Who grows the subtrees of few rows of a store.
template <class Store>
struct SmallOf;
template <>
struct SmallOf<SortedStore> {
  using Search = SmallSearch;
  using Subtrees = SmallSubtrees;
};
template <>
struct SmallOf<RandomStore> {
  using Search = DrawnSearch;
  using Subtrees = DrawnSubtrees;
};

/// What all parts of one growth share. Rows are in one node at a time, and only who grows that node writes to what
/// belongs to them.
template <class Store>
struct Context {
  const Dataset& data;
  const Target& target;
  const GrowParams& params;
  Samples samples;
  Interrupt& interrupt;
  std::unique_ptr<Scan> scan;
  Store store;
  Summarizer summarizer;
  double total_weight = 0.0;
  Tree like;  // without nodes
  std::optional<typename SmallOf<Store>::Search> small;

  Context(GrowInput& input, ThreadTeam& team, Interrupt& asked)
      : data(input.data),
        target(input.target),
        params(input.params),
        samples(std::move(input.samples)),
        interrupt(asked),
        scan(make_scan(params.criterion, samples)),
        store(make_store<Store>(input, samples, team, asked)),
        summarizer(target, samples, params.criterion),
        total_weight(input.origin.total_weight),
        like(empty_tree(data.columns.size(), target, params.criterion, params.missing, params.monotone)) {
    const SampleWeights& weight = samples.search_weight();
    for (SampleIndex s = 0; s < samples.size() && !(input.origin.total_weight > 0.0); ++s) total_weight += weight[s];
    limits_ = limits_now();
    if (params.missing != MissingRule::fractional && !has_validation(input))
      small.emplace(params, target, samples, limits_);
  }

  /// What must remain on each side of a division. Where rows are shared out, weights do not stay equal.
  Limits limits() const { return params.missing == MissingRule::fractional ? limits_now() : limits_; }
  /// The same for a column of a node.
  Limits limits(Limits common, const Origin& origin, FeatureIndex column) const {
    common.order = order_of(params, target, origin, column);
    return common;
  }
  /// Whether the nodes of different subtrees can be grown at the same time: neither the order of growth matters, nor
  /// are rows written to that are in both.
  bool subtrees_are_independent(bool best_first) const {
    return !best_first && params.missing != MissingRule::fractional;
  }

 private:
  static bool has_validation(const GrowInput& input) { return input.validation && input.validation->active(); }
  Limits limits_now() const {
    const SampleWeights& weight = samples.search_weight();
    return limits_of(params, total_weight, weight.is_equal() ? weight.unit : 0.0);
  }
  Limits limits_;
};

/// Divides open nodes until there are none, and so grows a tree or a part of one.
template <class Store>
class Grower {
 public:
  using Rows = typename Store::Rows;
  using Node = OpenNode<Rows>;

  /// With a team, whose caller is worker 0; or, as one of its workers, alone.
  Grower(Context<Store>& context, TreeBuilder builder, const Validation* validation, ThreadTeam* team,
         std::size_t worker)
      : context_(context),
        params_(context.params),
        store_(context.store),
        team_(team),
        worker_(worker),
        chooser_(context.params, context.data.columns.size()),
        builder_(std::move(builder)),
        stop_(context.target, context.params.criterion, validation),
        frontier_(context.params.max_leaf_nodes > 0 || stop_.active()),
        scratch_(context.interrupt) {
    if (context.small && context.small->usable()) small_.emplace(growth(), *context.small, store_);
  }

  void open_root(const BlockCodes* blocks, const Origin& origin);
  void open_leaves(const Tree& start);
  /// The root of this grower's tree is a node whose test was found elsewhere.
  void adopt(Node node) {
    node.id = 0;
    n_leaves_ = 1;
    frontier_.push(std::move(node));
  }
  Tree run(const Tree* start);

 private:
  Growth growth() const {
    return {context_.data,         context_.target, context_.samples, params_,           context_.summarizer,
            context_.total_weight, *context_.scan,  context_.like,    context_.interrupt};
  }
  bool leaf_limit() const { return params_.max_leaf_nodes > 0 && n_leaves_ >= params_.max_leaf_nodes; }
  std::size_t subtree_rows() const;
  Tree grow_subtrees(std::vector<Node> nodes, Tree top, const Tree* start);
  void open_leaf(NodeId id, Origin origin, Rows rows, const Summary& summary, std::vector<RowIndex> validation,
                 NodeId forced);
  void open(Node node);
  bool takes_lone(const Node& node);
  void grow_lone(const Node& node);
  ColumnSubtrees& lone_subtrees();
  bool goes_on(const Summary& summary, const Origin& origin, NodeId forced) const;
  SearchTask task_of(const Node& node, FeatureIndex column, const Limits& limits) const {
    return {column, *context_.scan, node.totals, limits, node.origin.path, params_.missing};
  }
  Split search(Node& node);
  void search_together(const Node& node, const Limits& limits, std::span<const FeatureIndex> columns,
                       std::span<ColumnResult> results);
  Split forced_split(const Node& node);
  Split with_gaps(Split split, const std::array<std::vector<SampleIndex>, 2>& sides,
                  const std::vector<SampleIndex>& gaps) const;
  double drop_of(std::array<std::vector<SampleIndex>, 2> sides) const;
  Split best_linear(const Node& node, const Split& axis);
  void divide(Node& node);
  std::array<Summary, 2> summarize_children(const Node& node, const Marks& marks, std::array<std::size_t, 2>& n_rows);
  bool places_all(const Test& test) const;
  std::vector<Surrogate> find_surrogates(const Node& node, const Sides& sides);

  template <class Task>
  void for_columns(std::size_t n_rows, std::size_t n_columns, const Task& task) {
    if (team_ && n_rows * n_columns >= kParallelWork) return team_->run(n_columns, task);
    for (std::size_t i = 0; i < n_columns; ++i) task(i, worker_);
  }

  Context<Store>& context_;
  const GrowParams& params_;
  Store& store_;
  ThreadTeam* team_;
  std::size_t worker_;
  SplitChooser chooser_;
  TreeBuilder builder_;
  EarlyStop stop_;
  Frontier<Node> frontier_;
  std::int64_t n_leaves_ = 0;
  std::vector<std::optional<Surrogate>> candidates_;
  std::vector<SampleIndex> members_;
  Scratch scratch_;
  std::size_t n_small_ = 0;  // nodes divided without asking whether to stop
  std::optional<typename SmallOf<Store>::Subtrees> small_;
  std::optional<ColumnSubtrees> lone_;
};

template <class Store>
Tree Grower<Store>::run(const Tree* start) {
  std::vector<Node> small;  // to be grown at the same time, once there are enough of them
  const std::size_t subtree_rows = this->subtree_rows();
  while (!frontier_.empty() && !leaf_limit() && !stop_.should_stop()) {
    Node node = frontier_.pop();
    if (node.rows.size() > kSmallNode || ++n_small_ % 32 == 0) context_.interrupt.check();
    if (node.rows.size() <= subtree_rows) {
      small.push_back(std::move(node));
    } else if (node.few) {
      small_->grow(node.id, node.rows, node.origin, node.columns, node.totals, builder_);
    } else if (node.lone) {
      grow_lone(node);
    } else {
      divide(node);
    }
  }
  Tree tree = stop_.best(std::move(builder_).finish());
  return small.empty() ? std::move(tree) : grow_subtrees(std::move(small), std::move(tree), start);
}

/// Nodes of up to so many rows are left to threads; 0: none are.
template <class Store>
std::size_t Grower<Store>::subtree_rows() const {
  if (!team_ || team_->size() < 2 || !context_.subtrees_are_independent(frontier_.best_first())) return 0;
  const std::size_t rows = context_.samples.size() / (kSubtreesPerThread * team_->size());
  return rows >= kLeastSubtree ? rows : 0;
}

/// Grows what is below some leaves, one subtree a thread, and puts everything together in the order of one grower.
template <class Store>
Tree Grower<Store>::grow_subtrees(std::vector<Node> nodes, Tree top, const Tree* start) {
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
    Grower<Store> grower(context_, std::move(builder), nullptr, nullptr, worker);
    grower.adopt(std::move(nodes[i]));
    subtrees[i].tree = grower.run(nullptr);
  });
  return join_subtrees(top, start, subtrees);
}

template <class Store>
void Grower<Store>::open_root(const BlockCodes* blocks, const Origin& origin) {
  const Samples& samples = context_.samples;
  const std::vector<NodeId> leaf(samples.size(), 0);
  std::vector<SampleIndex> everyone(samples.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  const Summary summary = context_.summarizer.summarize(everyone);
  n_leaves_ = 1;
  Rows rows = std::move(store_.start(leaf, 1)[0]);
  if constexpr (std::is_same_v<Store, SortedStore>) {
    if (blocks && blocks->n_samples == samples.size() && context_.scan->blocks() && !summary.pure) {
      const bool best_only =
          !chooser_.draws() && params_.features.empty() && params_.n_best_splits == 1 && params_.monotone.empty();
      store_.use_blocks(*blocks, rows, {*context_.scan, summary.totals, context_.limits(), best_only});
    }
  }
  open_leaf(builder_.add_root(summary.stats), origin, std::move(rows), summary,
            stop_.rows_at(nullptr, 0, context_.data.values), params_.forced ? 0 : kNoNode);
}

/// Sorts the rows into the leaves of the given tree and opens the leaves that got any. Leaves keep what they know.
template <class Store>
void Grower<Store>::open_leaves(const Tree& start) {
  const Samples& samples = context_.samples;
  const Matrix& x = context_.data.values;
  std::vector<NodeId> leaf_of(samples.size(), 0);
  std::vector<std::vector<SampleIndex>> members(start.n_nodes());
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    leaf_of[s] = walk(start, 0, x, samples.row[s]);
    members[leaf_of[s]].push_back(s);
  }
  std::vector<Rows> rows = store_.start(leaf_of, start.n_nodes());
  const std::vector<Origin> origin = origins_of(start, params_);
  for (std::size_t node = 0; node < start.n_nodes(); ++node) {
    const auto id = static_cast<NodeId>(node);
    if (!start.is_leaf(id)) continue;
    ++n_leaves_;
    if (members[node].empty()) continue;
    Summary summary = context_.summarizer.summarize(members[node]);
    summary.stats.value.assign(start.values(id), start.values(id) + start.n_outputs());
    summary.stats.answer.assign(start.answers(id), start.answers(id) + start.n_outputs());
    open_leaf(id, origin[node], std::move(rows[node]), summary, stop_.rows_at(&start, id, x), kNoNode);
  }
}

template <class Store>
void Grower<Store>::open_leaf(NodeId id, Origin origin, Rows rows, const Summary& summary,
                              std::vector<RowIndex> validation, NodeId forced) {
  if (!goes_on(summary, origin, forced)) return;
  open({.id = id,
        .origin = origin,
        .rows = std::move(rows),
        .columns = columns_of(params_, origin.groups, allowed_columns(params_, context_.data.columns.size())),
        .totals = summary.totals,
        .answer = summary.stats.predicted(),
        .units = summary.units,
        .split = {},
        .validation = std::move(validation),
        .forced = forced});
}

/// Whether a node may be divided: a forced test needs no leave of the limits.
template <class Store>
bool Grower<Store>::goes_on(const Summary& summary, const Origin& origin, NodeId forced) const {
  if (forced != kNoNode && params_.forced->forces(forced)) return true;
  if (forced != kNoNode && params_.forced->closes(forced)) return false;
  return may_divide(params_, summary, origin.depth);
}

/// Whether a node of one column is likely to be the start of a long chain.
template <class Store>
bool Grower<Store>::takes_lone(const Node& node) {
  if constexpr (std::is_same_v<Store, SortedStore>) {
    return context_.small && node.lopsided.goes_on() && node.columns->size() == 1 &&
           lone_subtrees().takes(node.rows, node.columns);
  } else {
    return false;
  }
}

template <class Store>
void Grower<Store>::grow_lone(const Node& node) {
  if constexpr (std::is_same_v<Store, SortedStore>)
    lone_subtrees().grow(node.id, node.rows, node.origin, node.columns, node.totals, builder_,
                         small_ ? &*small_ : nullptr);
}

/// Made when a tree first asks for it: few do.
template <class Store>
ColumnSubtrees& Grower<Store>::lone_subtrees() {
  if (!lone_) lone_.emplace(growth(), context_.limits(), context_.interrupt);
  return *lone_;
}

/// Searches a leaf and, if it can be divided, puts it in the queue.
template <class Store>
void Grower<Store>::open(Node node) {
  node.few = small_ && small_->takes(node.rows, node.columns);
  node.lone = !node.few && takes_lone(node);
  if (node.few || node.lone) return frontier_.push(std::move(node));  // all of its subtree is grown together
  node.first = node.forced != kNoNode && params_.forced->forces(node.forced);
  node.split = node.first ? forced_split(node) : search(node);
  if (node.split.found()) frontier_.push(std::move(node));
}

template <class Store>
Split Grower<Store>::search(Node& node) {
  const Limits common = context_.limits();
  const auto search_columns = [&](std::span<const FeatureIndex> columns, std::span<ColumnResult> results) {
    if constexpr (requires { &Store::search_together; }) {
      if (params_.monotone.empty()) return search_together(node, common, columns, results);
    }
    for_columns(node.rows.size(), columns.size(), [&](std::size_t i, std::size_t worker) {
      if (node.rows.size() > kSmallNode) context_.interrupt.check();
      if (params_.monotone.empty())
        return store_.search(node.rows, task_of(node, columns[i], common), results[i], worker);
      const Limits limits = context_.limits(common, node.origin, columns[i]);
      store_.search(node.rows, task_of(node, columns[i], limits), results[i], worker);
    });
  };
  const auto reorder = [&](FeatureIndex column, ColumnResult& result) {
    const Limits limits = context_.limits(common, node.origin, column);
    store_.reorder(node.rows, task_of(node, column, limits), result, worker_);
  };
  Split best = chooser_.choose(node.origin.path, node.columns, node.totals.slack(), search_columns, reorder);
  if (!best.found()) return best;
  if (params_.oblique) {
    Split linear = best_linear(node, best);
    if (linear.found()) best = std::move(linear);
  }
  if (!gains_enough(params_, best.drop, context_.total_weight)) return {};
  store_.complete(node.rows, best, worker_);
  return best;
}

/// A few columns at a time where there are many rows, so that threads share them and who interrupts need not wait.
template <class Store>
void Grower<Store>::search_together(const Node& node, const Limits& limits, std::span<const FeatureIndex> columns,
                                    std::span<ColumnResult> results) {
  const bool many = node.rows.size() > kSmallNode;
  const std::size_t step = many ? kRowLanes : columns.size(), n_steps = (columns.size() + step - 1) / step;
  for_columns(many ? node.rows.size() * step : 0, n_steps, [&](std::size_t i, std::size_t worker) {
    if (many) context_.interrupt.check();
    const std::size_t first = i * step, n = std::min(step, columns.size() - first);
    store_.search_together(node.rows, task_of(node, columns[first], limits), columns.subspan(first, n),
                           results.subspan(first, n), worker);
  });
}

/// The forced test of a node with what it gains; none if it sends all rows the same way.
template <class Store>
Split Grower<Store>::forced_split(const Node& node) {
  if constexpr (std::is_same_v<Store, SortedStore>) {
    Split split{.drop = 0.0, .test = params_.forced->tree.tests.get(node.forced)};
    if (!std::ranges::binary_search(*node.columns, column_of(split.test))) return {};
    if (!store_.locate(node.rows, split)) return {};
    const Marks marks = store_.mark(node.rows, split, false, worker_);
    std::array<std::vector<SampleIndex>, 2> sides;
    for (std::size_t b = 0; b < 2; ++b) store_.list(node.rows, marks, static_cast<Side>(b), sides[b]);
    const bool places = places_gaps(params_.missing) && split.test.kind != TestKind::expression;
    if (places) split.gap_branch = params_.forced->gaps(node.forced);
    if (!places || marks.unknown.empty()) {
      split.drop = drop_of(sides);
      return split.drop == -kInfinity ? Split{} : split;
    }
    return with_gaps(std::move(split), sides, marks.unknown);
  } else {
    return {};  // drawn cuts take no others
  }
}

/// The test with its gaps where they are told to go or, where nothing is told, where that gains most.
template <class Store>
Split Grower<Store>::with_gaps(Split split, const std::array<std::vector<SampleIndex>, 2>& sides,
                               const std::vector<SampleIndex>& gaps) const {
  const bool behind = params_.missing == MissingRule::category && split.test.kind == TestKind::threshold;
  const std::int32_t told = split.gap_branch == kNoBranch && behind ? 1 : split.gap_branch;
  Split best;
  for (const std::int32_t b : {1, 0}) {
    if (told != kNoBranch && told != b) continue;
    auto with = sides;
    with[b].insert(with[b].end(), gaps.begin(), gaps.end());
    split.drop = drop_of(std::move(with));
    split.gap_branch = b;
    if (split.drop > best.drop) best = split;
  }
  return best;
}

/// What a division gains; minus infinity if a side is empty.
template <class Store>
double Grower<Store>::drop_of(std::array<std::vector<SampleIndex>, 2> sides) const {
  if (sides[0].empty() || sides[1].empty()) return -kInfinity;
  std::vector<SampleIndex> both = sides[0];
  both.insert(both.end(), sides[1].begin(), sides[1].end());
  for (std::vector<SampleIndex>* rows : {&sides[0], &sides[1], &both}) std::sort(rows->begin(), rows->end());
  const Summarizer& summarizer = context_.summarizer;
  return summarizer.drop(summarizer.summarize(both).totals, summarizer.summarize(sides[0]).totals,
                         summarizer.summarize(sides[1]).totals);
}

/// The best linear test of the columns that were tried, if it is better than the best of one.
template <class Store>
Split Grower<Store>::best_linear(const Node& node, const Split& axis) {
  store_.list_all(node.rows, chooser_.tried().front(), members_);
  RandomStream random(params_.seed ^ kObliqueStream, node.origin.path);
  return best_oblique(
      {context_.data, context_.samples, *context_.scan, node.totals, context_.limits(), members_, chooser_.tried()},
      axis, random, scratch_);
}

template <class Store>
void Grower<Store>::divide(Node& node) {
  Marks marks = store_.mark(node.rows, node.split, node.columns->size() == 1, worker_);
  node.columns = columns_beside(params_, node.origin, node.columns, node.split.test.feature);
  std::vector<Surrogate> surrogates = find_surrogates(node, marks.sides);
  const Sides& sides = marks.sides;
  const std::int32_t unplaced = node.split.default_branch(sides.right > sides.left ? 1 : 0);
  const auto fork = [&] { return Fork(node.split.test, surrogates, unplaced); };
  if (params_.missing == MissingRule::fractional) {
    store_.share_unknown(marks, sides.left / (sides.left + sides.right));
  } else if (!sides.complete) {
    store_.place_unknown(marks, fork());
  }
  std::array<std::size_t, 2> n_rows{};
  std::array<Summary, 2> children = summarize_children(node, marks, n_rows);
  std::array<Origin, 2> origins =
      origins_below(params_, node.origin, node.split.test, children[0].stats, children[1].stats, context_.like);
  const bool forced = node.forced != kNoNode;
  const std::array<NodeId, 2> forced_below = {forced ? params_.forced->child(node.forced, 0) : kNoNode,
                                              forced ? params_.forced->child(node.forced, 1) : kNoNode};
  const std::array<bool, 2> goes_on = {this->goes_on(children[0], origins[0], forced_below[0]),
                                       this->goes_on(children[1], origins[1], forced_below[1])};
  std::array<std::vector<RowIndex>, 2> validation;
  if (stop_.active())
    validation = stop_.divide(node.id, node.validation, fork(), context_.data.values,
                              {node.answer, children[0].stats.predicted(), children[1].stats.predicted()});
  std::array<Rows, 2> rows;
  std::tie(rows[0], rows[1]) = store_.divide(
      std::move(node.rows), marks, {n_rows[0], n_rows[1], goes_on[0], goes_on[1], *node.columns}, team_, worker_);
  const std::array<NodeStats, 2> stats = {std::move(children[0].stats), std::move(children[1].stats)};
  const NodeId first =
      builder_.divide(node.id, {std::move(node.split.test), node.split.drop, std::move(surrogates), unplaced}, stats);
  ++n_leaves_;
  for (const std::int32_t b : {1, 0}) {  // the left child is on top of the stack
    if (!goes_on[b]) continue;
    open({.id = first + b,
          .origin = std::move(origins[b]),
          .rows = std::move(rows[b]),
          .columns = b == 0 ? std::move(node.columns) : node.columns,
          .totals = std::move(children[b].totals),
          .answer = stop_.active() ? stats[b].predicted() : Numbers{},
          .units = std::move(children[b].units),
          .split = {},
          .validation = std::move(validation[b]),
          .forced = forced_below[b],
          .lopsided = node.lopsided.below(n_rows[0] + n_rows[1], n_rows[b])});
  }
}

/// Looks at the rows of the smaller child only, where that says enough of the other.
template <class Store>
std::array<Summary, 2> Grower<Store>::summarize_children(const Node& node, const Marks& marks,
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

/// Whether a test has an answer for every row that the tree will be asked about.
template <class Store>
bool Grower<Store>::places_all(const Test& test) const {
  if (params_.known.empty() || test.kind == TestKind::expression || !params_.known[test.feature]) return false;
  if (test.kind == TestKind::threshold) return true;
  return test.codes.size() == static_cast<std::size_t>(context_.data.columns[test.feature].n_categories);
}

template <class Store>
std::vector<Surrogate> Grower<Store>::find_surrogates(const Node& node, const Sides& sides) {
  if (params_.missing != MissingRule::surrogate || params_.max_surrogates == 0) return {};
  if (places_all(node.split.test)) return {};
  const std::vector<FeatureIndex>& columns = *node.columns;
  candidates_.assign(columns.size(), std::nullopt);
  for_columns(node.rows.size(), columns.size(), [&](std::size_t i, std::size_t worker) {
    if (columns[i] == node.split.test.feature) return;
    candidates_[i] = store_.surrogate(node.rows, columns[i], sides, params_.surrogate_style, worker);
    if (candidates_[i] && !keeps_order(params_.monotone, node.split.test, *candidates_[i])) candidates_[i].reset();
  });
  return best_surrogates(candidates_, static_cast<std::size_t>(params_.max_surrogates));
}

}  // namespace

Tree empty_tree(std::size_t n_columns, const Target& target, const ObjectiveChoice& objective, MissingRule missing,
                MonotoneSigns monotone) {
  Tree tree;
  tree.n_features = static_cast<std::int32_t>(n_columns);
  tree.n_classes = target.n_classes;
  tree.missing = missing;
  tree.cost = target.cost;
  tree.objective = judge_name(objective, target.n_classes);
  tree.monotone = std::move(monotone);
  return tree;
}

namespace {

template <class Store>
Tree grow_binary(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  Context<Store> context(input, team, interrupt);
  TreeBuilder builder = input.start ? TreeBuilder::from(*input.start) : TreeBuilder(context.like);
  Grower<Store> grower(context, std::move(builder), input.validation, &team, 0);
  if (input.start) {
    grower.open_leaves(*input.start);
  } else {
    grower.open_root(input.blocks, input.origin);
  }
  return grower.run(input.start);
}

}  // namespace

Tree grow(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  if (input.samples.size() == 0) throw std::invalid_argument("no row of positive weight to grow a tree from");
  if (input.params.multiway) return grow_multiway(std::move(input), team, interrupt);
  if (input.params.max_bins > 0) return grow_binned(std::move(input), team, interrupt);
  if (input.params.random_cuts) return grow_binary<RandomStore>(std::move(input), team, interrupt);
  return grow_binary<SortedStore>(std::move(input), team, interrupt);
}

}  // namespace spinney
