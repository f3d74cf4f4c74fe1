#pragma once
// What is drawn of a column at random, of rows and of bins alike: a threshold, or a side for each category.

#include <cstdint>
#include <span>

#include "spinney/random.hpp"
#include "spinney/types.hpp"

namespace spinney {

/// The stream of one column in one node, apart from that which draws the node's columns.
RandomStream cut_stream(std::uint64_t seed, PathKey path, FeatureIndex feature);

/// A number strictly below high, at least low, and as likely near one as near the other. Infinite ends count as the
/// largest finite numbers.
double draw_threshold(double low, double high, RandomStream& random);

/// Sends each of some categories one way or the other, but not all the same way; the first goes left.
void draw_sides(std::span<std::int32_t> side, RandomStream& random);

}  // namespace spinney
