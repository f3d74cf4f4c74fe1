#pragma once
// An impurity that a user gives as a function of class shares.

#include "spinney/objective/classes.hpp"

namespace spinney {

struct CallableImpurity : ClassObjective {
  static constexpr std::string_view kName = "";  // it has none: users give the function
  static bool fits(const ObjectiveChoice& choice) { return static_cast<bool>(choice.callable); }
  static CallableImpurity make(const ObjectiveChoice& choice, const Classes& classes) {
    return {{classes}, &choice.callable};
  }

  const ImpurityFunction* function = nullptr;

  double loss(const double* w, double total) const {
    double out = 0.0;
    losses(w, &total, 1, &out);
    return out;
  }
  /// Of many groups in one call.
  void losses(const double* w, const double* totals, std::size_t n_groups, double* out) const {
    const std::size_t k = n_moments();
    std::vector<double> shares(w, w + n_groups * k);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] /= totals[i / k];
    (*function)(shares.data(), n_groups, classes.n, out);
    for (std::size_t g = 0; g < n_groups; ++g) out[g] *= totals[g];
  }
};

}  // namespace spinney
