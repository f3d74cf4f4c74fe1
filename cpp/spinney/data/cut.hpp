#pragma once

#include <numeric>

namespace spinney {

/// Halfway between two neighbouring values, never rounded onto the upper one.
inline double cut_between(double lower, double upper) {
  const double middle = std::midpoint(lower, upper);
  return middle < upper ? middle : lower;
}

}  // namespace spinney
