#pragma once
// What the nodes of a tree know, from other rows than those that grew it.

#include "spinney/data/matrix.hpp"
#include "spinney/data/target.hpp"
#include "spinney/grow/params.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Gives every node that samples reach what it would know had they grown it: class weights or mean, number of rows,
/// impurity, risk, and the gain of its test. Other nodes stay as they are, but the
/// tree keeps its monotone constraints. Not for fractions of rows.
void recount(Tree& tree, const Dataset& data, const Target& target, const Samples& samples,
             const ObjectiveChoice& criterion, Interrupt& interrupt);

}  // namespace spinney
