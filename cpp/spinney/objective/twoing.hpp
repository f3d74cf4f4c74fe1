#pragma once
// Twoing, a goodness of split; as a node's impurity Gini stands in.

#include <cmath>

#include "spinney/objective/gini.hpp"

namespace spinney {

/// pL pR / 4 (sum |p(j|L) - p(j|R)|)^2. With two classes it is Gini in disguise, so the order is enough there.
struct Twoing : ClassObjective {
  static constexpr std::string_view kName = "twoing";
  static constexpr bool kOrderIsEnough = true;
  static Twoing make(const ObjectiveChoice&, const Classes& classes) { return {classes}; }

  double loss(const double* w, double total) const { return Gini{{classes}}.loss(w, total); }
  double drop(const double* left, double left_total, const double* right, double right_total) const {
    double distance = 0.0;
    for (std::int32_t i = 0; i < classes.n; ++i) distance += std::abs(left[i] / left_total - right[i] / right_total);
    const double total = left_total + right_total;
    return left_total / total * right_total / 4.0 * distance * distance;
  }
};

}  // namespace spinney
