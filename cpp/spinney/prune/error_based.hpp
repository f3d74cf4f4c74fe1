#pragma once
// Error-based pruning as in C4.5: a branch stays if its leaves, each judged by an upper confidence limit on its
// errors, promise fewer errors than the node as a leaf, or than its largest branch in its place (subtree raising).

#include "spinney/data/matrix.hpp"
#include "spinney/data/target.hpp"
#include "spinney/interrupt.hpp"
#include "spinney/objective/objective.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

struct ErrorBasedParams {
  double cf = 0.25;  // confidence of the limit: less prunes more
  bool raise_subtrees = true;
  const ObjectiveChoice* criterion = nullptr;  // of the tree, for the impurity of nodes that get other rows
};

/// Turns branches into leaves whose leaves together err no less on the training rows.
Tree collapse_useless(const Tree& tree);

/// The pruned tree. x and target are the rows that grew it.
Tree error_based(const Tree& tree, const Matrix& x, const Target& target, const ErrorBasedParams& params,
                 Interrupt& interrupt);

}  // namespace spinney
