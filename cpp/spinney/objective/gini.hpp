#pragma once
// Gini's impurity, without and with costs.

#include "spinney/objective/classes.hpp"

namespace spinney {

/// 1 - sum p^2.
struct Gini : ClassObjective {
  static constexpr std::string_view kName = "gini";
  static constexpr bool kStrictlyConcave = true, kOrderIsEnough = true;
  static bool fits(const ObjectiveChoice& choice) { return choice.name == kName && choice.cost.empty(); }
  static Gini make(const ObjectiveChoice&, const Classes& classes) { return {classes}; }

  double loss(const double* w, double total) const {
    double squares = 0.0;
    for (std::int32_t i = 0; i < classes.n; ++i) squares += w[i] * w[i];
    return total - squares / total;
  }
};

/// sum over i != j of L_ij p_i p_j. Two classes: Gini times the mean of both costs, so the order is enough.
struct CostGini : ClassObjective {
  static constexpr std::string_view kName = "gini";
  static constexpr bool kOrderIsEnough = true;
  static bool fits(const ObjectiveChoice& choice) { return choice.name == kName && !choice.cost.empty(); }
  static CostGini make(const ObjectiveChoice& choice, const Classes& classes) { return {{classes}, choice.cost}; }

  std::span<const double> costs = {};  // of the search; those of labels may be others

  double loss(const double* w, double total) const {
    const std::int32_t k = classes.n;
    double sum = 0.0;
    for (std::int32_t i = 0; i < k; ++i) {
      for (std::int32_t j = 0; j < k; ++j) sum += costs[static_cast<std::size_t>(i) * k + j] * w[i] * w[j];
    }
    return sum / total;
  }
};

}  // namespace spinney
