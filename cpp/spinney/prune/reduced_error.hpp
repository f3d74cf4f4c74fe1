#pragma once
// Reduced-error pruning: bottom-up on rows that did not grow the tree; a branch goes if that is no worse.

#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/data/target.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Cost of every node as a leaf on the given rows.
std::vector<double> node_errors(const Tree& tree, const Matrix& x, const Target& target);
/// Nodes to turn into leaves.
std::vector<std::uint8_t> reduced_error(const Tree& tree, const Matrix& x, const Target& target);

/// The label of every node; zeros for regression.
std::vector<ClassCode> labels(const Tree& tree);
/// Cost of giving one row of the target a label.
double class_cost(const Tree& tree, ClassCode label, const Target& target, std::size_t row);
/// Cost of answering one row of the target with a node's label or value.
double row_cost(const Tree& tree, NodeId node, ClassCode label, const Target& target, std::size_t row);

}  // namespace spinney
