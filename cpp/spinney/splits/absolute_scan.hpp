#pragma once
// Absolute error: the drop in the sum of distances from the median.

#include "spinney/splits/scan.hpp"

namespace spinney {

Totals regression_totals(std::span<const Entry> entries, const Totals& node, const Samples& samples);

/// Sum of w |y - median| and a weighted median of some samples.
struct MedianLoss {
  double median, loss;
};
MedianLoss median_loss(std::span<const SampleIndex> samples_by_y, const Samples& samples);

class AbsoluteErrorScan final : public Scan {
 public:
  explicit AbsoluteErrorScan(const Samples& samples) : samples_(samples) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, std::size_t min_leaf,
               Scratch& scratch) const override;
  /// By the median of each category: a heuristic.
  void order_runs(std::span<const Entry> entries, std::vector<Run>& runs, Scratch& scratch) const override;
  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override {
    return regression_totals(entries, node, samples_);
  }

 private:
  const Samples& samples_;
};

}  // namespace spinney
