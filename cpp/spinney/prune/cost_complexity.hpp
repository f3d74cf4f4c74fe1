#pragma once
// Cost-complexity pruning (Breiman et al. 1984, chapter 3): which penalty alpha turns which node into a leaf.

#include <vector>

#include "spinney/tree/tree.hpp"

namespace spinney {

/// How a node's alpha is found from the branch below it.
enum class LinkRule : std::uint8_t {
  rpart,  // each child branch as it stands just before it collapses itself: rpart's table, to the last row
  exact,  // the branch as it stands at that very alpha: the smallest minimising subtrees, by definition
};

/// alpha is in cost per unit of the root's weight and leaf. The subtree for a given alpha: from the root down,
/// stop at the first node whose own alpha is not above it.
struct CostComplexity {
  std::vector<double> node_alpha;      // infinity in leaves
  std::vector<double> alphas;          // ascending, from 0 to where only the root is left
  std::vector<std::int64_t> n_leaves;  // of the subtree at each alpha
  std::vector<double> risks;           // its cost per unit of weight
};

CostComplexity cost_complexity(const Tree& tree, LinkRule rule);

/// Geometric means of neighbouring alphas stand for the intervals between them.
std::vector<double> typical_alphas(const std::vector<double>& alphas);

/// The subtree that is best at a given alpha.
Tree subtree_at(const Tree& tree, const CostComplexity& path, double alpha);

}  // namespace spinney
