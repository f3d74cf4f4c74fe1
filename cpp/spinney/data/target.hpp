#pragma once
// What is to be predicted, and the rows that take part.
//
// A *sample* is a training row of positive weight. Samples are numbered in target order (by class, or by y), then
// by row: equal values of a column then always meet their classes in the same order, so that sums, and with them
// trees, do not depend on the order of the rows.

#include <span>
#include <vector>

#include "spinney/interrupt.hpp"
#include "spinney/types.hpp"

namespace spinney {

/// The cost of the cheapest label for rows with these class weights; cost is n_classes * n_classes, or empty for 0/1.
double least_cost(std::span<const double> cost, std::span<const double> class_weights);

struct Target {
  std::int32_t n_classes = 0;           // 0: regression
  std::span<const std::int32_t> codes;  // classification
  std::span<const double> y;            // regression
  std::span<const double> weight;       // per row, >= 0; a row of weight 0 is as if absent
  std::vector<double> class_scale;      // weight of a class (class weights, priors); empty: all 1
  std::vector<double> split_scale;      // the same inside the split search (altered priors); empty: class_scale
  std::vector<double> cost;             // n_classes * n_classes or empty

  double least_cost(std::span<const double> class_weights) const;
  /// What the class of row i counts for: its weight or prior; 1 for numbers.
  double scale_of(std::size_t i) const { return class_scale.empty() ? 1.0 : class_scale[codes[i]]; }
  /// What classes count for inside the split search; empty: all 1.
  const std::vector<double>& search_scale() const { return split_scale.empty() ? class_scale : split_scale; }
  std::size_t n_rows() const { return weight.size(); }
  std::size_t n_outputs() const { return n_classes > 0 ? static_cast<std::size_t>(n_classes) : 1; }
};

struct Samples {
  std::int32_t n_classes = 0;
  std::vector<RowIndex> row;
  std::vector<std::uint16_t> label;  // classification
  std::vector<std::uint8_t> is_one;  // two classes: label as a byte, for the tightest loop
  std::vector<double> y;             // regression, less y_shift
  double y_shift = 0.0;              // what numbers far from 0 have in common; taken off without rounding
  std::vector<double> weight;        // the row's own weight
  bool equal_weights = true;         // all of those are the same
  std::vector<double> split_weight;  // with class scales; empty if all are equal to unit_weight
  double unit_weight = 1.0;
  std::vector<std::uint8_t> times;  // weights that are small multiples of the least: how many; otherwise empty
  std::vector<std::uint8_t> tally;  // the same with two classes: 2 * times + label
  double own_unit = 1.0;            // the least of the rows' own weights; unit_weight is the least in the search

  std::size_t size() const { return row.size(); }
  bool is_unit() const { return split_weight.empty(); }
  /// Whether sums of weights are sums of whole numbers, which no order of rows can change.
  bool counts_units() const { return equal_weights || !times.empty(); }
  double split_weight_of(SampleIndex s) const { return split_weight.empty() ? unit_weight : split_weight[s]; }
};

inline constexpr std::uint8_t kMostTimes = 127;
/// Notes down what multiples of the least weight the weights are, if they are all small ones and no class is scaled.
void find_units(Samples& samples);

/// The samples among the rows with take[row] != 0 (all rows if take is empty).
Samples make_samples(const Target& target, std::span<const std::uint8_t> take, Interrupt& interrupt);

}  // namespace spinney
