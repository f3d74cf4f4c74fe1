#pragma once
// What is to be predicted, and the rows that take part.
//
// A *sample* is a training row of positive weight. Samples are numbered in target order (by class, or by y), then
// by row: equal values of a column then always meet their classes in the same order, so that sums, and with them
// trees, do not depend on the order of the rows.

#include <optional>
#include <span>
#include <vector>

#include "spinney/data/weights.hpp"
#include "spinney/interrupt.hpp"
#include "spinney/types.hpp"

namespace spinney {

/// The cost of the cheapest label for rows with these class weights; cost is n_classes * n_classes, or empty for 0/1.
double least_cost(std::span<const double> cost, std::span<const double> class_weights);

struct Target {
  std::int32_t n_classes = 0;             // 0: regression
  std::span<const std::int32_t> codes;    // classification
  std::span<const double> y;              // regression
  std::span<const double> weight;         // per row, >= 0; a row of weight 0 is as if absent
  std::vector<double> class_scale;        // weight of a class (class weights, priors); empty: all 1
  std::vector<double> split_scale;        // the same inside the split search (altered priors); empty: class_scale
  std::vector<double> cost;               // n_classes * n_classes or empty
  std::span<const double> exposure = {};  // regression: per row, > 0, for how much of it y was counted; empty: all 1

  double exposure_of(std::size_t i) const { return exposure.empty() ? 1.0 : exposure[i]; }
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
  std::vector<std::uint16_t> label;            // classification
  std::vector<std::uint8_t> is_one;            // two classes: label as a byte, for the tightest loop
  std::vector<double> y;                       // regression, less y_shift
  double y_shift = 0.0;                        // what numbers far from 0 have in common; taken off without rounding
  std::vector<double> exposure;                // regression, if rows have any; empty: all 1
  SampleWeights weight;                        // the rows' own
  std::optional<SampleWeights> scaled_weight;  // with class scales, if those change any

  std::size_t size() const { return row.size(); }
  double exposure_of(SampleIndex s) const { return exposure.empty() ? 1.0 : exposure[s]; }
  /// What samples weigh in the split search.
  const SampleWeights& search_weight() const { return scaled_weight ? *scaled_weight : weight; }
  /// Regression: what was counted per unit of exposure, in all samples together.
  double rate() const;
  /// scaled: what they weigh in the search; empty: the same. Multiples are counted only where it is the same.
  void set_weights(std::vector<double> own, std::vector<double> scaled);
  /// Parts a sample in two: it keeps so much of its weight, and a new one at the end, the rest of the same row.
  void part(SampleIndex s, double share);
};

/// The samples among the rows with take[row] != 0 (all rows if take is empty).
Samples make_samples(const Target& target, std::span<const std::uint8_t> take, Interrupt& interrupt);

}  // namespace spinney
