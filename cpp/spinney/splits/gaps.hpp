#pragma once
// Tests that place rows without a value (gaps) by themselves: the rules "learned" and "category".
//
// To the search a gap is one more value of its column, behind the largest one, and to "learned" also before the
// smallest one. A cut between the gaps and all values asks whether there is a value at all:
//
//   behind     v v | v v g g      x <= c        against    x > c or missing
//              v v v v | g g      x is known    against    x is missing
//   before     g g v v | v v      x <= c or missing        against    x > c
//
// In a nominal column a gap is one more category.

#include <span>

#include "spinney/splits/scan.hpp"

namespace spinney {

/// A cut of a column with gaps. Position: the last value that goes left, among the values.
struct GapCut {
  Cut cut;
  std::int32_t branch = kNoBranch;  // of the gaps
  bool apart = false;               // all values go left, all gaps right

  static GapCut between(double drop, std::uint32_t n_known) { return {{drop, n_known - 1}, 1, true}; }
  /// Takes the other one if it is better.
  void challenge(const GapCut& other, double slack) {
    if (other.cut.found() && (!cut.found() || other.cut.drop > cut.drop + slack)) *this = other;
  }
};

/// From the best cuts of values and gaps behind them, and of gaps and values behind them. n_known and n_gaps: how many
/// there are of each in what was cut, entries or groups.
inline GapCut gaps_behind(const Cut& cut, std::uint32_t n_known) {
  return {cut, 1, cut.found() && cut.position + 1 == n_known};
}
inline GapCut gaps_before(const Cut& cut, std::uint32_t n_known, std::uint32_t n_gaps) {
  if (!cut.found()) return {};
  if (cut.position + 1 == n_gaps) return GapCut::between(cut.drop, n_known);
  return {{cut.drop, cut.position - n_gaps}, 0, false};
}

/// The entries of a column in a node, those without a value last.
struct GapEntries {
  std::span<const Entry> all;
  std::size_t n_known;
};

/// Two groups of all: those of side 0, and those of side 1.
Groups in_sides(const Groups& groups, std::span<const std::int32_t> side);

/// The best cut. Ordered: of those that keep the order of the limits; whether there is a value may be asked in any
/// case.
GapCut best_gap_cut(const Scan& scan, MissingRule rule, const GapEntries& entries, const Totals& totals,
                    const Limits& limits, bool ordered, Scratch& scratch);

/// The same for groups, the last of which are the gaps.
GapCut best_gap_cut(const GroupScan& scan, MissingRule rule, const Groups& groups, const Totals& totals,
                    const Limits& limits, bool ordered, Scratch& scratch);

/// A subset test that was found with gaps as a category of such a code: takes that out and says where gaps go.
void take_gaps_out(Split& split, std::int32_t gap_code);

}  // namespace spinney
