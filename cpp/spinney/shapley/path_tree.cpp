#include "spinney/shapley/path_tree.hpp"

#include <algorithm>

#include "spinney/tree/predict.hpp"

namespace spinney {

PathTree::PathTree(const Tree& tree, const LeafRule& rule, std::size_t n_outputs)
    : tree_(tree), players_(tree), n_outputs_(n_outputs), adds_up_(n_outputs > 1) {
  if (rule.vote && !rule.groups.empty()) adds_up_ = false;
  set_shares();
  set_nodes();
  set_most_players();
  set_values(rule);
}

void PathTree::set_shares() {
  share_.assign(tree_.n_nodes(), 1.0);
  for (NodeId node = 0; node < static_cast<NodeId>(tree_.n_nodes()); ++node) {
    if (tree_.is_leaf(node)) continue;
    const NodeId first = tree_.first_child[node], end = first + tree_.n_children[node];
    double total = 0.0;
    for (NodeId child = first; child < end; ++child) total += tree_.weight(child);
    const double even = 1.0 / static_cast<double>(end - first);
    for (NodeId child = first; child < end; ++child) share_[child] = total > 0.0 ? tree_.weight(child) / total : even;
  }
}

void PathTree::set_nodes() {
  nodes_.reserve(tree_.n_nodes());
  std::vector<std::int32_t> depth(tree_.n_nodes(), 0);
  std::vector<std::int32_t> n_below(tree_.n_nodes(), 0);
  for (NodeId node = static_cast<NodeId>(tree_.n_nodes()) - 1; node > 0; --node)
    n_below[tree_.parent[node]] += n_below[node] + 1;
  std::vector<NodeId> open = {0};
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    PathNode& own = nodes_.emplace_back();
    own.node = node;
    own.share = share_[node];
    own.n_below = n_below[node];
    if (node > 0) {
      own.branch = node - tree_.first_child[tree_.parent[node]];
      own.depth = depth[node] = depth[tree_.parent[node]] + 1;
      depth_ = std::max(depth_, static_cast<std::size_t>(own.depth));
    }
    if (tree_.is_leaf(node)) continue;
    own.player = players_.of_test(node);
    own.is_threshold = tree_.tests.kind[node] == TestKind::threshold;
    own.feature = own.is_threshold ? tree_.tests.feature[node] : -1;
    own.threshold = tree_.tests.threshold[node];
    for (NodeId child = tree_.first_child[node] + tree_.n_children[node]; child-- > tree_.first_child[node];)
      open.push_back(child);
  }
}

void PathTree::set_most_players() {
  if (tree_.surrogates.tests.size() > 0) {  // who speaks depends on the row
    most_players_ = std::min(depth_, players_.size());
    return;
  }
  std::vector<std::int32_t> asked(players_.size(), 0);  // how often on the path
  std::vector<std::int32_t> path(depth_ + 1, kNoPlayer);
  std::size_t here = 0, at = 0;
  for (const PathNode& node : nodes_) {
    const auto depth = static_cast<std::size_t>(node.depth);
    for (; at > depth; --at) {
      if (path[at - 1] != kNoPlayer && --asked[path[at - 1]] == 0) --here;
    }
    if (node.n_below == 0) continue;
    path[depth] = node.player;
    at = depth + 1;
    if (node.player != kNoPlayer && asked[node.player]++ == 0) ++here;
    most_players_ = std::max(most_players_, here);
  }
}

void PathTree::set_values(const LeafRule& rule) {
  leaf_of_.assign(tree_.n_nodes(), 0);
  double size[2] = {0.0, 0.0};
  for (const std::int32_t group : rule.groups) size[group] += 1.0;
  std::vector<double> own(tree_.n_outputs());
  std::int32_t n_leaves = 0;
  for (PathNode& node : nodes_) {
    if (node.n_below > 0) continue;
    node.leaf = leaf_of_[node.node] = n_leaves++;
    std::fill(own.begin(), own.end(), 0.0);
    if (rule.vote && tree_.n_classes > 0) {
      own[tree_.label(node.node)] = 1.0;
    } else {
      add_answer(tree_, node.node, 1.0, own.data());
    }
    for (std::size_t c = 0; c < n_outputs_; ++c) {
      const double said = rule.groups.empty() ? own[c] : own[rule.groups[c]] / (rule.vote ? 1.0 : size[rule.groups[c]]);
      values_.push_back(rule.weight * said);
    }
  }
}

void PathTree::add_expected(double* out) const {
  std::vector<double> reached(depth_ + 1, 1.0);
  for (const PathNode& node : nodes_) {
    if (node.depth > 0) {
      const NodeId parent = tree_.parent[node.node];
      const bool asks_nobody = players_.of_test(parent) == kNoPlayer;  // then it goes as every row does
      const double share =
          asks_nobody ? (players_.said(tree_, parent, Matrix{}, 0).branch == node.branch ? 1.0 : 0.0) : node.share;
      reached[node.depth] = reached[node.depth - 1] * share;
    }
    if (node.n_below > 0) continue;
    for (std::size_t c = 0; c < n_outputs_; ++c) out[c] += reached[node.depth] * values(node)[c];
  }
}

}  // namespace spinney
