#pragma once
// What the grower asks of the rows of its open nodes: search a node, mark which way its rows go, divide it.

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

/// The rows of a node. Sorted: the same range of every column of a block, which children share with their parent.
/// Binned: a range of the list of samples, with the node's histograms.
struct NodeRows {
  std::shared_ptr<SortedColumns> block;
  std::size_t begin = 0, end = 0;
  std::shared_ptr<const std::vector<double>> histograms;
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

class RowStore {
 public:
  virtual ~RowStore() = default;
  /// Makes the search of the root faster where the blocks of its columns are known.
  virtual void use_blocks(const BlockCodes&, const NodeRows&, const RootTask&) {}
  /// The rows of leaf b are those with leaf[sample] == b; returns one NodeRows per leaf.
  virtual std::vector<NodeRows> start(std::span<const NodeId> leaf, std::size_t n_leaves) = 0;
  virtual ColumnResult search(const NodeRows& rows, const SearchTask& task, std::size_t worker) = 0;
  /// Fills in the threshold of the split that won.
  virtual void complete(const NodeRows& rows, Split& split) const = 0;
  /// Marks every row of the node left, right or unknown (no value). Marks may be left out where no other column
  /// of the node is of use.
  virtual Marks mark(const NodeRows& rows, const Split& split, bool alone) = 0;
  virtual std::optional<Surrogate> surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                             std::size_t worker) = 0;
  /// Places the rows that the test left unknown.
  virtual void place_unknown(const NodeRows& rows, const Marks& marks, const Fork& fork) = 0;
  /// Divides rows of unknown side in two shares, one for each child; left_share of the weight goes left.
  virtual void share_unknown(Marks& marks, double left_share) = 0;
  /// The number of rows, and the samples, on one side.
  virtual std::size_t count_left(const NodeRows& rows, const Marks& marks) const = 0;
  virtual void list(const NodeRows& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const = 0;
  /// Moves the rows; team, if there is one, helps, and otherwise the worker is alone.
  virtual std::pair<NodeRows, NodeRows> divide(const NodeRows& rows, const Marks& marks, const DivisionPlan& plan,
                                               ThreadTeam* team, std::size_t worker) = 0;
};

}  // namespace spinney
