#include "spinney/grow/planner.hpp"

#include <algorithm>
#include <numeric>

namespace spinney {

namespace {

constexpr std::size_t kBatchBytes = std::size_t{64} << 20;  // histograms of the nodes that are divided together
constexpr std::size_t kKeptBytes = std::size_t{256} << 20;  // histograms of nodes that wait to be divided
constexpr std::size_t kRowBytes = std::size_t{32} << 20;    // rows that are handed over at a time

/// The rows in the order of their numbers, whoever held them.
RowBlock in_order(RowBlock block, std::size_t n_columns) {
  if (std::is_sorted(block.number.begin(), block.number.end())) return block;
  std::vector<std::size_t> order(block.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return block.number[a] < block.number[b]; });
  RowBlock out;
  for (const std::size_t i : order) {
    const auto values = block.values.begin() + static_cast<std::ptrdiff_t>(i * n_columns);
    out.number.push_back(block.number[i]);
    out.values.insert(out.values.end(), values, values + static_cast<std::ptrdiff_t>(n_columns));
    out.weight.push_back(block.weight[i]);
    if (!block.codes.empty()) out.codes.push_back(block.codes[i]);
    if (!block.y.empty()) out.y.push_back(block.y[i]);
    if (!block.exposure.empty()) out.exposure.push_back(block.exposure[i]);
  }
  return out;
}

Samples shifted_by(const MomentLayout& moments) {
  Samples nobody;
  nobody.n_classes = moments.n_classes;
  nobody.y_shift = moments.origin;
  return nobody;
}

}  // namespace

Planner::Planner(const PlannerInput& input, const NodeSums& sums, ThreadTeam& team, Interrupt& interrupt)
    : input_(input),
      params_(input.params),
      team_(team),
      interrupt_(interrupt),
      search_(input.borders, input.moments, input.target, input.params),
      nobody_(shifted_by(input.moments)),
      summarizer_(input.target, nobody_, input.params.criterion),
      like_(empty_tree(input.columns.size(), input.target, input.params.criterion, input.params.missing,
                       input.params.monotone)),
      builder_(input.start ? TreeBuilder::from(*input.start) : TreeBuilder(like_)),
      stop_(input.target, input.params.criterion, input.validation),
      frontier_(input.params.max_leaf_nodes > 0 || stop_.active()),
      scratch_(team.size(), Scratch(interrupt)) {
  const Summary all = summarizer_.from_moments(read_sums(input.moments, sums.total(), 0));
  total_weight_ = all.totals.weight;
  if (input.moments.equal_weights) {  // and classes that occur count the same
    const auto& scale = input.target.search_scale();
    double least = scale.empty() ? 1.0 : kInfinity, most = scale.empty() ? 1.0 : 0.0;
    for (std::size_t c = 0; c < scale.size(); ++c) {
      if (!(all.totals.classes[c] > 0.0)) continue;
      least = std::min(least, scale[c]);
      most = std::max(most, scale[c]);
    }
    if (least == most) unit_weight_ = input.moments.weight * most;
  }
  const HistogramLayout layout(input.borders, *allowed_columns(params_, input.columns.size()),
                               input.moments.bin_width());
  histogram_bytes_ = std::max<std::size_t>(1, layout.size() * sizeof(std::int64_t));
  open_start(sums);
  next();
}

std::size_t Planner::batch_size() const {
  return frontier_.best_first() ? 1 : std::max<std::size_t>(1, kBatchBytes / histogram_bytes_);
}

bool Planner::is_small(const Node& node) const { return node.n_rows <= kSmallNode; }

