#pragma once
// The values of samples row by row, for who reads some columns of scattered samples.

#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/data/pages.hpp"
#include "spinney/data/target.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

class RowValues {
 public:
  RowValues(const Dataset& data, const Samples& samples, ThreadTeam& team);
  /// Those of the samples with new_index != kAbsent, renumbered.
  RowValues select(std::span<const SampleIndex> new_index, std::size_t n_kept) const;
  std::size_t n_columns() const { return n_columns_; }
  /// That of sample s in column f is at s * n_columns() + f.
  const double* data() const { return values_.get(); }
  /// Whether some sample may lack a value of a column.
  bool has_gaps(FeatureIndex f) const { return has_gaps_[f] != 0; }

 private:
  std::size_t n_columns_;
  Pages<double> values_;
  std::vector<std::uint8_t> has_gaps_;
  RowValues(std::size_t n_columns, std::size_t n_samples, std::vector<std::uint8_t> has_gaps)
      : n_columns_(n_columns), values_(n_columns * n_samples), has_gaps_(std::move(has_gaps)) {
    values_.ask_for_large();
  }
};

}  // namespace spinney
