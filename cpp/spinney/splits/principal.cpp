#include "spinney/splits/principal.hpp"

#include <algorithm>
#include <cmath>

namespace spinney {

/// By power iteration.
void principal_component(const Groups& groups, std::vector<double>& keys) {
  const std::size_t k = groups.k;
  std::vector<double> shares(groups.moments), mean(k, 0.0), axis(k), next(k);
  double total = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t c = 0; c < k; ++c) mean[c] += groups.moments_of(g)[c];
    for (std::size_t c = 0; c < k; ++c) shares[g * k + c] /= groups.weight[g];
    total += groups.weight[g];
  }
  for (double& m : mean) m /= total;
  for (std::size_t c = 0; c < k; ++c) axis[c] = 1.0 / static_cast<double>(c + 1);
  const auto project = [&](std::size_t g) {
    double dot = 0.0;
    for (std::size_t c = 0; c < k; ++c) dot += (shares[g * k + c] - mean[c]) * axis[c];
    return dot;
  };
  for (int iteration = 0; iteration < 30; ++iteration) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double pull = groups.weight[g] * project(g);
      for (std::size_t c = 0; c < k; ++c) next[c] += pull * (shares[g * k + c] - mean[c]);
    }
    double norm = 0.0;
    for (const double x : next) norm += x * x;
    if (!(norm > 0.0)) break;
    for (std::size_t c = 0; c < k; ++c) axis[c] = next[c] / std::sqrt(norm);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) keys[g] = project(g);
}

}  // namespace spinney
