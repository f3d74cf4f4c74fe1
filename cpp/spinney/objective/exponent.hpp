#pragma once
// The exponent-based impurity.

#include <cmath>

#include "spinney/objective/classes.hpp"

namespace spinney {

/// 1 - (1/e) sum p e^p.
struct Exponent : ClassObjective {
  static constexpr std::string_view kName = "exponent";
  static constexpr bool kStrictlyConcave = true, kOrderIsEnough = true;
  static Exponent make(const ObjectiveChoice&, const Classes& classes) { return {classes}; }

  double loss(const double* w, double total) const {
    double sum = 0.0;
    for (std::int32_t i = 0; i < classes.n; ++i) sum += w[i] * std::exp(w[i] / total - 1.0);
    return total - sum;
  }
};

}  // namespace spinney
