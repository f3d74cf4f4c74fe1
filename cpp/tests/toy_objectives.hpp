#pragma once
// Objectives that the C++ tests add to the registry: nothing but these structs, and their lines there.

#include <cmath>

#include "spinney/objective/objective.hpp"

namespace spinney {

/// Poisson deviance, 2 (y log(y / answer) - (y - answer)): additive, and not shift-invariant.
struct ToyPoisson : NumberObjective {
  static constexpr std::string_view kName = "toy_poisson";
  static constexpr bool kStrictlyConcave = true, kShiftInvariant = false;
  static ToyPoisson make(const ObjectiveChoice&) { return {}; }

  std::size_t n_moments() const { return 2; }
  void add(const Row& row, double* moments) const {
    moments[0] += row.weight * row.y;
    moments[1] += row.weight * y_log(row.y, 1.0);
  }
  double loss(const double* moments, double weight) const { return 2.0 * (moments[1] - y_log(moments[0], weight)); }
  double answer(const double* moments, double weight) const { return moments[0] / weight; }
  double cost(double point, const Row& row) const { return 2.0 * (y_log(row.y, point) - (row.y - point)); }
  /// y log(y / of), 0 for y = 0.
  static double y_log(double y, double of) { return y > 0.0 ? y * std::log(y / of) : 0.0; }
};

/// Squared error once more, by its definition: what the general loops make of it is what the tight ones do.
struct ToySquares : NumberObjective {
  static constexpr std::string_view kName = "toy_squares";
  static constexpr bool kStrictlyConcave = true;
  static constexpr int kDegree = 2;
  static ToySquares make(const ObjectiveChoice&) { return {}; }

  std::size_t n_moments() const { return 2; }
  void add(const Row& row, double* moments) const {
    moments[0] += row.weight * row.y;
    moments[1] += row.weight * row.y * row.y;
  }
  double loss(const double* moments, double weight) const { return moments[1] - moments[0] * moments[0] / weight; }
  double answer(const double* moments, double weight) const { return moments[0] / weight; }
  double cost(double point, const Row& row) const { return (row.y - point) * (row.y - point); }
};

/// Huber's loss with its corner at 1: the answer is found by bisection, so the rows are needed.
struct ToyHuber : NumberObjective {
  static constexpr std::string_view kName = "toy_huber";
  static constexpr bool kNeedsRows = true;
  static ToyHuber make(const ObjectiveChoice&) { return {}; }

  double cost(double point, const Row& row) const {
    const double d = std::abs(row.y - point);
    return d <= 1.0 ? d * d / 2.0 : d - 0.5;
  }
  Leaf leaf(const Rows& rows) const {
    double low = rows[0].y, high = rows[rows.size() - 1].y;
    for (int step = 0; step < 100; ++step) {
      const double middle = low + (high - low) / 2.0;
      double pull = 0.0;
      for (std::size_t i = 0; i < rows.size(); ++i)
        pull += rows[i].weight * std::min(1.0, std::max(-1.0, rows[i].y - middle));
      (pull > 0.0 ? low : high) = middle;
    }
    Leaf leaf{low, 0.0, 0.0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      leaf.loss += rows[i].weight * cost(leaf.answer, rows[i]);
      leaf.weight += rows[i].weight;
    }
    return leaf;
  }
};

}  // namespace spinney
