#pragma once
// Rows kept sorted by every column: exact search.

#include <memory>
#include <span>
#include <vector>

#include "spinney/data/blocks.hpp"
#include "spinney/grow/store.hpp"
#include "spinney/parallel.hpp"
#include "spinney/splits/gaps.hpp"

namespace spinney {

/// The rows of a node: the same range of every column of a block, which children share with their parent.
struct NodeRows {
  std::shared_ptr<SortedColumns> block;
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  std::span<const Entry> column(std::size_t f) const { return {block->column(f) + begin, size()}; }
};

/// The search of the root by all its columns.
struct RootTask {
  const Scan& scan;
  const Totals& totals;
  Limits limits;
  bool best_only;  // nobody asks what the other columns have to offer
};

class SortedStore : public SideStore {
 public:
  using Rows = NodeRows;

  SortedStore(const Dataset& data, Samples& samples, std::shared_ptr<SortedColumns> sorted, std::size_t n_workers,
              Interrupt& interrupt)
      : SideStore(data, samples),
        sorted_(std::move(sorted)),
        scratch_(n_workers, Scratch(interrupt)),
        spare_(n_workers) {}

  /// Makes the search of the root faster where the blocks of its columns are known.
  void use_blocks(const BlockCodes& codes, const NodeRows& rows, const RootTask& task);
  /// The rows of leaf b are those with leaf[sample] == b; returns one NodeRows per leaf.
  std::vector<NodeRows> start(std::span<const NodeId> leaf, std::size_t n_leaves);
  /// Fills in an empty result.
  void search(const NodeRows& rows, const SearchTask& task, ColumnResult& result, std::size_t worker);
  /// Makes the cut that was found the best of those that keep the order of the limits.
  void reorder(const NodeRows& rows, const SearchTask& task, ColumnResult& result, std::size_t worker);
  /// Finds where a given test divides the rows, and leaves it the categories that they hold, those that it does not
  /// name on the second side. False if no row of a threshold is on one side.
  bool locate(const NodeRows& rows, Split& split) const;
  /// Fills in the threshold of the split that won.
  void complete(const NodeRows& rows, Split& split, std::size_t) const;
  /// Marks every row of the node left, right or unknown (no value). Marks may be left out where no other column
  /// of the node is of use.
  Marks mark(const NodeRows& rows, const Split& split, bool alone, std::size_t worker = 0);
  std::optional<Surrogate> surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                     SurrogateStyle style, std::size_t worker) {
    return find_surrogate(data_, samples_, feature, rows.column(feature), sides, style, scratch_[worker]);
  }
  /// The number of rows, and the samples, on one side.
  std::size_t count_left(const NodeRows& rows, const Marks& marks) const;
  void list(const NodeRows& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const;
  /// All samples of a node, by way of a column that is still of use.
  void list_all(const NodeRows& rows, FeatureIndex column, std::vector<SampleIndex>& out) const;
  /// Moves the rows; team, if there is one, helps, and otherwise the worker is alone.
  std::pair<NodeRows, NodeRows> divide(const NodeRows& rows, const Marks& marks, const DivisionPlan& plan,
                                       ThreadTeam* team, std::size_t worker);

 private:
  BlockView blocks_of(FeatureIndex feature) const;
  /// Where tests place rows without a value, and a column has some.
  void search_with_gaps(const GapEntries& entries, const SearchTask& task, bool ordered, ColumnResult& result,
                        Scratch& scratch) const;
  static void fill_in(ColumnResult& result, FeatureIndex feature, const Cut& cut, const Limits& limits);
  void mark_cut(std::span<const Entry> entries, std::size_t n_low, Sides& sides);
  void mark_subset(std::span<const Entry> entries, const Test& test, Sides& sides);
  void mark_expression(const NodeRows& rows, const Test& test, Marks& marks);
  void divide_column(const NodeRows& rows, const DivisionPlan& plan, FeatureIndex column, std::size_t worker);
  std::pair<NodeRows, NodeRows> divide_shares(const NodeRows& rows, const DivisionPlan& plan);

  std::shared_ptr<SortedColumns> sorted_;  // handed to the first nodes by start()
  std::vector<double> reached_;            // by column: the score of a cut between blocks that is known to exist
  BlockSums sums_;                         // of all columns with all rows; empty if nobody asked
  // By worker:
  std::vector<Scratch> scratch_;
  std::vector<std::vector<Entry>> spare_;
};

}  // namespace spinney
