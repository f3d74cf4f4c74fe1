#pragma once
// Rows kept sorted by every column: exact search.

#include <memory>
#include <span>
#include <vector>

#include "spinney/data/blocks.hpp"
#include "spinney/grow/choose.hpp"
#include "spinney/parallel.hpp"
#include "spinney/splits/scan.hpp"
#include "spinney/splits/surrogate.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

/// The rows of a node: the same range of every column of a block, which children share with their parent.
struct NodeRows {
  std::shared_ptr<SortedColumns> block;
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  std::span<const Entry> column(std::size_t f) const { return {block->column(f) + begin, size()}; }
};

/// One node's search of one column.
struct SearchTask {
  FeatureIndex feature;
  const Scan& scan;
  const Totals& totals;
  const Limits& limits;
};

/// The search of the root by all its columns.
struct RootTask {
  const Scan& scan;
  const Totals& totals;
  Limits limits;
  bool best_only;  // nobody asks what the other columns have to offer
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

class SortedStore {
 public:
  SortedStore(const Dataset& data, Samples& samples, std::shared_ptr<SortedColumns> sorted, std::size_t n_workers,
              Interrupt& interrupt)
      : data_(data),
        samples_(samples),
        sorted_(std::move(sorted)),
        side_(samples.size(), kUnknown),
        scratch_(n_workers, Scratch(interrupt)),
        spare_(n_workers) {}

  /// Makes the search of the root faster where the blocks of its columns are known.
  void use_blocks(const BlockCodes& codes, const NodeRows& rows, const RootTask& task);
  /// The rows of leaf b are those with leaf[sample] == b; returns one NodeRows per leaf.
  std::vector<NodeRows> start(std::span<const NodeId> leaf, std::size_t n_leaves);
  ColumnResult search(const NodeRows& rows, const SearchTask& task, std::size_t worker);
  /// Fills in the threshold of the split that won.
  void complete(const NodeRows& rows, Split& split) const;
  /// Marks every row of the node left, right or unknown (no value). Marks may be left out where no other column
  /// of the node is of use.
  Marks mark(const NodeRows& rows, const Split& split, bool alone);
  std::optional<Surrogate> surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                     std::size_t worker) {
    return find_surrogate(data_, samples_, feature, rows.column(feature), sides, scratch_[worker]);
  }
  /// Places the rows that the test left unknown.
  void place_unknown(const NodeRows& rows, const Marks& marks, const Fork& fork);
  /// Divides rows of unknown side in two shares, one for each child; left_share of the weight goes left.
  void share_unknown(Marks& marks, double left_share);
  /// The number of rows, and the samples, on one side.
  std::size_t count_left(const NodeRows& rows, const Marks& marks) const;
  void list(const NodeRows& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const;
  /// Moves the rows; team, if there is one, helps, and otherwise the worker is alone.
  std::pair<NodeRows, NodeRows> divide(const NodeRows& rows, const Marks& marks, const DivisionPlan& plan,
                                       ThreadTeam* team, std::size_t worker);

 private:
  BlockView blocks_of(FeatureIndex feature) const;
  void mark_cut(std::span<const Entry> entries, std::size_t n_low, Sides& sides);
  void mark_subset(std::span<const Entry> entries, const Test& test, Sides& sides);
  void mark_expression(const NodeRows& rows, const Test& test, Marks& marks);
  void divide_column(const NodeRows& rows, const DivisionPlan& plan, FeatureIndex column, std::size_t worker);
  std::pair<NodeRows, NodeRows> divide_shares(const NodeRows& rows, const DivisionPlan& plan);

  const Dataset& data_;
  Samples& samples_;
  std::shared_ptr<SortedColumns> sorted_;  // handed to the first nodes by start()
  std::vector<double> reached_;            // by column: the score of a cut between blocks that is known to exist
  BlockSums sums_;                         // of all columns with all rows; empty if nobody asked
  // By sample, and written by who grows the node that the sample is in:
  std::vector<std::uint8_t> side_;
  std::vector<SampleIndex> twin_;  // where the side is both: the sample that is its right-hand share
  // By worker:
  std::vector<Scratch> scratch_;
  std::vector<std::vector<Entry>> spare_;
};

}  // namespace spinney
