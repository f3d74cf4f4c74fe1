#pragma once
// Pinball loss, which absolute error and quantiles have in common: a leaf answers with a weighted quantile.

#include <algorithm>
#include <bit>
#include <cmath>

#include "spinney/objective/objective.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

/// A row costs `above` for each unit that it lies above the answer, and `below` for each below. Quantiles do not add
/// up, so the rows are needed.
struct Pinball : NumberObjective {
  static constexpr bool kNeedsRows = true;

  double above = 1.0, below = 1.0;
  /// The share of the weight that lies below the best answer.
  double share() const { return above / (above + below); }

  /// How much larger than a loss the sums are that it is a difference of: rounding is relative to them.
  double cancelled() const { return (above + below) / (2.0 * std::min(above, below)); }

  /// The answer is halfway between two values that share the place of the quantile, as statistics does with medians.
  Leaf leaf(const Rows& rows) const {
    Leaf leaf;
    for (std::size_t i = 0; i < rows.size(); ++i) leaf.weight += rows[i].weight;
    const double wanted = share() * leaf.weight;
    double passed = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      passed += rows[i].weight;
      leaf.answer = rows[i].y;
      if (std::abs(passed - wanted) <= tolerance::kSum * leaf.weight && i + 1 < rows.size())
        leaf.answer = rows[i].y / 2.0 + rows[i + 1].y / 2.0;
      if (passed >= wanted * (1.0 - tolerance::kSum)) break;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) leaf.loss += rows[i].weight * cost(leaf.answer, rows[i]);
    return leaf;
  }
  double cost(double point, const Row& row) const {
    return row.y > point ? above * (row.y - point) : below * (point - row.y);
  }

  /// The loss of a group that rows join one by one, each at its place in the order of y: O(log n) a row, by two
  /// Fenwick trees of weights and weighted targets.
  class Running {
   public:
    explicit Running(const Pinball& objective, std::span<const double> y_by_place)
        : objective_(objective),
          y_(y_by_place),
          n_(y_.size()),
          top_(std::bit_floor(n_)),
          weight_(n_ + 1, 0.0),
          sum_(n_ + 1, 0.0) {}

    void add(std::size_t place, double w) {
      const double wy = w * y_[place];
      total_ += w;
      total_sum_ += wy;
      for (std::size_t i = place + 1; i <= n_; i += i & (~i + 1)) {
        weight_[i] += w;
        sum_[i] += wy;
      }
    }
    /// above (sum above - m weight above) + below (m weight below - sum below), m the y at the quantile's place.
    double loss() const {
      const double wanted = objective_.share() * total_, over = objective_.above, both = over + objective_.below;
      const auto [at, passed, passed_sum] = first_above([&](double weight) { return weight >= wanted; });
      const double answer = y_[std::min(at, n_ - 1)];
      return std::max(0.0, over * total_sum_ - both * passed_sum + answer * (both * passed - over * total_));
    }
    /// The quantile as a leaf has it.
    double answer() const {
      const double wanted = objective_.share() * total_, slack = tolerance::kSum * total_;
      const auto low = first_above([&](double weight) { return weight >= wanted - slack / 2.0; });
      const auto high = first_above([&](double weight) { return weight > wanted + slack; });
      const double least = y_[std::min(low.place, n_ - 1)];
      return high.place == low.place || high.place >= n_ ? least : least / 2.0 + y_[high.place] / 2.0;
    }

   private:
    struct Below {
      std::size_t place;
      double weight, sum;
    };
    /// The first place where the weight up to it is enough, and what lies below.
    template <class IsEnough>
    Below first_above(const IsEnough& is_enough) const {
      Below out{0, 0.0, 0.0};
      for (std::size_t step = top_; step > 0; step /= 2) {
        const std::size_t next = out.place + step;
        if (next <= n_ && !is_enough(out.weight + weight_[next]))
          out = {next, out.weight + weight_[next], out.sum + sum_[next]};
      }
      return out;
    }

    const Pinball& objective_;
    std::span<const double> y_;
    std::size_t n_, top_;
    std::vector<double> weight_, sum_;
    double total_ = 0.0, total_sum_ = 0.0;
  };
};

}  // namespace spinney
