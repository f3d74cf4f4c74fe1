#include "spinney/splits/given_cut.hpp"

#include <algorithm>

#include "spinney/multiversion.hpp"

namespace spinney {

namespace {

/// Extremes of some of the values. Lanes are locals, not an array: most nodes have a few rows, and would wait for it.
struct Lane {
  double low = kInfinity, high = -kInfinity;
  bool missing = false;
  void add(double value) {
    low = value < low ? value : low;  // false for a missing one
    high = value > high ? value : high;
    missing |= value != value;
  }
};

}  // namespace

ValueRange gather_values(const double* column, std::span<const SampleIndex> members, double* out) {
  Lane a, b, c, d;  // they do not wait for each other
  const std::size_t n = members.size();
  const SampleIndex* const sample = members.data();
  const auto take = [&](std::size_t i, Lane& lane) {
    out[i] = column[sample[i]];
    lane.add(out[i]);
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    take(i, a);
    take(i + 1, b);
    take(i + 2, c);
    take(i + 3, d);
  }
  for (; i < n; ++i) take(i, a);
  ValueRange range{std::min(std::min(a.low, b.low), std::min(c.low, d.low)),
                   std::max(std::max(a.high, b.high), std::max(c.high, d.high))};
  if (a.missing || b.missing || c.missing || d.missing)
    range.n_missing = static_cast<std::size_t>(std::count_if(out, out + n, [](double x) { return x != x; }));
  return range;
}

SPINNEY_TWO_VERSIONS(std::size_t, count_left, (const double* value, std::size_t n, double threshold),
                     (value, n, threshold)) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += value[i] <= threshold ? 1 : 0;
  return count;
}

double sum_left(const GivenCut& cut, const double* y, double origin) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;  // sums that do not wait for each other
  const std::size_t n = cut.size();
  const SampleIndex* const sample = cut.members.data();
  const double* const value = cut.value;
  const double threshold = cut.threshold;
  const auto own = [&](std::size_t i) {
    const double distance = y[sample[i]] - origin;
    return value[i] <= threshold ? distance : 0.0;
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a += own(i);
    b += own(i + 1);
    c += own(i + 2);
    d += own(i + 3);
  }
  for (; i < n; ++i) a += own(i);
  return (a + b) + (c + d);
}

std::size_t part_samples(const GivenCut& cut, SampleIndex* left, SampleIndex* right) {
  std::size_t n_left = 0, n_right = 0;
  const SampleIndex* const sample = cut.members.data();
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const std::size_t goes_left = cut.value[i] <= cut.threshold ? 1 : 0;
    left[n_left] = sample[i];
    right[n_right] = sample[i];
    n_left += goes_left;
    n_right += 1 - goes_left;
  }
  return n_left;
}

}  // namespace spinney
