#pragma once
// Ties of entries with the ones before them, where the entries of a column go different ways.

#include <cstdint>
#include <utility>
#include <vector>

#include "spinney/data/sorted.hpp"

namespace spinney {

/// Where some entries of a column are left out: one is tied with the last that stayed if it and all between them are
/// tied.
class KeptTies {
 public:
  /// The next entry, as it is if it stays; stays: 1 or 0.
  Entry take(Entry entry, std::uint32_t stays) {
    const Entry out = entry.marked(since_);
    since_ = (since_ | entry.mark()) & (stays - 1U);
    return out;
  }

 private:
  std::uint32_t since_ = 0;  // marks of those left out since the last that stayed
};

/// Where the entries of a column are dealt to groups.
class DealtTies {
 public:
  explicit DealtTies(std::size_t n_groups) : last_(n_groups, 0) {}
  /// Goes on to the next entry of the column.
  void pass(Entry entry) { value_ += entry.tied() ? 0U : 1U; }
  /// The entry that was passed, in a group.
  Entry deal(Entry entry, std::size_t group) { return entry.with_tie(std::exchange(last_[group], value_) == value_); }

 private:
  std::uint32_t value_ = 1;          // how many values there were
  std::vector<std::uint32_t> last_;  // by group: the value of its last entry
};

}  // namespace spinney
