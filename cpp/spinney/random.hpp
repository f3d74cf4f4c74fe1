#pragma once
// Random streams keyed by (seed, key): what one node draws does not depend on what others drew before it.

#include <cstdint>

namespace spinney {

/// Scrambles a number: the last step of SplitMix64, a bijection.
constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// The path from the root to a node as one number. A node's random stream is keyed by it, and so depends neither on the
/// order in which nodes are grown nor on who grows them.
using PathKey = std::uint64_t;
inline constexpr PathKey kRootPath = 0;
constexpr PathKey child_path(PathKey parent, std::int32_t branch) {
  return mix_bits(parent + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(branch) + 1));
}

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t key)
      : state_(mix_bits(seed) ^ mix_bits(key + 0x632be59bd9b4e019ULL)) {}

  std::uint64_t next() {  // SplitMix64
    state_ += 0x9e3779b97f4a7c15ULL;
    return mix_bits(state_);
  }
  /// Uniform in [0, n), n > 0, without modulo bias.
  std::uint64_t below(std::uint64_t n) {
    for (;;) {
      const std::uint64_t draw = next(), left = draw % n;
      if (draw - left <= ~std::uint64_t{0} - n) return left;  // else of the last n numbers, not all of which are there
    }
  }
  /// Uniform between 0 and 1, neither of them.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace spinney
