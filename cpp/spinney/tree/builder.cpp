#include "spinney/tree/builder.hpp"

#include <utility>

namespace spinney {

TreeBuilder TreeBuilder::from(const Tree& tree) {
  TreeBuilder builder(tree);
  builder.tree_.tests = {};
  builder.tree_.surrogates = {};
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const auto id = static_cast<NodeId>(node);
    builder.tree_.tests.append_leaf();
    if (!tree.is_leaf(id)) builder.set_test(id, tree.tests.get(node));
    for (std::int64_t s = tree.surrogates.lists.begin(node); s < tree.surrogates.lists.end(node); ++s)
      builder.stand_ins_[id].push_back(tree.surrogates.get(s));
  }
  return builder;
}

NodeStats stats_of(const Tree& tree, NodeId node) {
  const double* value = tree.values(node);
  return {.value = {value, value + tree.n_outputs()},
          .weight = tree.weight(node),
          .impurity = tree.impurity(node),
          .risk = tree.risk(node),
          .n_samples = tree.n_samples[node]};
}

Division division_of(const Tree& tree, NodeId node) {
  Division division{.test = tree.tests.get(node),
                    .gain = tree.gain[node],
                    .surrogates = {},
                    .default_branch = tree.default_branch[node]};
  for (std::int64_t s = tree.surrogates.lists.begin(node); s < tree.surrogates.lists.end(node); ++s)
    division.surrogates.push_back(tree.surrogates.get(s));
  return division;
}

NodeId TreeBuilder::append(NodeId leaf, const Tree& subtree) {
  const auto second = static_cast<NodeId>(tree_.n_nodes());
  const auto place = [&](NodeId node) { return node == 0 ? leaf : second + node - 1; };
  for (NodeId node = 1; node < static_cast<NodeId>(subtree.n_nodes()); ++node)
    add_node(place(subtree.parent[node]), stats_of(subtree, node));
  for (NodeId node = 0; node < static_cast<NodeId>(subtree.n_nodes()); ++node) {
    if (subtree.is_leaf(node)) continue;
    set_division(place(node), division_of(subtree, node), place(subtree.first_child[node]), subtree.n_children[node]);
  }
  return second;
}

NodeId TreeBuilder::add_node(NodeId parent, const NodeStats& stats) {
  const auto id = static_cast<NodeId>(tree_.n_nodes());
  tree_.first_child.push_back(kNoNode);
  tree_.n_children.push_back(0);
  tree_.parent.push_back(parent);
  tree_.default_branch.push_back(0);
  tree_.value.insert(tree_.value.end(), stats.value.begin(), stats.value.end());
  tree_.kept_weight.push_back(stats.weight);
  tree_.kept_impurity.push_back(stats.impurity);
  tree_.gain.push_back(0.0);
  tree_.kept_risk.push_back(stats.risk);
  tree_.n_samples.push_back(static_cast<std::uint32_t>(stats.n_samples));
  tree_.tests.append_leaf();
  return id;
}

NodeId TreeBuilder::divide(NodeId node, Division division, std::span<const NodeStats> children) {
  const auto first = static_cast<NodeId>(tree_.n_nodes());
  for (const NodeStats& child : children) add_node(node, child);
  set_division(node, std::move(division), first, static_cast<std::int32_t>(children.size()));
  return first;
}

void TreeBuilder::set_division(NodeId node, Division division, NodeId first_child, std::int32_t n_children) {
  tree_.first_child[node] = first_child;
  tree_.n_children.set(node, n_children);
  tree_.default_branch.set(node, division.default_branch);
  tree_.gain[node] = division.gain;
  set_test(node, std::move(division.test));
  if (!division.surrogates.empty()) stand_ins_[node] = std::move(division.surrogates);
}

void TreeBuilder::set_test(NodeId node, Test test) {
  tree_.tests.kind[node] = test.kind;
  tree_.tests.feature[node] = test.feature;
  tree_.tests.threshold[node] = test.threshold;
  if (!test.codes.empty() || !test.cuts.empty() || !test.tokens.empty()) listed_[node] = std::move(test);
}

Tree TreeBuilder::finish() && {
  const Test none;
  auto listed = listed_.begin();
  auto stand_ins = stand_ins_.begin();
  for (NodeId node = 0; node < static_cast<NodeId>(tree_.n_nodes()); ++node) {
    const bool has_list = listed != listed_.end() && listed->first == node;
    tree_.tests.append_lists(has_list ? (listed++)->second : none);
    if (stand_ins != stand_ins_.end() && stand_ins->first == node) {
      for (const Surrogate& surrogate : (stand_ins++)->second) tree_.surrogates.append(surrogate);
    }
    tree_.surrogates.close_node();
  }
  return std::move(tree_);
}

Tree join_subtrees(const Tree& top, const Tree* start, std::span<const Subtree> subtrees) {
  std::map<NodeId, const Tree*> below;
  for (const Subtree& subtree : subtrees) below[subtree.leaf] = &subtree.tree;
  TreeBuilder whole = start ? TreeBuilder::from(*start) : TreeBuilder(empty_like(top));
  if (!start) whole.add_root(stats_of(top, 0));
  std::vector<std::pair<NodeId, NodeId>> open = {{0, 0}};  // a node of top, and its number in the whole
  if (start) open.clear();
  for (NodeId node = 0; start && node < static_cast<NodeId>(start->n_nodes()); ++node) {
    if (start->is_leaf(node)) open.emplace_back(node, node);
  }
  while (!open.empty()) {
    const auto [node, id] = open.back();
    open.pop_back();
    if (const auto found = below.find(node); found != below.end()) {
      whole.append(id, *found->second);
    } else if (!top.is_leaf(node)) {
      std::vector<NodeStats> children;
      const NodeId first = top.first_child[node], n = top.n_children[node];
      for (NodeId child = first; child < first + n; ++child) children.push_back(stats_of(top, child));
      const NodeId at = whole.divide(id, division_of(top, node), children);
      for (NodeId b = n; b-- > 0;) open.emplace_back(first + b, at + b);
    }
  }
  return std::move(whole).finish();
}

}  // namespace spinney