/// The root, or the leaves of the given tree that got rows; those keep what they know.
void Planner::open_start(const NodeSums& sums) {
  const ColumnList columns = allowed_columns(params_, input_.columns.size());
  std::vector<Origin> origin = {{}};
  if (input_.start) origin = origins_of(*input_.start, params_);
  n_nodes_ = static_cast<NodeId>(origin.size());
  for (NodeId id = 0; id < n_nodes_; ++id) {
    if (input_.start && !input_.start->is_leaf(id)) continue;
    ++n_leaves_;
    Summary summary = summarizer_.from_moments(read_sums(input_.moments, sums, static_cast<std::size_t>(id)));
    if (summary.stats.n_samples == 0) continue;
    root_is_small_ = !input_.start && summary.stats.n_samples <= kSmallNode;
    if (!input_.start && !root_is_small_) builder_.add_root(summary.stats);
    if (input_.start)
      summary.stats.answer.assign(input_.start->answers(id), input_.start->answers(id) + input_.start->n_outputs());
    Node node = make_node(id, origin[id], columns_of(params_, origin[id].groups, columns), summary);
    node.validation = stop_.rows_at(input_.start, id, input_.set_aside);
    if (root_is_small_ || may_open(node, summary)) open(std::move(node));
  }
}

Planner::Node Planner::make_node(NodeId id, const Origin& origin, ColumnList columns, const Summary& summary) {
  Node node;
  node.id = id;
  node.origin = origin;
  node.columns = std::move(columns);
  node.totals = summary.totals;
  node.answer = summary.stats.predicted();
  node.n_rows = summary.stats.n_samples;
  return node;
}

bool Planner::may_open(const Node& node, const Summary& summary) const {
  return !node.columns->empty() && may_divide(params_, summary, node.origin.depth);
}

void Planner::open(Node node) {
  if (is_small(node)) {
    small_.push_back(std::move(node));
    return;
  }
  const NodeId id = node.id;
  waiting_.push_back({std::move(node), id, {}});
  to_count_.push_back(id);
}

void Planner::receive(Answer answer) {
  const Request asked = std::exchange(request_, {});
  if (asked.tallies.size() > 0) {
    find_surrogates(answer.tallies);
    ask_for_divisions();
    return;
  }
  for (std::size_t i = 0; i < asked.histograms.size(); ++i)
    counted_.emplace(asked.histograms[i], std::move(answer.histograms[i]));
  if (asked.divisions.size() > 0) divide(answer.children);
  std::erase_if(to_count_, [&](NodeId id) { return counted_.contains(id); });
  if (to_count_.empty()) search();
  if (!asked.rows.empty()) finish_small(std::move(answer.rows));
  next();
}

void Planner::next() {
  if ((leaf_limit() || stop_.should_stop()) && !root_is_small_) return;
  const bool small_first = frontier_.best_first() || frontier_.empty();
  if (!waiting_.empty() || (small_first && !small_.empty())) {
    request_.histograms = to_count_;
    ask_for_rows();
    return;
  }
  choose_batch();
  if (batch_.empty()) return;
  if (params_.missing != MissingRule::surrogate || params_.max_surrogates == 0) {
    ask_for_divisions();
    return;
  }
  for (const Node& node : batch_) {
    request_.tallies.node.push_back(node.id);
    request_.tallies.tests.append(node.split.test);
  }
}

/// Of small nodes, as many as may be handed over at a time.
void Planner::ask_for_rows() {
  const std::size_t row_bytes = input_.columns.size() * sizeof(double);
  std::size_t bytes = 0;
  while (!small_.empty() && (bytes < kRowBytes || frontier_.best_first())) {
    bytes += static_cast<std::size_t>(small_.back().n_rows) * row_bytes;
    request_.rows.push_back(small_.back().id);
    asked_small_.push_back(std::move(small_.back()));
    small_.pop_back();
  }
}

