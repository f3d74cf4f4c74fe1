#pragma once
// The samples sorted by every column, once per data set. A node owns the same range of every column; dividing a
// node divides each range in a stable way, so nothing is ever sorted again.
//
//   column 0: [ node a: .... | node b: ....... | missing of b ]      rank ascending within a node,
//   column 1: [ node a: .... | node b: ................       ]      rows without a value last

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/data/pages.hpp"
#include "spinney/data/target.hpp"
#include "spinney/interrupt.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

/// Equal values of a column have equal ranks (a nominal column: its code), larger values larger ranks.
struct Entry {
  std::uint32_t rank;
  SampleIndex sample;
};
inline constexpr std::uint32_t kMissingRank = 0xffffffffU;

class SortedColumns {
 public:
  SortedColumns(std::size_t n_columns, std::size_t capacity, std::shared_ptr<PagePool> pool = nullptr)
      : n_columns_(n_columns), capacity_(capacity), entries_(n_entries(n_columns, capacity), std::move(pool)) {}
  /// How many entries there is room for: one more, to write past the end.
  static std::size_t n_entries(std::size_t n_columns, std::size_t capacity) { return n_columns * capacity + 1; }

  SortedColumns copy() const {
    SortedColumns out(n_columns_, capacity_);
    std::copy(entries_.get(), entries_.get() + n_columns_ * capacity_, out.entries_.get());
    return out;
  }
  std::size_t n_columns() const { return n_columns_; }
  std::size_t capacity() const { return capacity_; }
  Entry* column(std::size_t f) { return entries_.get() + f * capacity_; }
  const Entry* column(std::size_t f) const { return entries_.get() + f * capacity_; }

 private:
  std::size_t n_columns_, capacity_;
  Pages<Entry> entries_;
};

SortedColumns sort_columns(const Dataset& data, const Samples& samples, ThreadTeam& team, Interrupt& interrupt);

/// Sorts columns one at a time, for some of the samples, with memory of its own.
class ColumnSorter {
 public:
  explicit ColumnSorter(Interrupt& interrupt) : interrupt_(&interrupt) {}
  /// Writes one entry per sample of the group, missing last, equal values in the order of the group.
  void sort(const Dataset& data, const Samples& samples, std::size_t column, std::span<const SampleIndex> group,
            Entry* out);

 private:
  struct Keyed {
    std::uint64_t key;
    SampleIndex sample;
  };

  Interrupt* interrupt_;
  std::vector<Keyed> items_, spare_;
  std::vector<SampleIndex> missing_;
};

inline constexpr SampleIndex kAbsent = 0xffffffffU;
/// The entries of the samples with new_index != kAbsent, renumbered: how the members of an ensemble and the folds
/// of a cross-validation share one sort.
SortedColumns select_samples(const SortedColumns& sorted, std::span<const SampleIndex> new_index, std::size_t n_kept,
                             Interrupt& interrupt);

/// The order of all samples by every column in half the room, for members of ensembles to take theirs from. Members
/// leave their memory to later ones.
class SortedOrder {
 public:
  SortedOrder(const Dataset& data, const Samples& samples, ThreadTeam& team, Interrupt& interrupt);
  /// As select_samples.
  SortedColumns select(std::span<const SampleIndex> new_index, std::size_t n_kept, Interrupt& interrupt) const;

 private:
  static constexpr std::uint32_t kTied = 0x80000000U;  // with the entry before it
  std::size_t n_samples_;
  std::vector<std::vector<std::uint32_t>> order_;  // by column: samples, with the mark of ties
  std::vector<std::vector<std::uint32_t>> codes_;  // nominal columns: of each run
  std::vector<std::size_t> n_observed_;
  std::shared_ptr<PagePool> pool_;
};

/// Entries with a value: everything before the first missing one.
inline std::size_t count_observed(const Entry* entries, std::size_t n) {
  if (n == 0 || entries[n - 1].rank != kMissingRank) return n;
  std::size_t low = 0, high = n - 1;  // the first missing entry is in [low, high]
  while (low < high) {
    const std::size_t mid = low + (high - low) / 2;
    if (entries[mid].rank == kMissingRank) {
      high = mid;
    } else {
      low = mid + 1;
    }
  }
  return low;
}

}  // namespace spinney
