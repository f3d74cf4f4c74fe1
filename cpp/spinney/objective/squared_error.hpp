#pragma once
// Squared error: a leaf answers with the mean.

#include "spinney/objective/objective.hpp"

namespace spinney {

/// The sum of y^2 is the same on both sides of a division, so that no group needs it: drops are differences of
/// (sum)^2 / weight.
struct SquaredError : NumberObjective {
  static constexpr std::string_view kName = "squared_error";
  static constexpr bool kStrictlyConcave = true, kDefaultCost = true, kCentres = true;
  static constexpr int kDegree = 2;
  static SquaredError make(const ObjectiveChoice&) { return {}; }

  std::size_t n_moments() const { return 1; }
  void add(const Row& row, double* moments) const { *moments += row.weight * row.y; }
  double drop(const double* left, double left_weight, const double* right, double right_weight) const {
    const double sum = *left + *right;
    return explained(*left, left_weight) + explained(*right, right_weight) - explained(sum, left_weight + right_weight);
  }
  double answer(const double* moments, double weight) const { return *moments / weight; }
  /// In two passes, for the sake of targets far from 0. SomeRows: Rows, or the like of them.
  template <class SomeRows>
  Leaf leaf(const SomeRows& rows) const {
    const double origin = rows[0].y;  // makes the mean of equal targets exact
    double sum = 0.0, loss = 0.0, weight = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      weight += rows[i].weight;
      sum += rows[i].weight * (rows[i].y - origin);
    }
    const double mean = origin + sum / weight;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double d = rows[i].y - mean;
      loss += rows[i].weight * d * d;
    }
    return {mean, loss, weight};
  }
  double cost(double point, const Row& row) const { return (row.y - point) * (row.y - point); }

  /// What the mean takes off the sum of y^2.
  static double explained(double sum, double weight) { return sum * sum / weight; }
};

}  // namespace spinney
