#include "spinney/splits/random_cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spinney {

RandomStream cut_stream(std::uint64_t seed, PathKey path, FeatureIndex feature) {
  constexpr std::uint64_t kCutStream = 0x8ebc6af09c88c6e3ULL;
  return {seed ^ kCutStream, child_path(path, feature)};
}

double draw_threshold(double low, double high, RandomStream& random) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const double share = random.uniform(), from = std::max(low, -kMost), to = std::min(high, kMost);
  const double drawn = std::isfinite(to - from) ? from + share * (to - from) : (1.0 - share) * from + share * to;
  return drawn >= low && drawn < high ? drawn : low;  // else it was rounded out of the range
}

void draw_sides(std::span<std::int32_t> side, RandomStream& random) {
  do {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < side.size(); ++i, bits >>= 1) {
      if (i % 64 == 0) bits = random.next();
      side[i] = static_cast<std::int32_t>(bits & 1);
    }
  } while (std::all_of(side.begin(), side.end(), [&](std::int32_t b) { return b == side[0]; }));
  const std::int32_t first = side[0];
  for (std::int32_t& b : side) b ^= first;
}

}  // namespace spinney
