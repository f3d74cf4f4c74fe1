#pragma once
// The grower of ID3 and C4.5: tests of many branches, and rows with gaps that go down every branch in part.
//
// It works depth first, so that at any time a row is in one node only and has one weight there: entering a child
// multiplies the weights of the rows that the test could not place, leaving it restores them. CART's grower keeps
// many nodes open at once and cannot do that.

#include "spinney/grow/grow.hpp"

namespace spinney {

Tree grow_multiway(GrowInput input, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
