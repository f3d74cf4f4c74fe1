#pragma once
// What the deviances of counts and amounts have in common (Poisson, gamma, Tweedie): a leaf answers with a rate, what
// its rows have counted per unit of exposure.
//
// A row of target y, weight w and exposure e costs w e d(y / e, rate), d the half deviance of one unit. Both the drop
// of a division and the loss of a group follow from the sums of w y and w e, as d is a Bregman divergence: with m the
// rate of a group, sum of w e d(y / e, a) = sum of w e d(y / e, m) + (sum of w e) d(m, a) for any a.

#include <algorithm>
#include <cmath>

#include "spinney/objective/objective.hpp"

namespace spinney {

/// D has static or const members
///   excess(x, rate)   d(rate (1 + x), rate), x >= -1
///   kPositive         whether every y is positive
template <class D>
struct Deviance : NumberObjective {
  static constexpr bool kStrictlyConcave = true, kShiftInvariant = false, kExposed = true;

  bool exposed = false;  // whether rows have exposures; otherwise all are 1, and weights tell their sum
  double centre = 1.0;   // the rate of all rows: sums of losses are of distances from it, so that they stay small
  double prior_count = 0.0, prior_time = 0.0;  // added to the sums of a leaf that answers

  static D make(const ObjectiveChoice& choice) {
    D out;
    out.exposed = choice.exposed;
    out.centre = choice.centre > 0.0 ? choice.centre : 1.0;
    return out;
  }

  std::size_t n_moments() const { return exposed ? 2 : 1; }
  void add(const Row& row, double* moments) const {
    moments[0] += row.weight * row.y;
    if (exposed) moments[1] += row.weight * row.exposure;
  }
  double time(const double* moments, double weight) const { return exposed ? moments[1] : weight; }

  /// Without the prior, which would make a division depend on where the node stands.
  double drop(const double* left, double left_weight, const double* right, double right_weight) const {
    return drop_of(left[0], time(left, left_weight), right[0], time(right, right_weight));
  }
  double drop_of(double left, double left_time, double right, double right_time) const {
    const double time = left_time + right_time, rate = (left + right) / time;
    if (!(left_time > 0.0) || !(right_time > 0.0)) return -kInfinity;  // lost to rounding
    if (D::kPositive && !(std::min(left, right) > kRounding * (left + right))) return -kInfinity;
    if (!(rate > 0.0)) return 0.0;
    const double more = (left * right_time - right * left_time) / time;  // than its share: 0 where rates are equal
    return left_time * self().excess(off(left, more / (left_time * rate), left + right), rate) +
           right_time * self().excess(off(right, -more / (right_time * rate), left + right), rate);
  }
  double answer(const double* moments, double weight) const {
    return (moments[0] + prior_count) / (time(moments, weight) + prior_time);
  }
  /// Categories stand in the order of their own rates, the highest first: equal divisions are then found as rpart does.
  double key(const double* moments, double weight) const { return -moments[0] / time(moments, weight); }

  double cost(double point, const Row& row) const { return row.exposure * unit(row.y / row.exposure, point); }
  /// Whether a row shows what an answer calls impossible: its deviance is infinite.
  static bool rules_out(double point, const Row& row) { return !(point > 0.0) && row.y > 0.0; }
  /// d(y, rate). Under a rate of 0 a positive y costs as much as under a small share of it, so that costs of many rows
  /// can be added up and compared.
  double unit(double y, double rate) const {
    constexpr double kShare = 1e-9;
    if (rate > 0.0) return self().excess(y / rate - 1.0, rate);
    return y > 0.0 ? self().excess(1.0 / kShare - 1.0, y * kShare) : 0.0;
  }

  Leaf leaf(const Rows& rows) const {
    Leaf leaf;
    const double first = rows[0].y / rows[0].exposure;
    bool pure = prior_time == 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row row = rows[i];
      leaf.weight += row.weight;
      leaf.count += row.weight * row.y;
      leaf.time += row.weight * row.exposure;
      pure = pure && row.y == first * row.exposure;
    }
    leaf.answer = pure ? first : (leaf.count + prior_count) / (leaf.time + prior_time);
    for (std::size_t i = 0; i < rows.size() && !pure;) {  // equal rows stand together
      const Row row = rows[i];
      double weight = 0.0;
      for (; i < rows.size() && rows[i].y == row.y && rows[i].exposure == row.exposure; ++i) weight += rows[i].weight;
      leaf.loss += weight * cost(leaf.answer, row);
    }
    return leaf;
  }

  /// Sums that a leaf can be made of: those of the search, and the loss under the rate of all rows.
  std::size_t n_leaf_moments() const { return n_moments() + 1; }
  void add_leaf(const Row& row, double* moments) const {
    add(row, moments);
    moments[n_moments()] += row.weight * row.exposure * unit(row.y / row.exposure, centre);
  }
  Leaf leaf(const double* moments, double weight) const {
    const double all = time(moments, weight), rate = moments[0] / all, own = answer(moments, weight);
    const double loss = std::max(0.0, moments[n_moments()] - all * unit(rate, centre));
    return {own, prior_time > 0.0 ? loss + all * unit(rate, own) : loss, weight, moments[0], all};
  }

 private:
  static constexpr double kRounding = 1e-14;  // of sums

  /// How far a side is off the rate of both, as a share of it. A side that has nothing may seem to have a little: it is
  /// what is left of a sum.
  static double off(double side, double share, double both) {
    return side > kRounding * both ? std::max(-1.0, share) : -1.0;
  }
  const D& self() const { return static_cast<const D&>(*this); }
};

}  // namespace spinney