void Planner::search() {
  std::vector<Waiting> waiting = std::exchange(waiting_, {});
  for (Waiting& one : waiting) {
    if (!one.parent.empty()) one.node.histogram = std::move(one.parent -= counted_.at(one.counted));
  }
  for (Waiting& one : waiting) {
    if (one.node.histogram.empty()) one.node.histogram = std::move(counted_.at(one.counted));
  }
  counted_.clear();
  if (waiting.size() >= 2 * team_.size()) {
    team_.run(waiting.size(),
              [&](std::size_t i, std::size_t thread) { search_node(waiting[i].node, scratch_[thread], nullptr); });
  } else {
    for (Waiting& one : waiting) search_node(one.node, scratch_[0], &team_);
  }
  for (Waiting& one : waiting) {
    if (!one.node.split.found()) continue;
    if (n_kept_ * histogram_bytes_ < kKeptBytes) {
      ++n_kept_;
    } else {
      one.node.histogram = {};
    }
    frontier_.push(std::move(one.node));
  }
}

/// By the columns at the same time, if there is a team.
void Planner::search_node(Node& node, Scratch& scratch, ThreadTeam* team) {
  interrupt_.check();
  SplitChooser chooser(params_, input_.columns.size());
  const auto limits = [&](FeatureIndex column) {
    Limits out = limits_of(params_, total_weight_, unit_weight_);
    out.order = order_of(params_, input_.target, node.origin, column);
    return out;
  };
  const auto search_columns = [&](std::span<const FeatureIndex> columns, std::span<ColumnResult> results) {
    const auto one = [&](std::size_t i, Scratch& memory) {
      results[i] =
          params_.random_cuts
              ? search_.draw(node.histogram, columns[i], node.origin.path, node.totals, limits(columns[i]), memory)
              : search_.search(node.histogram, columns[i], node.totals, limits(columns[i]), memory);
    };
    if (team) {
      team->run(columns.size(), [&](std::size_t i, std::size_t thread) { one(i, scratch_[thread]); });
    } else {
      for (std::size_t i = 0; i < columns.size(); ++i) one(i, scratch);
    }
  };
  const auto reorder = [&](FeatureIndex column, ColumnResult& result) {
    search_.reorder(node.histogram, node.totals, limits(column), result, scratch);
  };
  Split best = chooser.choose(node.origin.path, node.columns, node.totals.slack(), search_columns, reorder);
  if (!best.found() || !gains_enough(params_, best.drop, total_weight_)) return;
  node.sides = search_.sides(node.histogram, best.test);
  node.columns = columns_beside(params_, node.origin, node.columns, best.test.feature);
  node.split = std::move(best);
}

/// The nodes to be divided next. What was grown by exact search needs nobody to be asked.
void Planner::choose_batch() {
  batch_.clear();
  const std::size_t most = batch_size();
  while (batch_.size() < most && !frontier_.empty() && !leaf_limit() && !stop_.should_stop()) {
    Node node = frontier_.pop();
    if (!node.histogram.empty()) --n_kept_;
    if (node.subtree) {
      reveal(std::move(node));
    } else {
      batch_.push_back(std::move(node));
    }
  }
}

void Planner::find_surrogates(const std::vector<Histogram>& tallies) {
  team_.run(batch_.size(), [&](std::size_t n, std::size_t) {
    interrupt_.check();
    Node& node = batch_[n];
    std::vector<std::optional<Surrogate>> found;
    PrimaryWeights primary;
    if (params_.surrogate_style == SurrogateStyle::count) primary = {node.sides.weight[0], node.sides.weight[1]};
    for (const FeatureIndex f : *node.columns) {
      if (f == node.split.test.feature) continue;
      found.push_back(search_.surrogate(tallies[n], f, primary));
      if (found.back() && !keeps_order(params_.monotone, node.split.test, *found.back())) found.back().reset();
    }
    node.surrogates = best_surrogates(found, static_cast<std::size_t>(params_.max_surrogates));
  });
}

