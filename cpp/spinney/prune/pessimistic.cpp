#include "spinney/prune/pessimistic.hpp"
#include "spinney/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spinney {

double upper_quantile(double p) {
  if (p >= 0.5) return 0.0;
  const double sqrt_two_pi = std::sqrt(2.0 * std::numbers::pi);
  double z = std::sqrt(-2.0 * std::log(2.0 * p));  // never too low: the tail is at most exp(-z * z / 2) / 2
  // Halley's method on tail(z) = p; it triples the number of right digits in each step.
  for (int step = 0; step < 30; ++step) {
    const double tail = 0.5 * std::erfc(z / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * z * z) / sqrt_two_pi;
    if (!(density > 0.0)) break;
    const double newton = (tail - p) / density;
    const double change = newton / (1.0 - 0.5 * newton * z);
    z += change;
    if (std::abs(change) <= 1e-15 * (1.0 + z)) break;
  }
  return z;
}

Pessimistic::Pessimistic(double cf) : cf_(cf), z_(upper_quantile(cf)) {}

/// Exact if there are no errors: the share for which seeing none has probability cf.
double Pessimistic::without_errors(double total) const { return -total * std::expm1(std::log(cf_) / total); }

double Pessimistic::added_errors(double total, double errors) const {
  if (!(total > 0.0)) return 0.0;
  if (errors < tolerance::kWeight) return without_errors(total);
  if (errors < 1.0) {
    const double base = without_errors(total);
    return base + errors * (added_errors(total, 1.0) - base);
  }
  if (errors + 0.5 >= total) return std::max(total - errors, 0.0);
  const double f = (errors + 0.5) / total, zz = z_ * z_;
  const double spread = z_ * std::sqrt(f / total - f * f / total + zz / (4.0 * total * total));
  const double upper = (f + zz / (2.0 * total) + spread) / (1.0 + zz / total);
  return upper * total - errors;
}

double Pessimistic::rate(double total, double errors) const {
  return total > 0.0 ? (errors + added_errors(total, errors)) / total : 1.0;
}

double added_errors(double total, double errors, double cf) { return Pessimistic(cf).added_errors(total, errors); }

}  // namespace spinney
