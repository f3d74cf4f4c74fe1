#pragma once
// What four given divisions take off the loss of samples that all weigh the same.

#include "spinney/splits/given_cut.hpp"

namespace spinney {

/// What divisions of some samples need to know of all of them.
struct LaneTask {
  const double* inverse;  // of every number of samples that a side can have
  double unit;            // the weight of a sample
  std::size_t least;      // samples on each side
};

/// Two classes by Gini: drops, -infinity where a side has too few, and how many of the second class go left.
struct ClassDrops {
  LaneCounts drops, ones;
};

/// The samples of the first class come before the n_ones of the second.
inline ClassDrops drops_of_classes(const GivenCuts& cuts, std::size_t n_ones, const LaneTask& task) {
  const std::size_t n = cuts.size(), n_zeros = n - n_ones;
  const auto all_ones = static_cast<double>(n_ones);
  const double parent = all_ones * all_ones * task.inverse[n];
  const LaneCounts zeros = count_left(cuts, 0, n_zeros);
  ClassDrops found{{}, count_left(cuts, n_zeros, n)};
  for (std::size_t lane = 0; lane < kRowLanes; ++lane) {
    const double ones = found.ones[lane], rest = all_ones - ones;
    const auto left = static_cast<std::size_t>(zeros[lane] + ones), right = n - left;
    const double score = ones * ones * task.inverse[left] + rest * rest * task.inverse[right];
    const bool allowed = left >= task.least && right >= task.least;
    found.drops[lane] = allowed ? 2.0 * (score - parent) * task.unit : -kInfinity;
  }
  return found;
}

/// Numbers by squared error; y by sample; origin: their mean.
inline LaneCounts drops_of_numbers(const GivenCuts& cuts, const double* y, double origin, const LaneTask& task) {
  const LaneSums left = sum_left(cuts, y, origin);  // those of the right sides are their opposites
  LaneCounts drops;
  for (std::size_t lane = 0; lane < kRowLanes; ++lane) {
    const auto n_left = static_cast<std::size_t>(left.n[lane]), n_right = cuts.size() - n_left;
    const double sum = left.sum[lane];
    const bool allowed = n_left >= task.least && n_right >= task.least;
    drops[lane] = allowed ? sum * sum * (task.inverse[n_left] + task.inverse[n_right]) * task.unit : -kInfinity;
  }
  return drops;
}

}  // namespace spinney
