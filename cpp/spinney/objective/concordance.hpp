#pragma once
// How well predicted risks order lifetimes.

#include <cstdint>
#include <span>

#include "spinney/interrupt.hpp"

namespace spinney {

/// Weights of the pairs of rows that can be compared: one had its event while the other was still at risk, which is at
/// least as long. A row without an event that left at the very time of an event was still at risk.
struct Concordance {
  double concordant = 0.0, discordant = 0.0, tied = 0.0;  // the first to have it had the higher risk, lower, the same
};

/// Of four arrays of equal length without NaN: O(n log n).
Concordance concordance(std::span<const double> time, std::span<const std::uint8_t> event, std::span<const double> risk,
                        std::span<const double> weight, Interrupt& interrupt);

}  // namespace spinney
