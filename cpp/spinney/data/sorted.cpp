#include "spinney/data/sorted.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "spinney/data/radix_sort.hpp"
#include "spinney/prefetch.hpp"

namespace spinney {

namespace {

constexpr std::size_t kAhead = 32;  // samples stand in the order of targets: their values lie anywhere in the table

}  // namespace

void ColumnSorter::sort(const Dataset& data, const Samples& samples, std::size_t column,
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
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i > 0 && items_[i].key != items_[i - 1].key) ++rank;
    *out++ = {nominal ? static_cast<std::uint32_t>(items_[i].key) : rank, items_[i].sample};
  }
  for (const SampleIndex s : missing_) *out++ = {kMissingRank, s};
}

SortedColumns sort_columns(const Dataset& data, const Samples& samples, ThreadTeam& team, Interrupt& interrupt) {
  SortedColumns sorted(data.columns.size(), samples.size());
  std::vector<ColumnSorter> sorters(team.size(), ColumnSorter(interrupt));
  std::vector<SampleIndex> everyone(samples.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  team.run(data.columns.size(), [&](std::size_t f, std::size_t worker) {
    interrupt.check();
    sorters[worker].sort(data, samples, f, everyone, sorted.column(f));
  });
  return sorted;
}

SortedColumns select_samples(const SortedColumns& sorted, std::span<const SampleIndex> new_index, std::size_t n_kept,
                             Interrupt& interrupt) {
  SortedColumns out(sorted.n_columns(), n_kept);
  for (std::size_t f = 0; f < sorted.n_columns(); ++f) {
    interrupt.check();
    Entry* to = out.column(f);
    const Entry* from = sorted.column(f);
    for (std::size_t i = 0; i < sorted.capacity(); ++i) {  // writes all and keeps some: nothing to guess
      const SampleIndex s = new_index[from[i].sample];
      *to = {from[i].rank, s};
      to += s != kAbsent ? 1 : 0;
    }
  }
  return out;
}

SortedOrder::SortedOrder(const Dataset& data, const Samples& samples, ThreadTeam& team, Interrupt& interrupt)
    : n_samples_(samples.size()),
      order_(data.columns.size()),
      codes_(data.columns.size()),
      n_observed_(data.columns.size()),
      pool_(std::make_shared<PagePool>(SortedColumns::n_entries(data.columns.size(), n_samples_) * sizeof(Entry))) {
  std::vector<ColumnSorter> sorters(team.size(), ColumnSorter(interrupt));
  std::vector<std::vector<Entry>> entries(team.size(), std::vector<Entry>(n_samples_));
  std::vector<SampleIndex> everyone(n_samples_);
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  team.run(data.columns.size(), [&](std::size_t f, std::size_t worker) {
    interrupt.check();
    const Entry* const sorted = entries[worker].data();
    sorters[worker].sort(data, samples, f, everyone, entries[worker].data());
    n_observed_[f] = count_observed(sorted, n_samples_);
    order_[f].resize(n_samples_);
    for (std::size_t i = 0; i < n_samples_; ++i) {
      const bool tied = i > 0 && sorted[i].rank == sorted[i - 1].rank;
      order_[f][i] = sorted[i].sample | (tied ? kTied : 0U);
      if (!tied && data.columns[f].kind == ColumnKind::nominal) codes_[f].push_back(sorted[i].rank);
    }
  });
}

SortedColumns SortedOrder::select(std::span<const SampleIndex> new_index, std::size_t n_kept,
                                  Interrupt& interrupt) const {
  SortedColumns out(order_.size(), n_kept, pool_);
  for (std::size_t f = 0; f < order_.size(); ++f) {
    interrupt.check();
    Entry* to = out.column(f);
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < n_observed_[f]; ++i) {  // writes all and keeps some: nothing to guess
      const std::uint32_t at = order_[f][i];
      rank += at & kTied ? 0 : 1;
      const SampleIndex s = new_index[at & ~kTied];
      *to = {rank, s};
      to += s != kAbsent ? 1 : 0;
    }
    if (!codes_[f].empty()) {
      for (Entry* entry = out.column(f); entry != to; ++entry) entry->rank = codes_[f][entry->rank - 1];
    }
    for (std::size_t i = n_observed_[f]; i < n_samples_; ++i) {
      const SampleIndex s = new_index[order_[f][i] & ~kTied];
      *to = {kMissingRank, s};
      to += s != kAbsent ? 1 : 0;
    }
  }
  return out;
}

}  // namespace spinney
