#pragma once
// Reduced-error pruning: bottom-up on rows that did not grow the tree; a branch goes if that is no worse.

#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/data/target.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Cost of every node as a leaf on the given rows.
std::vector<double> node_errors(const Tree& tree, const Matrix& x, const Target& target);

struct ReducedError {
  std::vector<std::uint8_t> make_leaf;  // nodes to turn into leaves
  double before = 0.0, after = 0.0;     // cost of the rows in the whole tree, and in what is left of it
};

/// Nodes that are marked in `fixed` stay as they are (none if it is empty).
ReducedError reduced_error(const Tree& tree, const Matrix& x, const Target& target,
                           std::span<const std::uint8_t> fixed = {});

/// For each of some rows of the target the node that answers it when the other rows of the target prune the tree: as
/// out of sample as a row can be that takes part. Rows go whole.
std::vector<NodeId> left_out_nodes(const Tree& tree, const Matrix& x, const Target& target,
                                   std::span<const RowIndex> rows);

/// The label of every node; zeros for regression.
std::vector<ClassCode> labels(const Tree& tree);
/// What the class of a row counts for: its weight or prior; 1 for regression.
double class_scale(const Target& target, std::size_t row);
/// Cost of giving one row of the target a label.
double class_cost(const Tree& tree, ClassCode label, const Target& target, std::size_t row);
/// Cost of answering one row of the target with a node's label or value.
double row_cost(const Tree& tree, NodeId node, ClassCode label, const Target& target, std::size_t row);

}  // namespace spinney
