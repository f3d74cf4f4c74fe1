#pragma once
// Trees and forests to arrays and back. The arrays of a tree are those of a forest of one.
//
// Reading trusts nothing: it throws std::invalid_argument, which names the tree and the node, for arrays that are not
// exactly what writing makes of some trees.

#include <span>

#include "spinney/file/parts.hpp"
#include "spinney/forest/forest.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

StoredParts store(const Tree& tree);
StoredParts store(const Forest& forest, ThreadTeam& team);

/// n_categories: of each column, 0 for numbers; category codes must be below. None: that is not checked.
Tree restore_tree(const PartViews& parts, std::span<const std::int32_t> n_categories);
Forest restore_forest(const PartViews& parts, std::span<const std::int32_t> n_categories, ThreadTeam& team);
inline Forest restore_forest(const PartViews& parts, std::span<const std::int32_t> n_categories, Interrupt& interrupt) {
  ThreadTeam alone(1, &interrupt);
  return restore_forest(parts, n_categories, alone);
}

}  // namespace spinney
