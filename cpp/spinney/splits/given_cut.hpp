#pragma once
// Given divisions of some samples, one or four at a time, and the loops that add up their left sides.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "spinney/lanes.hpp"
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

/// Four divisions of the same samples, each by a column of its own: in lane j sample members[i] goes left if
/// value[4 * i + j] <= threshold[j].
struct GivenCuts {
  std::span<const SampleIndex> members;
  const double* value = nullptr;
  std::array<double, kRowLanes> threshold = {};
  std::size_t size() const { return members.size(); }
};

/// Least and largest values of four columns, none of them missing.
struct LaneRanges {
  std::array<double, kRowLanes> low, high;
};

using LaneCounts = std::array<double, kRowLanes>;

/// How many samples go left by each of four cuts, and, of numbers, what they add up to.
struct LaneSums {
  std::array<double, kRowLanes> n, sum;
};

/// Writes the values of some samples. That of sample s is at column[s * stride].
ValueRange gather_values(const double* column, std::size_t stride, std::span<const SampleIndex> members, double* out);

/// The same of four columns side by side, from values row by row.
LaneRanges gather_lanes(const double* rows, std::size_t stride, std::span<const SampleIndex> members,
                        const std::array<FeatureIndex, kRowLanes>& columns, double* out);

/// How many of n values go left.
std::size_t count_left(const double* value, std::size_t n, double threshold);

/// The same by four cuts, of the members from one place to another.
LaneCounts count_left(const GivenCuts& cuts, std::size_t begin, std::size_t end);

/// The sum over the left side of y less an origin, by sample.
double sum_left(const GivenCut& cut, const double* y, double origin);
LaneSums sum_left(const GivenCuts& cuts, const double* y, double origin);

/// Lists the samples of both sides, in their order; there is room for one more than all in each. Returns how many go
/// left.
std::size_t part_samples(const GivenCut& cut, SampleIndex* left, SampleIndex* right);

/// Moves members to their sides of a threshold, in their order, by way of spare memory for one more than all. The value
/// of sample s is at column[s * stride]. Returns how many go left.
std::size_t part_in_place(const double* column, std::size_t stride, double threshold, std::span<SampleIndex> members,
                          SampleIndex* spare);

/// The same by one of four cuts; the members are those of its values.
std::size_t part_by_lane(const GivenCuts& cuts, std::size_t lane, std::span<SampleIndex> members, SampleIndex* spare);

}  // namespace spinney
