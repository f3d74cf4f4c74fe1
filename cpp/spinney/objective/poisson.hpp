#pragma once
// Poisson deviance: counts, and how many to expect per unit of exposure.

#include "spinney/objective/deviance.hpp"

namespace spinney {

/// d(y, rate) = y log(y / rate) - (y - rate). Rates may have a gamma prior, whose mean is the rate of all rows and
/// whose coefficient of variation is given: a leaf then answers (count + k) / (exposure + k / mean), k = 1 / cv^2
/// (Therneau and Atkinson, An introduction to recursive partitioning using the rpart routines).
struct Poisson : Deviance<Poisson> {
  static constexpr std::string_view kName = "poisson";
  static constexpr bool kPositive = false;

  static Poisson make(const ObjectiveChoice& choice) {
    Poisson out = Deviance::make(choice);
    if (choice.prior_cv > 0.0 && choice.centre > 0.0) {
      out.prior_count = 1.0 / (choice.prior_cv * choice.prior_cv);
      out.prior_time = out.prior_count / choice.centre;
    }
    return out;
  }

  static double excess(double x, double rate) { return rate * divergence(x); }
  /// (1 + x) log(1 + x) - x; by its series where the difference would be of rounding.
  static double divergence(double x) {
    if (std::abs(x) < 1e-3) return x * x * (1.0 / 2 + x * (-1.0 / 6 + x * (1.0 / 12 + x * (-1.0 / 20 + x / 30))));
    return x > -1.0 ? (1.0 + x) * std::log1p(x) - x : 1.0;
  }
};

}  // namespace spinney
