#include "spinney/data/sorted.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace spinney {

namespace {

struct Keyed {
  std::uint64_t key;
  SampleIndex sample;
};

/// Doubles as unsigned integers of the same order; both zeros are one.
std::uint64_t sortable(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

/// Stable radix sort, lowest digit first; a digit that is equal in all keys costs no pass.
template <int kBits>
void radix_sort(std::vector<Keyed>& items, std::vector<Keyed>& spare) {
  constexpr int kPasses = (64 + kBits - 1) / kBits;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  constexpr std::uint64_t kMask = kBuckets - 1;
  std::vector<std::array<std::uint32_t, kBuckets>> counts(kPasses);
  for (auto& count : counts) count.fill(0);
  for (const Keyed& item : items) {
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][item.key >> (pass * kBits) & kMask];
  }
  spare.resize(items.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    if (count[items[0].key >> (pass * kBits) & kMask] == items.size()) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& bucket : count) start += std::exchange(bucket, start);
    for (const Keyed& item : items) spare[count[item.key >> (pass * kBits) & kMask]++] = item;
    items.swap(spare);
  }
}

struct SortScratch {
  std::vector<Keyed> items, spare;
  std::vector<SampleIndex> missing;
};

void sort_column(const Dataset& data, const Samples& samples, std::size_t f, SortScratch& scratch, Entry* out) {
  auto& [items, spare, missing] = scratch;
  items.clear();
  missing.clear();
  const bool nominal = data.columns[f].kind == ColumnKind::nominal;
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    const double value = data.values.at(samples.row[s], f);
    if (std::isnan(value)) {
      missing.push_back(s);
    } else if (nominal && !(value >= 0.0 && value < data.columns[f].n_categories)) {
      throw std::invalid_argument("column " + std::to_string(f) + ", row " + std::to_string(samples.row[s]) +
                                  ": not a category code");
    } else {
      items.push_back({nominal ? static_cast<std::uint64_t>(value) : sortable(value), s});
    }
  }
  if (items.size() > 1) {
    if (items.size() < 4096) {
      radix_sort<8>(items, spare);
    } else {
      radix_sort<11>(items, spare);
    }
  }
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && items[i].key != items[i - 1].key) ++rank;
    *out++ = {nominal ? static_cast<std::uint32_t>(items[i].key) : rank, items[i].sample};
  }
  for (const SampleIndex s : missing) *out++ = {kMissingRank, s};
}

}  // namespace

SortedColumns sort_columns(const Dataset& data, const Samples& samples, ThreadTeam& team, Interrupt& interrupt) {
  SortedColumns sorted(data.columns.size(), samples.size());
  std::vector<SortScratch> scratch(team.size());
  team.run(data.columns.size(), [&](std::size_t f, std::size_t worker) {
    interrupt.check();
    sort_column(data, samples, f, scratch[worker], sorted.column(f));
  });
  return sorted;
}

SortedColumns select_samples(const SortedColumns& sorted, std::span<const SampleIndex> new_index, std::size_t n_kept) {
  SortedColumns out(sorted.n_columns(), n_kept);
  for (std::size_t f = 0; f < sorted.n_columns(); ++f) {
    Entry* to = out.column(f);
    const Entry* from = sorted.column(f);
    for (std::size_t i = 0; i < sorted.capacity(); ++i) {
      const SampleIndex s = new_index[from[i].sample];
      if (s != kAbsent) *to++ = {from[i].rank, s};
    }
  }
  return out;
}

}  // namespace spinney
