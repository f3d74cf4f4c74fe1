#pragma once
// What the stores of rows that growth reads from have in common. A store knows the rows of every node, searches them
// by one column, and divides them:
//
//   start     the rows of each leaf
//   search    what one column has to offer, and search_together, if a store has it, some of them
//   reorder   the same result under a constraint; complete: in full
//   mark      which way each row of a node goes; place_unknown, share_unknown: rows that the test cannot place
//   list      the rows on one side, and how many there are
//   divide    the rows of both children

#include <span>
#include <vector>

#include "spinney/grow/choose.hpp"
#include "spinney/splits/scan.hpp"
#include "spinney/splits/surrogate.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

/// One node's search of one column.
struct SearchTask {
  FeatureIndex feature;
  const Scan& scan;
  const Totals& totals;
  const Limits& limits;
  PathKey path = kRootPath;  // of the node: what is drawn for it follows from this
  MissingRule missing = MissingRule::majority;
  /// The same of another column with the same limits.
  SearchTask of(FeatureIndex other) const { return {other, scan, totals, limits, path, missing}; }
};

/// A column that a test asks.
inline FeatureIndex column_of(const Test& test) {
  return test.kind == TestKind::expression ? test.tokens.front().arg : test.feature;
}

/// Which way the rows of a node go.
struct Marks {
  Sides sides;
  FeatureIndex column = -1;               // one that the test asks
  std::vector<SampleIndex> unknown = {};  // rows that the test cannot place
  bool parted = false;                    // the column's entries stand parted already: those up to n_low go left
  std::size_t n_low = 0;
  bool shared = false;  // rows of unknown side go both ways, in shares
};

/// How many rows go each way, and which sides will be divided further.
struct DivisionPlan {
  std::size_t n_left, n_right;
  bool keep_left, keep_right;
  std::span<const FeatureIndex> columns;  // those still of use
};

inline constexpr std::uint8_t kBoth = 3;  // a side, while rows without one are shared out

/// The side of every sample while its node is divided.
class SideStore {
 public:
  SideStore(const Dataset& data, Samples& samples) : data_(data), samples_(samples), side_(samples.size(), kUnknown) {}
  /// Places the rows that the test left unknown.
  void place_unknown(const Marks& marks, const Fork& fork);
  /// Divides rows of unknown side in two shares, one for each child; left_share of the weight goes left.
  void share_unknown(Marks& marks, double left_share);
  /// A byte for each sample, which who grows its node may use between divisions.
  std::uint8_t* places() { return side_.data(); }

 protected:
  const Dataset& data_;
  Samples& samples_;
  // By sample, and written by who grows the node that the sample is in:
  std::vector<std::uint8_t> side_;
  std::vector<SampleIndex> twin_;  // where the side is both: the sample that is its right-hand share
};

}  // namespace spinney
