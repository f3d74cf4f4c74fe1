#pragma once
// Values of rows as small whole numbers: a number becomes its rank among the thresholds of its column, a category its
// place in a word of bits. A column has a *slot* for each way in which trees look at it, so that a gap needs no
// question of its own: where gaps go left their code is the lowest, where they go right the highest.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "spinney/data/border_search.hpp"
#include "spinney/data/matrix.hpp"
#include "spinney/tree/steps.hpp"

namespace spinney {

inline constexpr std::size_t kLanes = 16;  // rows that go down side by side: enough to hide the latency of the cache
inline constexpr std::size_t kPlacesASlot = 4;   // places count in steps that an address can be scaled by: 8 bytes
inline constexpr std::uint16_t kNever = 0xffff;  // no code is above it

/// Rows of a table, one after the other.
struct RowRange {
  const Matrix& x;
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

class CodeTable {
 public:
  explicit CodeTable(std::size_t n_features) : columns_(n_features) {}

  /// Takes in what a tree asks. False if there is no room: then nothing has changed.
  bool add(const Steps& tree);
  /// No tree comes any more: ranks are known from now on.
  void close();

  /// Where the codes that a step asks begin in a group of rows, kPlacesASlot a slot, and what they need to be above.
  std::uint16_t place(const Step& step) const;
  std::uint16_t code(const Step& step) const;
  std::size_t n_slots() const { return n_slots_; }

  /// The codes of rows in groups of kLanes, the last one filled up: n_slots() * kLanes a group.
  void encode(const RowRange& rows, std::vector<std::uint16_t>& codes) const;

 private:
  struct Slot {
    Ask ask;
    std::int32_t word;
    std::uint16_t place;
  };
  struct Column {
    std::vector<double> thresholds;  // until closed
    PlaceSearch ranks;               // among them, when closed
    std::vector<Slot> slots;         // few
    std::vector<double> asked;       // thresholds of the tree that is being taken in
    std::vector<Slot> asked_slots;

    const Slot* find(const Step& step) const;
    bool has_room() const;
  };
  void encode_column(const Column& column, std::span<const double> values, std::uint16_t* codes) const;

  std::vector<Column> columns_;
  std::vector<FeatureIndex> used_;  // when closed
  std::size_t n_slots_ = 0;
};

}  // namespace spinney
