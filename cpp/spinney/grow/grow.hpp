#pragma once
// The grower: from an empty tree, or onward from the leaves of a given one.

#include <optional>

#include "spinney/data/sorted.hpp"
#include "spinney/grow/params.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Everything that growth reads. samples and sorted are consumed: they are divided in place. With max_bins nothing
/// is sorted beforehand.
struct GrowInput {
  const Dataset& data;
  const Target& target;
  const GrowParams& params;
  Samples samples;
  std::optional<SortedColumns> sorted;
  const Tree* start = nullptr;  // its nodes keep what they know; its leaves are divided further
  const Validation* validation = nullptr;
};

/// A tree without nodes for the columns and classes of the input.
Tree empty_tree(const GrowInput& input);

Tree grow(GrowInput input, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
