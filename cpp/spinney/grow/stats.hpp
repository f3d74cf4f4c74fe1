#pragma once
// From samples to what a node stores of them.

#include <span>

#include "spinney/data/target.hpp"
#include "spinney/grow/moments.hpp"
#include "spinney/grow/params.hpp"
#include "spinney/splits/scan.hpp"
#include "spinney/tree/builder.hpp"

namespace spinney {

/// A node's stored statistics and its totals for the split search.
struct Summary {
  NodeStats stats;
  Totals totals;
  Numbers units;  // by class, where all weights are whole multiples of one
  bool pure = false;
};

/// Whether the rows of a node allow another division.
inline bool may_divide(const GrowParams& params, bool pure, std::int64_t n_rows, std::int64_t depth) {
  return !pure && n_rows >= params.min_samples_split && n_rows / 2 >= params.min_samples_leaf &&
         depth < params.max_depth;
}
inline bool may_divide(const GrowParams& params, const Summary& summary, std::int64_t depth) {
  return may_divide(params, summary.pure, summary.stats.n_samples, depth);
}

class Summarizer {
 public:
  Summarizer(const Target& target, const Samples& samples, const ObjectiveChoice& criterion)
      : target_(target), samples_(samples), criterion_(criterion) {}
  Summary summarize(std::span<const SampleIndex> group) const;
  /// The same from sums that were made elsewhere; the samples say only what was taken off y.
  Summary from_moments(const NodeMoments& moments) const;
  /// The same from class weights that are whole multiples of one.
  Summary from_units(Numbers units, std::int64_t n_samples) const;
  /// Where weights are whole multiples of one, a child's class weights are its parent's less its sibling's, exactly.
  bool subtracts() const { return target_.n_classes > 0 && samples_.weight.form != SampleWeights::Form::real; }
  Summary rest(const Numbers& parent_units, const Summary& sibling, std::int64_t n_samples) const;
  /// What a division takes off the loss of some samples, from the totals of all and of each side.
  double drop(const Totals& both, const Totals& left, const Totals& right) const;

 private:
  Summary classes(std::span<const SampleIndex> group) const;
  Summary from_classes(const Numbers& raw, std::int64_t n_samples) const;
  Summary numbers(std::span<const SampleIndex> group) const;
  bool is_pure(std::span<const SampleIndex> group) const;
  void keep_answer(Summary& summary, double answer) const;
  double drop_of_numbers(const Totals& both, const Totals& left, const Totals& right) const;

  const Target& target_;
  const Samples& samples_;
  const ObjectiveChoice& criterion_;
};

}  // namespace spinney
