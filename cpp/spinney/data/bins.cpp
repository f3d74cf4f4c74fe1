#include "spinney/data/bins.hpp"

#include <numeric>
#include <stdexcept>
#include <string>

#include "spinney/data/cut.hpp"

namespace spinney {

BinnedColumns::BinnedColumns(const Dataset& data, const Samples& samples, std::size_t max_bins, ThreadTeam& team,
                             Interrupt& interrupt)
    : n_bins_(data.columns.size(), 0),
      low_(data.columns.size()),
      high_(data.columns.size()),
      bins_(samples.size() * data.columns.size()) {
  std::vector<SampleIndex> everyone(samples.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  std::vector<ColumnSorter> sorters(team.size(), ColumnSorter(interrupt));
  std::vector<std::vector<Entry>> sorted(team.size());
  team.run(data.columns.size(), [&](std::size_t f, std::size_t worker) {
    interrupt.check();
    sorted[worker].resize(samples.size());
    sorters[worker].sort(data, samples, f, everyone, sorted[worker].data());
    bin_column(data, f, sorted[worker], max_bins, samples);
  });
}

void BinnedColumns::bin_column(const Dataset& data, std::size_t f, std::span<const Entry> sorted, std::size_t max_bins,
                               const Samples& samples) {
  const std::size_t n_observed = count_observed(sorted.data(), sorted.size());
  const auto put = [&](SampleIndex s, std::size_t bin) {
    bins_[s * n_columns() + f] = static_cast<std::uint16_t>(bin);
  };
  if (data.columns[f].kind == ColumnKind::nominal) {
    n_bins_[f] = static_cast<std::size_t>(data.columns[f].n_categories);
    if (n_bins_[f] > 65534)
      throw std::invalid_argument("column " + std::to_string(f) + " has more than 65534 categories");
    for (std::size_t i = 0; i < n_observed; ++i) put(sorted[i].sample, sorted[i].rank);
  } else {
    const auto value = [&](std::size_t i) { return data.values.at(samples.row[sorted[i].sample], f); };
    // A bin is closed at the end of a value, once it holds its share of the rows that are left.
    const std::size_t n_values = n_observed == 0 ? 0 : sorted[n_observed - 1].rank + 1;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n_observed; ++i) {
      put(sorted[i].sample, low_[f].size());
      const bool last_of_value = i + 1 == n_observed || sorted[i].rank != sorted[i + 1].rank;
      const std::size_t bins_left = max_bins - low_[f].size();
      const bool full = n_values <= max_bins || (i + 1 - begin) * bins_left >= n_observed - begin;
      if (!last_of_value || (!full && i + 1 != n_observed)) continue;
      low_[f].push_back(value(begin));
      high_[f].push_back(value(i));
      begin = i + 1;
    }
    n_bins_[f] = low_[f].size();
  }
  for (std::size_t i = n_observed; i < sorted.size(); ++i) put(sorted[i].sample, n_bins_[f]);
}

double BinnedColumns::cut(std::size_t f, std::size_t lower_bin, std::size_t upper_bin) const {
  return cut_between(high_[f][lower_bin], low_[f][upper_bin]);
}

}  // namespace spinney
