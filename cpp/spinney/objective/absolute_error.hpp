#pragma once
// Absolute error: a leaf answers with the median.

#include <algorithm>
#include <bit>
#include <cmath>

#include "spinney/objective/objective.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

/// Medians do not add up, so the rows are needed.
struct AbsoluteError : NumberObjective {
  static constexpr std::string_view kName = "absolute_error";
  static constexpr bool kNeedsRows = true;
  static AbsoluteError make(const ObjectiveChoice&) { return {}; }

  /// The sum of w |y - m|, m a weighted median: halfway between two values that share the middle, as statistics does.
  Leaf leaf(const Rows& rows) const {
    Leaf leaf;
    for (std::size_t i = 0; i < rows.size(); ++i) leaf.weight += rows[i].weight;
    const double half = leaf.weight / 2.0;
    double below = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      below += rows[i].weight;
      leaf.answer = rows[i].y;
      if (std::abs(below - half) <= tolerance::kSum * leaf.weight && i + 1 < rows.size())
        leaf.answer = rows[i].y / 2.0 + rows[i + 1].y / 2.0;
      if (below >= half * (1.0 - tolerance::kSum)) break;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) leaf.loss += rows[i].weight * cost(leaf.answer, rows[i]);
    return leaf;
  }
  double cost(double point, const Row& row) const { return std::abs(row.y - point); }

  /// The loss of a group that rows join one by one, each at its place in the order of y: O(log n) a row, by two
  /// Fenwick trees of weights and weighted targets.
  class Running {
   public:
    explicit Running(const AbsoluteError&, std::span<const double> y_by_place)
        : y_(y_by_place), n_(y_.size()), top_(std::bit_floor(n_)), weight_(n_ + 1, 0.0), sum_(n_ + 1, 0.0) {}

    void add(std::size_t place, double w) {
      const double wy = w * y_[place];
      total_ += w;
      total_sum_ += wy;
      for (std::size_t i = place + 1; i <= n_; i += i & (~i + 1)) {
        weight_[i] += w;
        sum_[i] += wy;
      }
    }
    /// sum of w |y - m| = (sum above - sum below) + m (weight below - weight above), m the y at the median's place.
    double loss() const {
      std::size_t at = 0;
      double below = 0.0, below_sum = 0.0;
      for (std::size_t step = top_; step > 0; step /= 2) {
        if (at + step <= n_ && below + weight_[at + step] < total_ / 2.0) {
          at += step;
          below += weight_[at];
          below_sum += sum_[at];
        }
      }
      const double median = y_[std::min(at, n_ - 1)];
      return std::max(0.0, total_sum_ - 2.0 * below_sum + median * (2.0 * below - total_));
    }

   private:
    std::span<const double> y_;
    std::size_t n_, top_;
    std::vector<double> weight_, sum_;
    double total_ = 0.0, total_sum_ = 0.0;
  };
};

}  // namespace spinney