void Planner::ask_for_divisions() {
  Divisions& divisions = request_.divisions;
  for (const Node& node : batch_) {
    divisions.first_child.push_back(n_nodes_ + 2 * static_cast<NodeId>(divisions.size()));
    divisions.node.push_back(node.id);
    divisions.tests.append(node.split.test);
    for (const Surrogate& surrogate : node.surrogates) divisions.surrogates.append(surrogate);
    divisions.surrogates.close_node();
    divisions.default_branch.push_back(default_branch(node));
    ask_ahead(node, divisions.first_child.back());
  }
  if (!frontier_.best_first()) ask_for_rows();
}

/// Asks for the histogram that the children of a node that is divided now will need. Rows that surrogates place may
/// make the other child the smaller one, or nobody may need it after all: what then lacks is asked for afterwards.
void Planner::ask_ahead(const Node& node, NodeId first) {
  if (node.origin.depth + 1 >= params_.max_depth) return;
  std::array<std::int64_t, 2> n_rows = node.sides.n_rows;
  n_rows[static_cast<std::size_t>(default_branch(node))] += node.n_rows - n_rows[0] - n_rows[1];
  const NodeId larger = n_rows[0] <= n_rows[1] ? 1 : 0;
  if (n_rows[static_cast<std::size_t>(larger)] <= kSmallNode) return;
  const bool whole = node.histogram.empty();  // nothing to subtract from
  if (!whole || n_rows[static_cast<std::size_t>(1 - larger)] > kSmallNode)
    request_.histograms.push_back(first + 1 - larger);
  if (whole) request_.histograms.push_back(first + larger);
}

void Planner::divide(const NodeSums& sums) {
  std::vector<Node> batch = std::exchange(batch_, {});
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Node& node = batch[i];
    std::array<Summary, 2> children;
    for (std::size_t b = 0; b < 2; ++b)
      children[b] = summarizer_.from_moments(read_sums(input_.moments, sums, 2 * i + b));
    Histogram histogram = std::move(node.histogram);
    const std::int32_t unplaced = default_branch(node);
    open_children(add_children(node,
                               {.test = std::move(node.split.test),
                                .gain = node.split.drop,
                                .surrogates = std::move(node.surrogates),
                                .default_branch = unplaced},
                               children),
                  children, std::move(histogram));
  }
}

/// Puts a division into the tree; returns the children.
std::array<Planner::Node, 2> Planner::add_children(const Node& node, Division division,
                                                   std::array<Summary, 2>& summaries) {
  std::array<Origin, 2> origins =
      origins_below(params_, node.origin, division.test, summaries[0].stats, summaries[1].stats, like_);
  std::array<std::vector<RowIndex>, 2> validation;
  if (stop_.active())
    validation =
        stop_.divide(node.id, node.validation, Fork(division.test, division.surrogates, division.default_branch),
                     input_.set_aside, {node.answer, summaries[0].stats.predicted(), summaries[1].stats.predicted()});
  const NodeId first =
      builder_.divide(node.id, std::move(division), std::array<NodeStats, 2>{summaries[0].stats, summaries[1].stats});
  n_nodes_ += 2;
  ++n_leaves_;
  std::array<Node, 2> children;
  for (std::int32_t b = 0; b < 2; ++b) {
    origins[b].total_weight = total_weight_;
    children[b] = make_node(first + b, origins[b], node.columns, summaries[b]);
    children[b].validation = std::move(validation[b]);
  }
  return children;
}

/// Of two children the smaller is counted; the larger has what is left of the parent's histogram, if that is there.
void Planner::open_children(std::array<Node, 2> children, const std::array<Summary, 2>& summaries,
                            Histogram histogram) {
  const std::size_t larger = children[0].n_rows <= children[1].n_rows ? 1 : 0;
  const auto goes_on = [&](std::size_t b) { return may_open(children[b], summaries[b]); };
  if (histogram.empty() || !goes_on(larger) || is_small(children[larger])) {
    for (std::size_t b = 0; b < 2; ++b) {
      if (goes_on(b)) open(std::move(children[b]));
    }
    return;
  }
  const NodeId counted = children[1 - larger].id;
  const bool both = goes_on(1 - larger);
  waiting_.push_back({std::move(children[larger]), counted, std::move(histogram)});
  if (both && !is_small(children[1 - larger])) {
    open(std::move(children[1 - larger]));
    return;
  }
  to_count_.push_back(counted);
  if (both) open(std::move(children[1 - larger]));
}

