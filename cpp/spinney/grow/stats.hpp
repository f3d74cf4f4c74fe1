#pragma once
// From samples to what a node stores of them.

#include <span>

#include "spinney/data/target.hpp"
#include "spinney/grow/params.hpp"
#include "spinney/splits/scan.hpp"
#include "spinney/tree/builder.hpp"

namespace spinney {

/// A node's stored statistics and its totals for the split search.
struct Summary {
  NodeStats stats;
  Totals totals;
  std::vector<double> rows;  // by class, where every row weighs the same
  bool pure = false;
};

class Summarizer {
 public:
  Summarizer(const Target& target, const Samples& samples, const CriterionChoice& criterion)
      : target_(target), samples_(samples), criterion_(criterion) {}
  Summary summarize(std::span<const SampleIndex> group) const;
  /// Where every row weighs the same, a child's class counts are its parent's less its sibling's, exactly.
  bool subtracts() const { return target_.n_classes > 0 && samples_.equal_weights; }
  Summary rest(const std::vector<double>& parent_rows, const Summary& sibling) const;

 private:
  Summary classes(std::span<const SampleIndex> group) const;
  Summary from_classes(std::vector<double> raw, std::int64_t n_samples) const;
  Summary mean(std::span<const SampleIndex> group) const;
  Summary median(std::span<const SampleIndex> group) const;
  void finish_regression(Summary& summary, double centre, double loss) const;

  const Target& target_;
  const Samples& samples_;
  const CriterionChoice& criterion_;
};

}  // namespace spinney
