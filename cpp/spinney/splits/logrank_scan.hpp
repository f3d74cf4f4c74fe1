#pragma once
// Cuts by the log-rank statistic, exactly, in O(n log n) a column.
//
// At the j-th time with events of a node, d_j of the Y_j rows at risk had theirs; of the left side, Y_Lj were at risk.
// The statistic is U^2 / V with
//
//   U = sum over rows of the left side of (event - H),       H the cumulative hazard of the node at the row's time,
//   V = sum over j of a_j Y_Lj (Y_j - Y_Lj),                 a_j = d_j (Y_j - d_j) / (Y_j^2 (Y_j - 1)).
//
// U and the first part of V, sum of a_j Y_j Y_Lj, are sums over rows. A row that joins the left side, at risk at the
// first k times, adds w^2 B_k + 2 w S_k to the second part, sum of a_j Y_Lj^2, where B_k = a_1 + ... + a_k and
// S_k = sum over j <= k of a_j Y_Lj = sum over rows of the left side of w_i B_min(k, k_i): two sums of a Fenwick tree.

#include "spinney/objective/logrank.hpp"
#include "spinney/splits/scan.hpp"

namespace spinney {

class LogRankScan final : public Scan {
 public:
  LogRankScan(const LogRank& objective, const Samples& samples);

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const override {
    return best_of<false>(entries, totals, limits, s);
  }
  Cut best_ordered_cut(const Cut&, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                       Scratch& s) const override {
    return best_of<true>(entries, totals, limits, s);
  }
  /// Categories in the order of their rates, the highest first, cut like numbers: a heuristic.
  Split best_nominal(FeatureIndex feature, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                     Scratch& s) const override;
  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override;

 private:
  struct Side;
  struct RiskSets;

  template <bool ordered>
  Cut best_of(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const;
  void order_by_time(std::span<const Entry> entries, std::vector<std::uint32_t>& order, Scratch& s) const;
  std::size_t fill(std::span<const Entry> entries, Scratch& s) const;

  LogRank objective_;
  const Samples& samples_;
  double unit_ = 1.0;                // the weight of one row: (Y - d) / (Y - 1) counts rows
  std::vector<std::uint32_t> time_;  // by sample: the rank of its time
  std::vector<double> weight_;       // by sample, in units
  std::vector<std::uint8_t> event_;  // by sample
  std::size_t n_times_ = 0;
};

}  // namespace spinney
