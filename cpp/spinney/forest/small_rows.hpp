#pragma once
// Rows drawn near the training rows, as many as a small forest needs to learn what a pool answers.

#include "spinney/forest/small_teacher.hpp"

namespace spinney {

/// Each column of a row is that of a kept row, or of one at most `reach` places away in the order of the leaves of a
/// tree; `trees` take turns.
struct NearRows {
  const KeptRows& kept;
  const Target& target;
  const std::vector<std::size_t>& trees;
  const Forest& forest;
  std::uint64_t reach, seed;
  int halvings;

  OwnRows draw(std::size_t n, ThreadTeam& team, Interrupt& interrupt) const;
};

}  // namespace spinney
