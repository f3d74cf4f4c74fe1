#include "spinney/splits/moments.hpp"

#include "spinney/multiversion.hpp"

namespace spinney {

std::vector<double> make_inverses(std::size_t n) {
  std::vector<double> inverse(n + 1, 0.0);
  for (std::size_t i = 1; i <= n; ++i) inverse[i] = 1.0 / static_cast<double>(i);
  return inverse;
}

namespace {

bool too_small(const ScanRange& range) { return range.n < 2 * range.limits.rows; }

}  // namespace

// In each loop: before entry i, i entries stand left; the first limits.rows - 1 only add up; the last cut leaves
// limits.rows entries right.

SPINNEY_MULTIVERSION
Moment scan_two_classes(ScanRange range, const std::uint8_t* is_one, double n_ones, const double* inverse) {
  Moment best;
  if (too_small(range)) return best;
  const Entry* const e = range.entries;
  std::uint32_t ones = 0;
  std::size_t i = 0;
  for (; i + 1 < range.limits.rows; ++i) ones += is_one[e[i].sample];
  for (; i + range.limits.rows < range.n; ++i) {
    ones += is_one[e[i].sample];
    if (e[i].rank == e[i + 1].rank) continue;
    const double left = ones, right = n_ones - left;
    const double score = left * left * inverse[i + 1] + right * right * inverse[range.n - i - 1];
    if (score > best.score + range.slack) best = {score, static_cast<std::uint32_t>(i)};
  }
  return best;
}

SPINNEY_MULTIVERSION
Moment scan_two_classes(ScanRange range, const std::uint8_t* is_one, const double* weight, double ones, double total) {
  Moment best;
  if (too_small(range)) return best;
  const Entry* const e = range.entries;
  double left = 0.0, left_weight = 0.0;
  for (std::size_t i = 0; i + range.limits.rows < range.n; ++i) {
    const double w = weight[e[i].sample];
    left_weight += w;
    left += is_one[e[i].sample] ? w : 0.0;
    if (e[i].rank == e[i + 1].rank || i + 1 < range.limits.rows) continue;
    const double right = ones - left, right_weight = total - left_weight;
    if (!(right_weight > 0.0) || left_weight < range.limits.weight || right_weight < range.limits.weight) continue;
    const double score = left * left / left_weight + right * right / right_weight;
    if (score > best.score + range.slack) best = {score, static_cast<std::uint32_t>(i)};
  }
  return best;
}

SPINNEY_MULTIVERSION
Moment scan_mean(ScanRange range, const double* y, double mean, const double* inverse) {
  Moment best;
  if (too_small(range)) return best;
  const Entry* const e = range.entries;
  double total = 0.0;
  for (std::size_t i = 0; i < range.n; ++i) total += y[e[i].sample] - mean;
  double left = 0.0;
  std::size_t i = 0;
  for (; i + 1 < range.limits.rows; ++i) left += y[e[i].sample] - mean;
  for (; i + range.limits.rows < range.n; ++i) {
    left += y[e[i].sample] - mean;
    if (e[i].rank == e[i + 1].rank) continue;
    const double right = total - left;
    const double score = left * left * inverse[i + 1] + right * right * inverse[range.n - i - 1];
    if (score > best.score + range.slack) best = {score, static_cast<std::uint32_t>(i)};
  }
  best.score -= total * total * inverse[range.n];
  return best;
}

SPINNEY_MULTIVERSION
Moment scan_mean(ScanRange range, const double* y, double mean, const double* weight, double total_weight) {
  Moment best;
  if (too_small(range)) return best;
  const Entry* const e = range.entries;
  double total = 0.0;
  for (std::size_t i = 0; i < range.n; ++i) total += weight[e[i].sample] * (y[e[i].sample] - mean);
  double left = 0.0, left_weight = 0.0;
  for (std::size_t i = 0; i + range.limits.rows < range.n; ++i) {
    const double w = weight[e[i].sample];
    left_weight += w;
    left += w * (y[e[i].sample] - mean);
    if (e[i].rank == e[i + 1].rank || i + 1 < range.limits.rows) continue;
    const double right = total - left, right_weight = total_weight - left_weight;
    if (!(right_weight > 0.0) || left_weight < range.limits.weight || right_weight < range.limits.weight) continue;
    const double score = left * left / left_weight + right * right / right_weight;
    if (score > best.score + range.slack) best = {score, static_cast<std::uint32_t>(i)};
  }
  best.score -= total * total / total_weight;
  return best;
}

}  // namespace spinney
