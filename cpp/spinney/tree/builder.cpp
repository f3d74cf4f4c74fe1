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
  tree_.first_child[node] = first;
  tree_.n_children.set(node, static_cast<std::int32_t>(children.size()));
  tree_.default_branch.set(node, division.default_branch);
  tree_.gain[node] = division.gain;
  set_test(node, std::move(division.test));
  if (!division.surrogates.empty()) stand_ins_[node] = std::move(division.surrogates);
  return first;
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

}  // namespace spinney
