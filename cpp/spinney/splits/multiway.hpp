#pragma once
// The search for the best test of one column as ID3 and C4.5 make it: numeric cuts with C4.5's penalty, a branch for
// each category or for each group of them. Weights are the node's own: a row with gaps may be there in part.

#include <cmath>
#include <span>
#include <vector>

#include "spinney/data/sorted.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// ID3 and C4.5: a branch for each category, gaps by fractions. All limits count weight, not rows.
struct MultiwayParams {
  bool gain_ratio = true;              // C4.5; otherwise the information gain decides
  bool without_gain = false;           // ID3: a column that tells rows apart will do, even if it gains nothing
  bool nominal_only = false;           // ID3: every column is taken by its codes
  bool grouped = false;                // categories that belong together share a branch
  std::int64_t max_intervals = 2;      // of a numeric test
  double min_branch = 2.0;             // weight that at least two branches need
  double every_branch = 0.0;           // weight that every branch with rows needs
  double every_branch_fraction = 0.0;  // the same as a share of all the weight
  double min_split = 2.0;              // weight that a node needs to be divided
};

/// x log2 x, from a table for whole numbers.
class XLogX {
 public:
  explicit XLogX(std::size_t n);
  double operator()(double x) const {
    if (!(x > 0.0)) return 0.0;
    if (x < static_cast<double>(table_.size())) {
      const auto whole = static_cast<std::int32_t>(x);
      if (static_cast<double>(whole) == x) return table_[static_cast<std::size_t>(whole)];
    }
    return x * std::log2(x);
  }
  /// Close to x log2 x and never above it but for rounding, mostly without a logarithm: the function is convex, so the
  /// line through two whole numbers is below it from there on.
  double at_least(double x) const {
    if (!(x >= 1.0 && x < static_cast<double>(table_.size()))) return (*this)(x);
    const auto whole = static_cast<std::int32_t>(x);
    const double* const at = table_.data() + whole;
    return at[0] + (x - static_cast<double>(whole)) * (at[0] - at[-1]);
  }
  /// Weight times entropy in bits: x log2 x of the total less that of the parts.
  double loss(std::span<const double> parts, double total) const;

 private:
  std::vector<double> table_;
};

/// What is known of a node before a column is searched.
struct MultiwayNode {
  std::span<const double> classes;  // weights
  double weight = 0.0;
  std::span<const double> sample_weight;  // by sample; empty: every row of the node weighs `unit`
  double unit = 1.0;
  std::span<const std::uint16_t> label;  // by sample
  const Dataset& data;
  const Samples& samples;
};

/// A test of a column with what it is worth. Gains are in bits, over all the node's weight.
struct MultiwaySplit {
  bool found = false, constant = false;
  double gain = 0.0, split_info = 0.0;
  Test test;                        // without its threshold or cuts
  std::vector<std::uint32_t> last;  // numeric: the last entry of each interval but the last
  double ratio() const { return split_info > 0.0 ? gain / split_info : 0.0; }
};

/// Memory of one worker.
struct MultiwayScratch {
  std::vector<double> known, left, left_term, right_term, counts, group_weight;
  std::vector<std::uint32_t> codes;
};

class MultiwaySearch {
 public:
  MultiwaySearch(const MultiwayParams& params, std::int32_t n_classes, const XLogX& xlogx)
      : params_(params), n_classes_(static_cast<std::size_t>(n_classes)), xlogx_(xlogx) {}

  /// entries: all of the node's, those with a value first.
  MultiwaySplit numeric(FeatureIndex feature, std::span<const Entry> entries, const MultiwayNode& node,
                        MultiwayScratch& scratch) const;
  MultiwaySplit nominal(FeatureIndex feature, std::span<const Entry> entries, std::int32_t n_categories,
                        const MultiwayNode& node, MultiwayScratch& scratch) const;

 private:
  struct BestCut {
    double drop = 0.0;  // loss taken away, penalty already paid; 0: none
    double left = 0.0;  // weight up to the cut
    std::uint32_t position = 0;
  };
  double known_totals(std::span<const Entry> entries, const MultiwayNode& node, MultiwayScratch& scratch) const;
  template <bool kUnit>
  BestCut best_cut(std::span<const Entry> entries, std::span<const double> classes, double weight, double least,
                   const MultiwayNode& node, MultiwayScratch& scratch) const;
  void cut_further(std::span<const Entry> entries, double least, const MultiwayNode& node, MultiwaySplit& split,
                   MultiwayScratch& scratch) const;
  BestCut cut_interval(std::span<const Entry> entries, double least, const MultiwayNode& node,
                       MultiwayScratch& scratch) const;
  double split_info(std::span<const double> branch_weights, double total) const;
  void merge_groups(MultiwaySplit& split, double known_loss, const MultiwayNode& node, MultiwayScratch& scratch) const;

  const MultiwayParams& params_;
  std::size_t n_classes_;
  const XLogX& xlogx_;
};

/// The place of the winner in a list of candidates, or its size: C4.5 takes the best ratio among those that gain at
/// least the average, ID3 the best gain. counts_in_mean: 0 for a column left out of the average.
std::size_t choose_split(std::span<const MultiwaySplit> splits, std::span<const std::uint8_t> counts_in_mean,
                         const MultiwayParams& params);

}  // namespace spinney
