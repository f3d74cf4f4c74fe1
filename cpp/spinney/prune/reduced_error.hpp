#pragma once
// Reduced-error pruning: bottom-up on rows that did not grow the tree; a branch goes if that is no worse.

#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/data/target.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Cost of every node as a leaf on the given rows, by the objective of the tree.
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

/// The answer of every node that is judged: its label, or its number.
std::vector<double> points(const Tree& tree, const Judge& judge);

}  // namespace spinney
