#pragma once
// Pinball loss of one quantile, with which a leaf answers: at 0.9 a row above the answer costs 0.9 a unit, below 0.1.

#include "spinney/objective/pinball.hpp"

namespace spinney {

struct Quantile : Pinball {
  static constexpr std::string_view kName = "quantile";
  static bool allows(double quantile) { return quantile > 0.0 && quantile < 1.0; }
  static Quantile make(const ObjectiveChoice& choice) {
    Quantile out;
    out.above = choice.parameter;
    out.below = 1.0 - choice.parameter;
    return out;
  }
};

}  // namespace spinney
