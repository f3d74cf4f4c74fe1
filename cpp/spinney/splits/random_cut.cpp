#include "spinney/splits/random_cut.hpp"

#include <algorithm>

namespace spinney {

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
