#include "spinney/tree/route.hpp"

namespace spinney {

NodeId next_node(const Tree& tree, NodeId node, const Matrix& x, std::size_t row) {
  std::int32_t branch = tree.tests.answer(node, x, row);
  if (branch == kNoBranch) branch = tree.surrogates.first_answer(node, x, row);
  return tree.first_child[node] + (branch == kNoBranch ? tree.default_branch[node] : branch);
}

NodeId whole_leaf(const Tree& tree, const Matrix& x, std::size_t row) {
  NodeId node = 0;
  while (!tree.is_leaf(node)) {
    const std::int32_t branch = tree.tests.answer(node, x, row);
    if (branch == kNoBranch) return kNoNode;
    node = tree.first_child[node] + branch;
  }
  return node;
}

Fork::Fork(const Test& test, std::span<const Surrogate> surrogates, std::int32_t default_branch)
    : default_branch_(default_branch) {
  test_.append(test);
  for (const Surrogate& surrogate : surrogates) surrogates_.append(surrogate);
  surrogates_.close_node();
}

std::int32_t Fork::branch(const Matrix& x, std::size_t row) const {
  std::int32_t branch = test_.answer(0, x, row);
  if (branch == kNoBranch) branch = surrogates_.first_answer(0, x, row);
  return branch == kNoBranch ? default_branch_ : branch;
}

std::vector<RouteNode> route_nodes(const Tree& tree) {
  std::vector<RouteNode> nodes;
  nodes.reserve(tree.n_nodes());
  for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    const bool threshold = tree.tests.kind[node] == TestKind::threshold;
    nodes.push_back(threshold ? RouteNode{tree.tests.threshold[node], tree.tests.feature[node], tree.first_child[node]}
                              : RouteNode{kInfinity, 0, node});
  }
  return nodes;
}

}  // namespace spinney
