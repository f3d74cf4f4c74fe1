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
    const bool divide = tree.missing == MissingRule::fractional &&
                        tree.tests.answer(at.node, x.at(row, tree.tests.feature[at.node])) == kNoBranch;
    if (!divide) {
      stack.push_back({next_node(tree, at.node, x, row), at.weight});
      continue;
    }
    const NodeId first = tree.first_child[at.node];
    double total = 0.0;
    for (NodeId c = first; c < first + tree.n_children[at.node]; ++c) total += tree.weight[c];
    for (NodeId c = first + tree.n_children[at.node]; c-- > first;) {
      if (tree.weight[c] > 0.0) stack.push_back({c, at.weight * (tree.weight[c] / total)});
    }
  }
}

/// The same tree packed for speed: many rows go down at once, each step one load and one comparison.
class Router {
 public:
  explicit Router(const Tree& tree);
  /// leaf[i] for rows begin + i, whole rows (the fractional rule is the caller's business).
  void route(const Tree& tree, const Matrix& x, std::size_t begin, std::size_t end, NodeId* leaf) const;

 private:
  struct Packed {  // a leaf, or a test that is no threshold, leads back to itself
    double threshold;
    std::int32_t feature;
    NodeId child;
  };
  std::vector<Packed> nodes_;
};

}  // namespace spinney
