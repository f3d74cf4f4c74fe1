#include "spinney/data/row_values.hpp"

#include <algorithm>
#include <cmath>

#include "spinney/data/sorted.hpp"

namespace spinney {

RowValues::RowValues(const Dataset& data, const Samples& samples, ThreadTeam& team)
    : RowValues(data.columns.size(), samples.size(), std::vector<std::uint8_t>(data.columns.size(), 0)) {
  const auto copy_column = [&](std::size_t f, std::size_t) {
    double* out = values_.get() + f;
    bool missing = false;
    for (const RowIndex row : samples.row) {
      *out = data.values.at(row, f);
      missing |= std::isnan(*out);
      out += n_columns_;
    }
    has_gaps_[f] = missing ? 1 : 0;
  };
  team.run_if(n_columns_ * samples.size() >= kParallelWork, n_columns_, copy_column);
}

RowValues RowValues::select(std::span<const SampleIndex> new_index, std::size_t n_kept) const {
  RowValues out(n_columns_, n_kept, has_gaps_);
  double* to = out.values_.get();
  const double* from = data();
  for (const SampleIndex index : new_index) {
    if (index != kAbsent) to = std::copy_n(from, n_columns_, to);
    from += n_columns_;
  }
  return out;
}

}  // namespace spinney
