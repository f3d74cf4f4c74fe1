#pragma once
// Tweedie deviance between Poisson (power 1) and gamma (power 2): sums of a random number of amounts, often none.

#include "spinney/objective/deviance.hpp"

namespace spinney {

/// d(y, rate) = y^(2-p) / ((1-p)(2-p)) - y rate^(1-p) / (1-p) + rate^(2-p) / (2-p), 1 < p < 2.
struct Tweedie : Deviance<Tweedie> {
  static constexpr std::string_view kName = "tweedie";
  static constexpr bool kPositive = false;

  double power = 1.5;

  static bool allows(double power) { return power > 1.0 && power < 2.0; }
  static Tweedie make(const ObjectiveChoice& choice) {
    Tweedie out = Deviance::make(choice);
    out.power = choice.parameter;
    return out;
  }

  /// rate^(2-p) ((1 + x)^(2-p) - 1 - (2-p) x) / ((1-p)(2-p)); by its series near 0.
  double excess(double x, double rate) const {
    const double q = 2.0 - power, scale = std::pow(rate, q);
    if (std::abs(x) < 1e-3) {
      const double fourth = (q - 2.0) * (q - 3.0) / 24.0;
      return scale * x * x * (1.0 / 2 + x * ((q - 2.0) / 6.0 + x * (fourth + x * fourth * (q - 4.0) / 5.0)));
    }
    const double grown = x > -1.0 ? std::expm1(q * std::log1p(x)) : -1.0;
    return scale * (grown - q * x) / ((1.0 - power) * q);
  }
};

}  // namespace spinney
