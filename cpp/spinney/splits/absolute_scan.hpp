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

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
               Scratch& scratch) const override;
  /// By the median of each category: a heuristic.
  void order_runs(std::span<const Entry> entries, std::span<const Run> runs, std::vector<double>& keys,
                  Scratch& scratch) const override;
  bool takes_groups() const override { return false; }
  void add_run(std::span<const Entry>, const Totals&, double*, double&) const override {}
  void order_groups(const Groups&, std::vector<double>&) const override {}
  Cut best_group_cut(const Groups&, const Totals&, const Limits&, Scratch&) const override { return {}; }
  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override {
    return regression_totals(entries, node, samples_);
  }

 private:
  const Samples& samples_;
};

}  // namespace spinney
