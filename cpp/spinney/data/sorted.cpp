#include "spinney/data/sorted.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "spinney/data/radix_sort.hpp"
#include "spinney/data/ties.hpp"
#include "spinney/prefetch.hpp"

namespace spinney {

namespace {

constexpr std::size_t kAhead = 32;  // samples stand in the order of targets: their values lie anywhere in the table

}  // namespace

bool ColumnSorter::sort(const Dataset& data, const Samples& samples, std::size_t column,
                        std::span<const SampleIndex> group, Entry* out) {
  items_.clear();
  missing_.clear();
  const bool nominal = data.columns[column].kind == ColumnKind::nominal;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i + kAhead < group.size()) prefetch(data.values.address(samples.row[group[i + kAhead]], column));
    const SampleIndex s = group[i];
    const double value = data.values.at(samples.row[s], column);
    if (std::isnan(value)) {
      missing_.push_back(s);
    } else if (nominal && !(value >= 0.0 && value < data.columns[column].n_categories)) {
      throw std::invalid_argument("column " + std::to_string(column) + ", row " + std::to_string(samples.row[s]) +
                                  ": not a category code");
    } else {
      items_.push_back({nominal ? static_cast<std::uint64_t>(value) : sortable(value), s});
    }
  }
  radix_sort(items_, spare_, [](const Keyed& item) { return item.key; }, *interrupt_);
  std::size_t n_tied = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const bool tied = i > 0 && items_[i].key == items_[i - 1].key;
    n_tied += tied ? 1 : 0;
    *out++ = Entry(items_[i].sample, tied);
  }
  for (std::size_t i = 0; i < missing_.size(); ++i) *out++ = Entry(missing_[i], i > 0).as_gap();
  return n_tied > 0 || missing_.size() > 1;
}

SortedColumns sort_columns(const Dataset& data, const Samples& samples, ThreadTeam& team, Interrupt& interrupt) {
  if (samples.size() >= Entry::kMostSamples)
    throw std::invalid_argument("exact search takes fewer than 2^30 rows of positive weight: use max_bins");
  SortedColumns sorted(data.columns.size(), samples.size());
  std::vector<ColumnSorter> sorters(team.size(), ColumnSorter(interrupt));
  std::vector<SampleIndex> everyone(samples.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  team.run(data.columns.size(), [&](std::size_t f, std::size_t worker) {
    interrupt.check();
    sorted.set_ties(f, sorters[worker].sort(data, samples, f, everyone, sorted.column(f)));
  });
  return sorted;
}

SortedColumns select_samples(const SortedColumns& sorted, std::span<const SampleIndex> new_index, std::size_t n_kept,
                             Interrupt& interrupt, std::shared_ptr<PagePool> pool) {
  SortedColumns out(sorted.n_columns(), n_kept, std::move(pool));
  for (std::size_t f = 0; f < sorted.n_columns(); ++f) {
    interrupt.check();
    Entry* to = out.column(f);
    const Entry* from = sorted.column(f);
    KeptTies ties;
    for (std::size_t i = 0; i < sorted.capacity(); ++i) {  // writes all and keeps some: nothing to guess
      const SampleIndex s = new_index[from[i].sample()];
      const std::uint32_t stays = s != kAbsent ? 1 : 0;
      *to = ties.take(from[i], stays).of_sample(s);
      to += stays;
    }
    out.set_ties(f, sorted.has_ties(f));
  }
  return out;
}

}  // namespace spinney
