#pragma once
// Growth by histograms on one machine: one worker, and a planner that asks it.

#include "spinney/grow/grow.hpp"

namespace spinney {

Tree grow_binned(GrowInput input, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
