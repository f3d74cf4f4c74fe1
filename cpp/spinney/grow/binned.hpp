#pragma once
// Growth by histograms on one machine: one worker, and a planner that asks it.

#include "spinney/grow/grow.hpp"

namespace spinney {

/// The bins of all samples, which trees from parts of them share; null without max_bins, and where all is so small that
/// no tree has bins.
std::shared_ptr<const BinBorders> common_borders(const Dataset& data, const Samples& samples, const GrowParams& params,
                                                 ThreadTeam& team, Interrupt& interrupt);

Tree grow_binned(GrowInput input, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
