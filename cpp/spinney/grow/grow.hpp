#pragma once
// The grower: from an empty tree, or onward from the leaves of a given one.

#include <memory>

#include "spinney/data/bins.hpp"
#include "spinney/data/blocks.hpp"
#include "spinney/data/row_values.hpp"
#include "spinney/grow/constraints.hpp"
#include "spinney/grow/params.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Everything that growth reads. samples and sorted are consumed: they are divided in place, but for CART of depth 1,
/// which leaves sorted as it is. With max_bins, and for cuts at random, nothing is sorted beforehand.
struct GrowInput {
  const Dataset& data;
  const Target& target;
  const GrowParams& params;
  Samples samples;
  std::shared_ptr<SortedColumns> sorted;
  const BlockCodes* blocks = nullptr;  // of sorted, where the same columns are searched again and again
  const Tree* start = nullptr;         // its nodes keep what they know; its leaves are divided further
  const Validation* validation = nullptr;
  Origin origin = {};
  const BinBorders* borders = nullptr;  // with max_bins: of all columns asked; null: they are those of the samples
  std::shared_ptr<const RowValues> values = nullptr;  // of the samples, if known, for cuts at random
};

/// A tree without nodes for some columns and classes.
Tree empty_tree(std::size_t n_columns, const Target& target, const ObjectiveChoice& objective, MissingRule missing,
                MonotoneSigns monotone = {});

Tree grow(GrowInput input, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
