#pragma once
// Gamma deviance: positive amounts whose spread grows with their size.

#include "spinney/objective/deviance.hpp"

namespace spinney {

/// d(y, rate) = y / rate - 1 - log(y / rate): of shares of the answer only.
struct Gamma : Deviance<Gamma> {
  static constexpr std::string_view kName = "gamma";
  static constexpr bool kPositive = true;
  static constexpr int kDegree = 0;

  static double excess(double x, double) {
    if (std::abs(x) < 1e-3) return x * x * (1.0 / 2 + x * (-1.0 / 3 + x * (1.0 / 4 + x * (-1.0 / 5 + x / 6))));
    return x - std::log1p(x);
  }
};

}  // namespace spinney
