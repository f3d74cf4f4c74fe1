#pragma once
// Entropy in bits.

#include <cmath>

#include "spinney/objective/classes.hpp"

namespace spinney {

/// - sum p log2 p.
struct Entropy : ClassObjective {
  static constexpr std::string_view kName = "entropy", kOtherName = "log_loss";
  static constexpr bool kStrictlyConcave = true, kOrderIsEnough = true;
  static Entropy make(const ObjectiveChoice&, const Classes& classes) { return {classes}; }

  double loss(const double* w, double total) const {
    double sum = 0.0;
    for (std::int32_t i = 0; i < classes.n; ++i) {
      if (w[i] > 0.0) sum += w[i] * std::log2(total / w[i]);
    }
    return sum;
  }
};

}  // namespace spinney
