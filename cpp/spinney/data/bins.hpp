#pragma once
// Columns in bins: a numeric column is cut into bins of about equally many rows, a nominal one keeps its codes.

#include <span>
#include <vector>

#include "spinney/data/sorted.hpp"

namespace spinney {

class BinnedColumns {
 public:
  BinnedColumns(const Dataset& data, const Samples& samples, std::size_t max_bins, ThreadTeam& team,
                Interrupt& interrupt);

  std::size_t n_columns() const { return n_bins_.size(); }
  /// Bins with a value; bin n_bins(f) itself holds the missing.
  std::size_t n_bins(std::size_t f) const { return n_bins_[f]; }
  /// All the bins of a sample, one per column.
  const std::uint16_t* of(SampleIndex s) const { return bins_.data() + s * n_columns(); }
  /// Halfway between the largest value of one bin and the smallest of a higher one.
  double cut(std::size_t f, std::size_t lower_bin, std::size_t upper_bin) const;

 private:
  void bin_column(const Dataset& data, std::size_t f, std::span<const Entry> sorted, std::size_t max_bins,
                  const Samples& samples);

  std::vector<std::size_t> n_bins_;
  std::vector<std::vector<double>> low_, high_;  // values of each bin, numeric columns only
  std::vector<std::uint16_t> bins_;              // row by row
};

}  // namespace spinney
