#pragma once
// Rows to leaves: shared by prediction, pruning and further growth. A value that the node's test cannot answer
// goes by the node's surrogates, then by its default branch; under the fractional rule it goes every way.

#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// The child that a row goes to, whole, from an inner node.
NodeId next_node(const Tree& tree, NodeId node, const Matrix& x, std::size_t row);

/// The leaf of a row that every test on its way can place; kNoNode if one cannot.
NodeId whole_leaf(const Tree& tree, const Matrix& x, std::size_t row);

/// One node's test with its stand-ins, before it is part of a tree.
class Fork {
 public:
  Fork(const Test& test, std::span<const Surrogate> surrogates, std::int32_t default_branch);
  std::int32_t branch(const Matrix& x, std::size_t row) const;

 private:
  TestTable test_;
  SurrogateTable surrogates_;
  std::int32_t default_branch_;
};

/// A row, or a share of it, at a node.
struct Share {
  NodeId node;
  double weight;
};

/// Calls visit(node, share) for every node that a row passes, root first; shares are below 1 only under the
/// fractional rule. `stack` is scratch memory of the caller's.
template <class Visit>
void visit_path(const Tree& tree, const Matrix& x, std::size_t row, std::vector<Share>& stack, Visit&& visit) {
  stack.assign(1, {0, 1.0});
  while (!stack.empty()) {
    const Share at = stack.back();
    stack.pop_back();
    visit(at.node, at.weight);
    if (tree.is_leaf(at.node)) continue;
    const bool divide = tree.missing == MissingRule::fractional && tree.tests.answer(at.node, x, row) == kNoBranch;
    if (!divide) {
      stack.push_back({next_node(tree, at.node, x, row), at.weight});
      continue;
    }
    const NodeId first = tree.first_child[at.node];
    double total = 0.0;
    for (NodeId c = first; c < first + tree.n_children[at.node]; ++c) total += tree.weight(c);
    for (NodeId c = first + tree.n_children[at.node]; c-- > first;) {
      if (tree.weight(c) > 0.0) stack.push_back({c, at.weight * (tree.weight(c) / total)});
    }
  }
}

/// A node packed for speed: one load and one comparison a step. A leaf, or a test that is no threshold, leads back to
/// itself.
struct RouteNode {
  double threshold;
  std::int32_t feature;
  NodeId child;

  bool can_place(double value) const { return value == value; }
  NodeId next(double value) const { return child + (value > threshold ? 1 : 0); }
};

std::vector<RouteNode> route_nodes(const Tree& tree);

/// Where a row is after a careful step, and whether it stays there.
struct Arrival {
  NodeId node;
  bool is_leaf;
};

/// Sends many rows down at once, whole (the fractional rule is the caller's business).
///   nodes_of(i)    the nodes of the tree that the i-th way goes down
///   row_of(i)      its row
///   step(i, node)  where it goes on by the tree itself, asked where a node leads back to itself, as leaves do, or
///                  cannot place a value
template <class NodesOf, class RowOf, class CarefulStep>
void route_many(const Matrix& x, std::size_t n, const NodesOf& nodes_of, const RowOf& row_of, const CarefulStep& step,
                NodeId* leaf) {
  static constexpr double kNothing = 0.0;
  const bool no_columns = x.n_columns == 0;  // then there is no value to load
  constexpr std::size_t kLanes = 16;         // ways at once: hides the latency of one load per level
  using NodePointer = decltype(nodes_of(0));
  struct Lane {
    const double* values;
    NodePointer nodes;
    std::size_t way;
    NodeId at;
  };
  const auto enter = [&](std::size_t i) {
    const double* values = no_columns ? &kNothing : x.data + static_cast<std::ptrdiff_t>(row_of(i)) * x.row_stride;
    return Lane{values, nodes_of(i), i, 0};
  };
  Lane lanes[kLanes];
  std::size_t n_lanes = 0, next = 0;
  while (n_lanes < kLanes && next < n) lanes[n_lanes++] = enter(next++);
  while (n_lanes > 0) {
    for (std::size_t i = 0; i < n_lanes; ++i) {
      Lane& lane = lanes[i];
      const auto& node = lane.nodes[lane.at];
      const double value = lane.values[node.feature * x.column_stride];
      const NodeId child = node.next(value);
      if (child != lane.at && node.can_place(value)) {
        lane.at = child;
        continue;
      }
      const Arrival arrival = step(lane.way, lane.at);
      lane.at = arrival.node;
      if (!arrival.is_leaf) continue;
      leaf[lane.way] = lane.at;
      if (next < n) {
        lane = enter(next++);
      } else {
        lane = lanes[--n_lanes];
        --i;
      }
    }
  }
}

/// The leaf that a row reaches from a node, step by step.
inline NodeId walk(const Tree& tree, NodeId node, const Matrix& x, std::size_t row) {
  while (!tree.is_leaf(node)) node = next_node(tree, node, x, row);
  return node;
}

}  // namespace spinney
