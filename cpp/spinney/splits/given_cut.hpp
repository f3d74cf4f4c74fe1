#pragma once
// One given division of some samples, and the loops that add up its left side.

#include <cstddef>
#include <span>
#include <vector>

#include "spinney/types.hpp"

namespace spinney {

/// Sample members[i], in ascending order, goes left if value[i] <= threshold. All values are there.
struct GivenCut {
  std::span<const SampleIndex> members;
  const double* value = nullptr;
  double threshold = 0.0;
  std::size_t size() const { return members.size(); }
};

/// Least and largest of some values, and how many are missing.
struct ValueRange {
  double low = kInfinity, high = -kInfinity;
  std::size_t n_missing = 0;
};

/// Writes the values of some samples, from those of all samples.
ValueRange gather_values(const double* column, std::span<const SampleIndex> members, double* out);

/// How many of n values go left.
std::size_t count_left(const double* value, std::size_t n, double threshold);

/// The sum over the left side of y less an origin, by sample.
double sum_left(const GivenCut& cut, const double* y, double origin);

/// Lists the samples of both sides, in their order; there is room for one more than all in each. Returns how many go
/// left.
std::size_t part_samples(const GivenCut& cut, SampleIndex* left, SampleIndex* right);

}  // namespace spinney
