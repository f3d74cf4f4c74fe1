#pragma once
// The scan of Poisson deviance: what MomentScan finds, with a logarithm only where a division may be the best. A test
// holds both equal.

#include "spinney/objective/poisson.hpp"
#include "spinney/splits/moment_scan.hpp"
#include "spinney/splits/moments.hpp"

namespace spinney {

/// What a sample adds to a side: weight times target, and weight times exposure.
struct CountTerm {
  double count, time;
};
/// Those of all samples: side by side, or targets alone, for a time of 1 each.
struct CountTerms {
  const double* count;
  const CountTerm* both;  // if there are any
  double origin = 0.0;    // taken off the counts that stand alone
};

/// The best cut by what it takes off the deviance of entries that add up to count and time.
Moment scan_counts(ScanRange range, const CountTerms& terms, double count, double time, Scratch& scratch);

/// Whole counts of samples whose weights are whole multiples of one: all that a cut needs stands in tables.
struct WholeCounts {
  WholeCounts() = default;
  /// Stays empty if there are none, or if they are so large that tables would be.
  explicit WholeCounts(const Samples& samples);
  bool empty() const { return count.empty(); }

  std::vector<std::uint32_t> count;     // by sample, in units of weight
  std::vector<double> log, count_log;   // log i, and i log i
  const std::uint8_t* times = nullptr;  // by sample; null: 1 each
};

class PoissonScan final : public MomentScan<Poisson> {
 public:
  PoissonScan(const Poisson& objective, const Samples& samples);

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
               Scratch& scratch) const override;
  Cut best_group_cut(const Groups& groups, const Totals& totals, const Limits& limits, Scratch& scratch) const override;

 private:
  /// Whether samples have been parted since: their weights are others.
  bool parted() const { return samples_.size() != n_samples_; }

  Cut best_whole_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits) const;

  std::size_t n_samples_;
  WholeCounts whole_;
  std::vector<CountTerm> terms_;  // by sample, where weights or exposures differ
};

}  // namespace spinney
