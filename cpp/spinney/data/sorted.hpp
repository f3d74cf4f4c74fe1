#pragma once
// The samples sorted by every column, once per data set. A node owns the same range of every column; dividing a
// node divides each range in a stable way, so nothing is ever sorted again.
//
//   column 0: [ node a: .... | node b: ....... | missing of b ]      ascending within a node,
//   column 1: [ node a: .... | node b: ................       ]      rows without a value last
//
// Values are not kept, only that neighbours are equal: who asks for a threshold or a category reads the table.

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

/// A sample in the order of a column, in four bytes: its number, whether it is tied, that is, has the value of the
/// entry before it, and whether it is a gap, that is, has no value. Gaps are tied with each other. Whether the first
/// entry of a node is tied says nothing.
class Entry {
 public:
  static constexpr std::size_t kMostSamples = std::size_t{1} << 30;

  Entry() = default;
  Entry(SampleIndex sample, bool tied) : bits_(sample | (tied ? 0U : kNew)) {}

  SampleIndex sample() const { return bits_ & kSample; }
  /// 1 if the sample is not before another one, or 0. By a difference, as both are below 2^31: gcc 12 for aarch64 adds
  /// up eight comparisons to something else.
  std::uint32_t is_from(SampleIndex first) const { return 1U - ((sample() - first) >> 31); }
  bool tied() const { return (bits_ & kNew) == 0; }
  bool missing() const { return (bits_ & kGap) != 0; }
  Entry of_sample(SampleIndex sample) const { return Entry((bits_ & ~kSample) | sample); }
  Entry with_tie(bool tied) const { return Entry((bits_ & ~kNew) | (tied ? 0U : kNew)); }
  Entry as_gap() const { return Entry(bits_ | kGap); }
  /// The mark that an entry is not tied, or 0; and an entry that a mark unties.
  std::uint32_t mark() const { return bits_ & kNew; }
  Entry marked(std::uint32_t mark) const { return Entry(bits_ | mark); }

 private:
  static constexpr std::uint32_t kNew = 0x80000000U, kGap = 0x40000000U, kSample = 0x3fffffffU;
  explicit Entry(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

class SortedColumns {
 public:
  SortedColumns(std::size_t n_columns, std::size_t capacity, std::shared_ptr<PagePool> pool = nullptr)
      : n_columns_(n_columns),
        capacity_(capacity),
        entries_(n_entries(n_columns, capacity), std::move(pool)),
        has_ties_(n_columns, 1) {}
  /// How many entries there is room for: one more, to write past the end.
  static std::size_t n_entries(std::size_t n_columns, std::size_t capacity) { return n_columns * capacity + 1; }

  SortedColumns copy() const {
    SortedColumns out(n_columns_, capacity_);
    std::copy(entries_.get(), entries_.get() + n_columns_ * capacity_, out.entries_.get());
    out.has_ties_ = has_ties_;
    return out;
  }
  /// Whether any entries of a column may be tied. Who writes a column may say so; until then they may be.
  bool has_ties(std::size_t f) const { return has_ties_[f] != 0; }
  void set_ties(std::size_t f, bool any) { has_ties_[f] = any ? 1 : 0; }
  std::size_t n_columns() const { return n_columns_; }
  std::size_t capacity() const { return capacity_; }
  Entry* column(std::size_t f) { return entries_.get() + f * capacity_; }
  const Entry* column(std::size_t f) const { return entries_.get() + f * capacity_; }

 private:
  std::size_t n_columns_, capacity_;
  Pages<Entry> entries_;
  std::vector<std::uint8_t> has_ties_;  // by column
};

SortedColumns sort_columns(const Dataset& data, const Samples& samples, ThreadTeam& team, Interrupt& interrupt);

/// Sorts columns one at a time, for some of the samples, with memory of its own.
class ColumnSorter {
 public:
  explicit ColumnSorter(Interrupt& interrupt) : interrupt_(&interrupt) {}
  /// Writes one entry per sample of the group, missing last, equal values in the order of the group. Whether there are
  /// ties.
  bool sort(const Dataset& data, const Samples& samples, std::size_t column, std::span<const SampleIndex> group,
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
/// of a cross-validation share one sort. A pool, if there is one, has the memory.
SortedColumns select_samples(const SortedColumns& sorted, std::span<const SampleIndex> new_index, std::size_t n_kept,
                             Interrupt& interrupt, std::shared_ptr<PagePool> pool = nullptr);

/// Entries with a value: everything before the first missing one.
inline std::size_t count_observed(const Entry* entries, std::size_t n) {
  if (n == 0 || !entries[n - 1].missing()) return n;
  std::size_t low = 0, high = n - 1;  // the first missing entry is in [low, high]
  while (low < high) {
    const std::size_t mid = low + (high - low) / 2;
    if (entries[mid].missing()) {
      high = mid;
    } else {
      low = mid + 1;
    }
  }
  return low;
}

/// How many entries are tied before the first that is not.
inline std::size_t count_tied(std::span<const Entry> entries) {
  constexpr std::size_t kTogether = 16;
  std::size_t n = 0;
  if (entries.empty() || !entries.front().tied()) return n;
  for (; n + kTogether <= entries.size(); n += kTogether) {
    std::uint32_t marks = 0;
    for (std::size_t i = n; i < n + kTogether; ++i) marks |= entries[i].mark();
    if (marks != 0) break;
  }
  while (n < entries.size() && entries[n].tied()) ++n;
  return n;
}

/// Whether some entries, all with a value, have the same one.
inline bool all_tied(std::span<const Entry> entries) {
  return entries.empty() || count_tied(entries.subspan(1)) + 1 == entries.size();
}

/// The category of a sample that has one.
inline std::int32_t category_of(const Dataset& data, const Samples& samples, FeatureIndex feature, SampleIndex sample) {
  return static_cast<std::int32_t>(data.values.at(samples.row[sample], static_cast<std::size_t>(feature)));
}

}  // namespace spinney
