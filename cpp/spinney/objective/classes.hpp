#pragma once
// What objectives of classes have in common: moments are the weights of the classes, and rows are judged by the costs
// of labels.

#include <numeric>

#include "spinney/objective/objective.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

/// Classes with the costs of taking one for another and with what each counts for.
struct Classes {
  std::int32_t n = 0;
  std::span<const double> cost = {};   // n * n, row true, column predicted; empty: 0/1
  std::span<const double> scale = {};  // empty: all 1

  double cost_of(std::int32_t truth, std::int32_t label) const {
    return cost.empty() ? (truth == label ? 0.0 : 1.0) : cost[static_cast<std::size_t>(truth) * n + label];
  }
  /// Expected cost, in weight, of one label for rows with these class weights.
  double cost_of_label(const double* weights, std::int32_t label) const {
    double total = 0.0;
    for (std::int32_t truth = 0; truth < n; ++truth) total += weights[truth] * cost_of(truth, label);
    return total;
  }
  /// The label of least expected cost; ties go to the lowest code.
  std::int32_t cheapest(const double* weights) const {
    constexpr double kBetter = 1.0 - tolerance::kSum;
    const double total = cost.empty() ? std::accumulate(weights, weights + n, 0.0) : 0.0;
    std::int32_t best = 0;
    double least = kInfinity;
    for (std::int32_t label = 0; label < n; ++label) {
      const double expected = cost.empty() ? total - weights[label] : cost_of_label(weights, label);
      if (expected < least * kBetter) {
        least = expected;
        best = label;
      }
    }
    return best;
  }
};

struct ClassObjective {
  static constexpr Task kTask = Task::classes;
  static constexpr bool kStrictlyConcave = false, kOrderIsEnough = false, kShiftInvariant = true, kNeedsRows = false;
  static constexpr bool kDefaultCost = true;

  Classes classes;

  std::size_t n_moments() const { return static_cast<std::size_t>(classes.n); }
  std::size_t n_outputs() const { return static_cast<std::size_t>(classes.n); }
  void add(const Row& row, double* moments) const { moments[row.code] += row.weight; }
  double point(const double* value) const { return classes.cheapest(value); }
  double cost(double point, const Row& row) const {
    const double scale = classes.scale.empty() ? 1.0 : classes.scale[row.code];
    return scale * classes.cost_of(row.code, static_cast<std::int32_t>(point));
  }
};

}  // namespace spinney
