#include "spinney/data/row_values.hpp"

#include <algorithm>
#include <cmath>

#include "spinney/data/sorted.hpp"

namespace spinney {

RowValues::RowValues(const Dataset& data, const Samples& samples, ThreadTeam& team)
    : RowValues(data.columns.size(), samples.size(), std::vector<std::uint8_t>(data.columns.size(), 0)) {
  const auto copy_column = [&](std::size_t f, std::size_t) {
    double* out = values_.data() + f;
    bool missing = false;
    for (const RowIndex row : samples.row) {
      *out = data.values.at(row, f);
      missing |= std::isnan(*out);
      out += n_columns_;
    }
    has_gaps_[f] = missing ? 1 : 0;
  };
  team.run_if(values_.size() >= kParallelWork, n_columns_, copy_column);
}

RowValues RowValues::select(std::span<const SampleIndex> new_index, std::size_t n_kept) const {
  RowValues out(n_columns_, n_kept, has_gaps_);
  auto to = out.values_.begin();
  auto from = values_.begin();
  for (const SampleIndex index : new_index) {
    const auto next = from + static_cast<std::ptrdiff_t>(n_columns_);
    if (index != kAbsent) to = std::copy(from, next, to);
    from = next;
  }
  return out;
}

}  // namespace spinney
