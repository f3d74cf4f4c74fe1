#include "spinney/data/column_values.hpp"

#include "spinney/data/sorted.hpp"

namespace spinney {

ColumnValues::ColumnValues(const Dataset& data, const Samples& samples, ThreadTeam& team)
    : ColumnValues(data.columns.size(), samples.size()) {
  const auto copy_column = [&](std::size_t f, std::size_t) {
    double* const out = values_.data() + f * n_samples_;
    for (std::size_t s = 0; s < n_samples_; ++s) out[s] = data.values.at(samples.row[s], f);
  };
  team.run_if(values_.size() >= kParallelWork, n_columns_, copy_column);
}

ColumnValues ColumnValues::select(std::span<const SampleIndex> new_index, std::size_t n_kept) const {
  ColumnValues out(n_columns_, n_kept);
  for (std::size_t f = 0; f < n_columns_; ++f) {
    const double* const from = column(f);
    double* to = out.values_.data() + f * n_kept;
    for (std::size_t s = 0; s < n_samples_; ++s) {
      if (new_index[s] != kAbsent) *to++ = from[s];
    }
  }
  return out;
}

}  // namespace spinney
