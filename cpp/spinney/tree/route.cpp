#include "spinney/tree/route.hpp"

#include <algorithm>

#include "spinney/multiversion.hpp"

namespace spinney {

NodeId next_node(const Tree& tree, NodeId node, const Matrix& x, std::size_t row) {
  std::int32_t branch = tree.tests.answer(node, x.at(row, tree.tests.feature[node]));
  for (std::int64_t s = tree.surrogates.begin[node]; branch == kNoBranch && s < tree.surrogates.begin[node + 1]; ++s) {
    branch = tree.surrogates.answer(s, x.at(row, tree.surrogates.tests.feature[s]));
  }
  return tree.first_child[node] + (branch == kNoBranch ? tree.default_branch[node] : branch);
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

/// Moves kLanes rows down until none moves. A lane that met NaN is reported as suspect and must be routed again
/// with care; a lane that stopped at an inner node met a test that is no threshold.
template <class Packed>
void descend(const Packed* nodes, const double* const* rows, std::ptrdiff_t stride, NodeId* at, std::uint8_t* suspect) {
  for (std::int32_t moved = 1; moved != 0;) {
    moved = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Packed& node = nodes[at[lane]];
      const double value = rows[lane][node.feature * stride];
      const NodeId next = node.child + (value > node.threshold ? 1 : 0);
      suspect[lane] = static_cast<std::uint8_t>(suspect[lane] | (value != value ? 1 : 0));
      moved |= next ^ at[lane];
      at[lane] = next;
    }
  }
}

}  // namespace

void Router::route(const Tree& tree, const Matrix& x, std::size_t begin, std::size_t end, NodeId* leaf) const {
  if (nodes_.size() == 1) {
    std::fill(leaf, leaf + (end - begin), 0);
    return;
  }
  for (std::size_t block = begin; block < end; block += kLanes) {
    const std::size_t count = std::min(kLanes, end - block);
    const double* rows[kLanes];
    NodeId at[kLanes] = {};
    std::uint8_t suspect[kLanes] = {};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {  // spare lanes repeat the last row
      const auto row = static_cast<std::ptrdiff_t>(block + std::min(lane, count - 1));
      rows[lane] = x.data + row * x.row_stride;
    }
    descend(nodes_.data(), rows, x.column_stride, at, suspect);
    for (std::size_t lane = 0; lane < count; ++lane) {
      NodeId node = suspect[lane] ? 0 : at[lane];
      while (!tree.is_leaf(node)) node = next_node(tree, node, x, block + lane);
      leaf[block - begin + lane] = node;
    }
  }
}

}  // namespace spinney
