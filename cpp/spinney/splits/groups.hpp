#pragma once
// Groups of rows that are searched by what they add up to: the categories of a nominal column, or bins.

#include <cstdint>
#include <vector>

#include "spinney/tree/monotone.hpp"

namespace spinney {

/// What must remain on each side of a division.
struct Limits {
  std::size_t rows = 1;
  double weight = 0.0;
  AnswerOrder order = {};  // of the answers, where the column is constrained
  /// A weight limit turned into one of rows, where every row weighs the same.
  static Limits of_rows(std::size_t rows, double weight, double row_weight);
};

/// Rows that no cut can part: those of a category, or of a bin. moments holds k numbers a group: class weights, or
/// those of y less the node's origin.
struct Groups {
  std::vector<std::uint32_t> rank;
  std::vector<double> rows, weight, moments;
  std::size_t k = 1;
  std::size_t size() const { return rank.size(); }
  void clear(std::size_t n_moments);
  const double* moments_of(std::size_t group) const { return moments.data() + group * k; }
  /// Reorders the groups by ascending key; equal keys keep their order. But if the groups below or above equal ones are
  /// fewer than the limits allow, only a cut through the equal ones can part them: those that fill the side with few
  /// rows to spare are next to it.
  void sort_by(const std::vector<double>& keys, const Limits& limits);

 private:
  std::vector<std::size_t> order_by(const std::vector<double>& keys, const Limits& limits) const;
  /// Takes groups until a side that has so much meets the limits, the smallest first, and gives back what is too much.
  std::vector<std::size_t> take(std::vector<std::size_t>& from, double has_rows, double has_weight,
                                const Limits& limits) const;
};

}  // namespace spinney
