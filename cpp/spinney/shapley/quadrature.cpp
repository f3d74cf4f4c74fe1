#include "spinney/shapley/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spinney {

namespace {

/// A polynomial of Legendre and its slope.
struct Legendre {
  double value, slope;
};

Legendre legendre(std::size_t degree, double x) {
  double before = 1.0, value = x;
  for (std::size_t n = 2; n <= degree; ++n) {
    const auto k = static_cast<double>(n);
    const double next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k;
    before = value;
    value = next;
  }
  return {value, static_cast<double>(degree) * (x * value - before) / (x * x - 1.0)};
}

}  // namespace

Quadrature::Quadrature(std::size_t n_players) {
  const std::size_t n = std::max<std::size_t>((n_players + 1) / 2, 1);
  point.resize(n);
  weight.resize(n);
  for (std::size_t i = 0; i < (n + 1) / 2; ++i) {  // the roots are symmetric; this is the upper half of them
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5));
    if (2 * i + 1 == n) x = 0.0;
    for (int round = 0; round < 100; ++round) {
      const Legendre at = legendre(n, x);
      const double step = at.value / at.slope;
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    const double slope = legendre(n, x).slope;
    point[i] = 0.5 + 0.5 * x;
    point[n - 1 - i] = 0.5 - 0.5 * x;
    weight[i] = weight[n - 1 - i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
  rest.assign(point.rbegin(), point.rend());
}

}  // namespace spinney