/// Grows what is below small nodes. Best first, they are then divided when their turn comes.
void Planner::finish_small(std::vector<RowBlock> blocks) {
  std::vector<Node> nodes = std::exchange(asked_small_, {});
  std::vector<Tree> trees(nodes.size());
  team_.run(nodes.size(), [&](std::size_t i, std::size_t) {
    interrupt_.check();
    trees[i] = grow_small(nodes[i], std::move(blocks[i]));
  });
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (std::exchange(root_is_small_, false)) {  // exact search then made all of the tree, to the last bit
      builder_.add_root(stats_of(trees[i], 0));
      nodes[i].answer = stats_of(trees[i], 0).predicted();
    }
    if (trees[i].n_nodes() == 1) continue;
    if (!frontier_.best_first()) {
      subtrees_.push_back({nodes[i].id, std::move(trees[i])});
      continue;
    }
    nodes[i].split.drop = trees[i].gain[0];
    nodes[i].subtree = std::make_shared<const Tree>(std::move(trees[i]));
    frontier_.push(std::move(nodes[i]));
  }
}

/// No more leaves than the whole may still get: with the one that it is, so many that other nodes get none.
Tree Planner::grow_small(const Node& node, RowBlock block) const {
  const RowBlock rows = in_order(std::move(block), input_.columns.size());
  GrowParams params = params_;
  params.max_bins = 0;
  params.features = *node.columns;
  if (params.max_leaf_nodes > 0) params.max_leaf_nodes -= n_leaves_ - 1;
  const auto n_columns = static_cast<std::ptrdiff_t>(input_.columns.size());
  const Dataset data{{rows.values.data(), n_columns, 1, rows.size(), input_.columns.size()}, input_.columns};
  Target target = input_.target;
  target.codes = rows.codes;
  target.y = rows.y;
  target.weight = rows.weight;
  target.exposure = rows.exposure;
  Origin origin = node.origin;
  origin.total_weight = total_weight_;
  ThreadTeam alone(1);
  Samples samples = make_samples(target, {}, interrupt_);
  for (double& y : samples.y) y = (y + samples.y_shift) - input_.moments.origin;  // as of all rows, not of these
  samples.y_shift = input_.moments.origin;
  std::shared_ptr<SortedColumns> sorted;
  if (params.sorts()) sorted = std::make_shared<SortedColumns>(sort_columns(data, samples, alone, interrupt_));
  return grow({.data = data,
               .target = target,
               .params = params,
               .samples = std::move(samples),
               .sorted = std::move(sorted),
               .origin = std::move(origin)},
              alone, interrupt_);
}

/// Takes a division over from the tree that was grown below a small node.
void Planner::reveal(Node node) {
  const Tree& tree = *node.subtree;
  const NodeId first = tree.first_child[node.place];
  std::array<Summary, 2> summaries;
  for (NodeId b = 0; b < 2; ++b) summaries[b].stats = stats_of(tree, first + b);
  std::array<Node, 2> children = add_children(node, division_of(tree, node.place), summaries);
  for (NodeId b = 0; b < 2; ++b) {
    if (tree.is_leaf(first + b)) continue;
    children[b].split.drop = tree.gain[first + b];
    children[b].subtree = node.subtree;
    children[b].place = first + b;
    frontier_.push(std::move(children[b]));
  }
}

/// Best first, nodes are numbered as they were made; otherwise as if one grower had gone down every branch in turn.
Tree Planner::finish() && {
  Tree top = stop_.best(std::move(builder_).finish());
  return frontier_.best_first() ? std::move(top) : join_subtrees(top, input_.start, subtrees_);
}

}  // namespace spinney
