#pragma once
// What is drawn of a column at random, of rows and of bins alike: a threshold, or a side for each category.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "spinney/random.hpp"
#include "spinney/types.hpp"

namespace spinney {

/// The stream of one column in one node, apart from that which draws the node's columns.
inline RandomStream cut_stream(std::uint64_t seed, PathKey path, FeatureIndex feature) {
  constexpr std::uint64_t kCutStream = 0x8ebc6af09c88c6e3ULL;
  return {seed ^ kCutStream, child_path(path, feature)};
}

/// A number strictly below high, at least low, and as likely near one as near the other. Infinite ends count as the
/// largest finite numbers.
inline double draw_threshold(double low, double high, RandomStream& random) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const double share = random.uniform(), from = std::max(low, -kMost), to = std::min(high, kMost);
  const double drawn = std::isfinite(to - from) ? from + share * (to - from) : (1.0 - share) * from + share * to;
  return drawn >= low && drawn < high ? drawn : low;  // else it was rounded out of the range
}

/// Sends each of some categories one way or the other, but not all the same way; the first goes left.
void draw_sides(std::span<std::int32_t> side, RandomStream& random);

}  // namespace spinney
