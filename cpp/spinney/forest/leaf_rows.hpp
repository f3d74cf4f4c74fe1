#pragma once
// The training rows in the leaves of a forest, and quantiles of their targets: quantile regression forests
// (Meinshausen 2006). A leaf divides a weight of 1 among its rows; those of all trees together are the distribution
// of the target of a row that reaches these leaves.

#include "spinney/forest/shrinkage.hpp"

namespace spinney {

/// Tree by tree and in each tree leaf by leaf, the places of the rows in the order of the target. A row that was drawn
/// twice is there twice.
struct LeafRows {
  std::vector<std::uint32_t> place;
  std::vector<std::uint32_t> begin;  // n_nodes + 1 a tree: where the rows of a node begin among those of its tree
  std::vector<std::int64_t> tree;    // n_trees + 1: where the rows of a tree begin
};

/// place_of_row: where each row stands in the order of the target.
LeafRows leaf_rows(const Forest& forest, std::span<const DrawnMember> members, const Matrix& x, const Target& target,
                   std::span<const std::uint32_t> place_of_row, ThreadTeam& team, Interrupt& interrupt);

/// The same, borrowed, with targets and weights by place.
struct LeafTargets {
  std::span<const std::uint32_t> place, begin;
  std::span<const std::int64_t> tree;
  std::span<const double> y, weight;
};

/// out: n_rows * quantiles.size(), each the least target that, with all below it, has so much of the weight.
void leaf_quantiles(const Forest& forest, const LeafTargets& leaves, std::span<const std::int64_t> members,
                    const Matrix& x, std::span<const double> quantiles, double* out, const Work& work);

}  // namespace spinney
