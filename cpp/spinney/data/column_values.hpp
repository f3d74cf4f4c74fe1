#pragma once
// The values of samples column by column, for who reads a few columns of scattered samples.

#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/data/target.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

class ColumnValues {
 public:
  ColumnValues(const Dataset& data, const Samples& samples, ThreadTeam& team);
  /// Those of the samples with new_index != kAbsent, renumbered.
  ColumnValues select(std::span<const SampleIndex> new_index, std::size_t n_kept) const;
  /// By sample.
  const double* column(std::size_t f) const { return values_.data() + f * n_samples_; }

 private:
  ColumnValues(std::size_t n_columns, std::size_t n_samples)
      : n_columns_(n_columns), n_samples_(n_samples), values_(n_columns * n_samples) {}

  std::size_t n_columns_, n_samples_;
  std::vector<double> values_;
};

}  // namespace spinney
