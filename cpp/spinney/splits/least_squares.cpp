#include "spinney/splits/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spinney {

namespace {

constexpr double kRidge = 1e-3;

/// Solves a x = w for a positive definite matrix, of which the lower half is given, by Cholesky's method; x is put
/// in the place of w.
void solve(std::vector<double>& a, std::vector<double>& w) {
  const std::size_t k = w.size();
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      double sum = a[r * k + c];
      for (std::size_t i = 0; i < c; ++i) sum -= a[r * k + i] * a[c * k + i];
      a[r * k + c] = r == c ? std::sqrt(std::max(sum, 1e-12)) : sum / a[c * k + c];
    }
  }
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t i = 0; i < r; ++i) w[r] -= a[r * k + i] * w[i];
    w[r] /= a[r * k + r];
  }
  for (std::size_t r = k; r-- > 0;) {
    for (std::size_t i = r + 1; i < k; ++i) w[r] -= a[i * k + r] * w[i];
    w[r] /= a[r * k + r];
  }
}

}  // namespace

Line least_squares(const std::vector<double>& columns, const std::vector<double>& y,
                   const std::vector<double>& weight) {
  const std::size_t n = y.size(), k = columns.size() / n;
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  const double mean = std::inner_product(y.begin(), y.end(), weight.begin(), 0.0) / total;
  std::vector<double> a(k * k, 0.0), means(k, 0.0), weighted(n);
  Line line{mean, std::vector<double>(k, 0.0)};
  for (std::size_t r = 0; r < k; ++r) {
    const double* column = columns.data() + r * n;
    for (std::size_t i = 0; i < n; ++i) weighted[i] = weight[i] * column[i];
    means[r] = std::accumulate(weighted.begin(), weighted.end(), 0.0) / total;
    for (std::size_t c = 0; c <= r; ++c) {
      const double product = std::inner_product(weighted.begin(), weighted.end(), columns.data() + c * n, 0.0);
      a[r * k + c] = product - total * means[r] * means[c];
    }
    a[r * k + r] += kRidge * total;
    for (std::size_t i = 0; i < n; ++i) line.slope[r] += weighted[i] * (y[i] - mean);
  }
  solve(a, line.slope);
  for (std::size_t r = 0; r < k; ++r) line.intercept -= line.slope[r] * means[r];
  return line;
}

std::vector<double> logistic_slope(const std::vector<double>& columns, const std::vector<double>& y,
                                   const std::vector<double>& weight) {
  constexpr int kSteps = 8;
  constexpr double kLeastWeight = 1e-4;
  const std::size_t n = y.size();
  std::vector<double> logit(n, 0.0), counted(n), working(n);
  Line line;
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      const double p = 1.0 / (1.0 + std::exp(-logit[i]));
      const double curvature = std::max(p * (1.0 - p), kLeastWeight);
      counted[i] = weight[i] * curvature;
      working[i] = logit[i] + (y[i] - p) / curvature;
    }
    line = least_squares(columns, working, counted);
    std::fill(logit.begin(), logit.end(), line.intercept);
    for (std::size_t c = 0; c < line.slope.size(); ++c) {
      for (std::size_t i = 0; i < n; ++i) logit[i] += line.slope[c] * columns[c * n + i];
    }
  }
  return line.slope;
}

}  // namespace spinney
