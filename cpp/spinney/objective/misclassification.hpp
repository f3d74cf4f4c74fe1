#pragma once
// The share of rows that the most frequent class gets wrong.

#include "spinney/objective/classes.hpp"

namespace spinney {

/// 1 - max p.
struct Misclassification : ClassObjective {
  static constexpr std::string_view kName = "misclassification";
  static Misclassification make(const ObjectiveChoice&, const Classes& classes) { return {classes}; }

  double loss(const double* w, double total) const {
    double most = 0.0;
    for (std::int32_t i = 0; i < classes.n; ++i) most = w[i] > most ? w[i] : most;
    return total - most;
  }
};

}  // namespace spinney
