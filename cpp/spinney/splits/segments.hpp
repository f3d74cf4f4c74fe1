#pragma once
// Segments: runs of neighbouring values with equal class shares. For strictly concave impurities no cut inside one
// can be best (Fayyad and Irani 1992, generalised).

#include <span>
#include <vector>

#include "spinney/types.hpp"

namespace spinney {

/// Whether two groups of class weights have different shares; exact for whole-number weights.
inline bool shares_differ(std::size_t n_classes, const double* a, double a_weight, const double* b, double b_weight) {
  for (std::size_t c = 0; c < n_classes; ++c) {
    if (a[c] * b_weight != b[c] * a_weight) return true;
  }
  return false;
}

/// The cut points between the segments of a column; missing values are left out.
std::vector<double> segment_borders(std::span<const double> x, std::span<const std::int32_t> codes,
                                    std::int32_t n_classes);

}  // namespace spinney
