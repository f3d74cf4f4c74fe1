#include "spinney/tree/route.hpp"

#include <algorithm>

namespace spinney {

NodeId next_node(const Tree& tree, NodeId node, const Matrix& x, std::size_t row) {
  std::int32_t branch = tree.tests.answer(node, x.at(row, tree.tests.feature[node]));
  for (std::int64_t s = tree.surrogates.begin[node]; branch == kNoBranch && s < tree.surrogates.begin[node + 1]; ++s) {
    branch = tree.surrogates.answer(s, x.at(row, tree.surrogates.tests.feature[s]));
  }
  return tree.first_child[node] + (branch == kNoBranch ? tree.default_branch[node] : branch);
}

NodeId whole_leaf(const Tree& tree, const Matrix& x, std::size_t row) {
  NodeId node = 0;
  while (!tree.is_leaf(node)) {
    const std::int32_t branch = tree.tests.answer(node, x.at(row, tree.tests.feature[node]));
    if (branch == kNoBranch) return kNoNode;
    node = tree.first_child[node] + branch;
  }
  return node;
}

Fork::Fork(const Test& test, std::span<const Surrogate> surrogates, std::int32_t default_branch)
    : default_branch_(default_branch) {
  test_.append(test);
  for (const Surrogate& surrogate : surrogates) surrogates_.append(surrogate);
}

std::int32_t Fork::branch(const Matrix& x, std::size_t row) const {
  std::int32_t branch = test_.answer(0, x.at(row, test_.feature[0]));
  for (std::size_t s = 0; branch == kNoBranch && s < surrogates_.tests.size(); ++s) {
    branch = surrogates_.answer(s, x.at(row, surrogates_.tests.feature[s]));
  }
  return branch == kNoBranch ? default_branch_ : branch;
}

Router::Router(const Tree& tree) {
  nodes_.reserve(tree.n_nodes());
  for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    const bool threshold = tree.tests.kind[node] == TestKind::threshold;
    nodes_.push_back(threshold ? Packed{tree.tests.threshold[node], tree.tests.feature[node], tree.first_child[node]}
                               : Packed{kInfinity, 0, node});
  }
}

namespace {

constexpr std::size_t kLanes = 16;  // rows in flight: hides the latency of one load per level

/// A row on its way down; one that met NaN is suspect and must be routed again with care.
struct Lane {
  const double* values;
  std::size_t row;
  NodeId at;
  bool suspect;
};

}  // namespace

void Router::route(const Tree& tree, const Matrix& x, std::size_t begin, std::size_t end, NodeId* leaf) const {
  if (nodes_.size() == 1) {
    std::fill(leaf, leaf + (end - begin), 0);
    return;
  }
  const auto enter = [&](std::size_t row) {
    return Lane{x.data + static_cast<std::ptrdiff_t>(row) * x.row_stride, row, 0, false};
  };
  Lane lanes[kLanes];
  std::size_t n_lanes = 0, next_row = begin;
  while (n_lanes < kLanes && next_row < end) lanes[n_lanes++] = enter(next_row++);
  while (n_lanes > 0) {
    for (std::size_t i = 0; i < n_lanes; ++i) {
      Lane& lane = lanes[i];
      const Packed& node = nodes_[lane.at];
      const double value = lane.values[node.feature * x.column_stride];
      const NodeId next = node.child + (value > node.threshold ? 1 : 0);
      lane.suspect |= value != value;
      if (next != lane.at) {
        lane.at = next;
        continue;
      }
      // A leaf, or a test that is no threshold: finish the row, and let another one in.
      NodeId at = lane.suspect ? 0 : lane.at;
      while (!tree.is_leaf(at)) at = next_node(tree, at, x, lane.row);
      leaf[lane.row - begin] = at;
      if (next_row < end) {
        lane = enter(next_row++);
      } else {
        lane = lanes[--n_lanes];
        --i;
      }
    }
  }
}

}  // namespace spinney
