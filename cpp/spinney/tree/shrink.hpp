#pragma once
// Hierarchical shrinkage (Agarwal et al. 2022): what a node predicts is pulled towards the nodes above it. Each step
// from a parent to a child counts 1 / (1 + strength / weight of the parent).

#include "spinney/tree/tree.hpp"

namespace spinney {

/// What nodes predict after shrinkage: n_nodes * n_outputs class shares, or numbers. Monotone constraints hold.
std::vector<double> shrunk_answers(const Tree& tree, double strength);

/// A copy that predicts so.
Tree shrunk(const Tree& tree, double strength);

/// A copy that predicts as it was grown: by what its nodes count, within the bounds of monotone constraints.
Tree unshrunk(const Tree& tree);

}  // namespace spinney
