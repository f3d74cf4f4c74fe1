#pragma once
// A worker owns rows: it counts them in bins, divides them and hands them over. It knows nothing of other workers, and
// decides nothing.

#include <span>
#include <vector>

#include "spinney/grow/messages.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

class Worker {
 public:
  /// The rows of some samples of a table. numbers are those of the table's rows among all rows of all workers; if
  /// empty, there are no others. objective: of numbers.
  Worker(const Dataset& data, const Samples& samples, std::span<const std::uint64_t> numbers,
         const NumberMoments& objective, ThreadTeam& team, Interrupt& interrupt);

  /// All rows of a table, with their targets; those of positive weight take part. first_number: of the first among
  /// all rows of all workers.
  Worker(const Dataset& data, RowTargets targets, std::uint64_t first_number, ThreadTeam& team, Interrupt& interrupt);

  /// What is to be known of all rows before they are put in bins.
  const RowBounds& bounds() const { return bounds_; }
  /// The table's rows that samples have, ascending.
  std::span<const RowIndex> rows() const { return row_; }

  /// Bins and moments, the same for all workers. features: the columns that are asked (empty: all).
  void prepare(const BinBorders& borders, const MomentLayout& layout, std::span<const FeatureIndex> features);
  /// The same with bins that are there already.
  void prepare(const BinBorders& borders, const MomentLayout& layout, std::unique_ptr<BinnedRows> bins,
               std::span<const FeatureIndex> features);
  /// Puts the rows into the root, or into the leaves of a tree; returns the sums of all its nodes.
  NodeSums start(const Tree* tree);

  Answer answer(const Request& request);
  std::vector<Histogram> histograms(std::span<const NodeId> nodes);
  std::vector<Histogram> tallies(const Divisions& divisions);
  NodeSums apply(const Divisions& divisions);
  std::vector<RowBlock> rows(std::span<const NodeId> nodes) const;

  struct Range {
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
  };
  /// Where rows are: all that requests change. Another worker of the same rows goes on from there.
  struct Places {
    std::vector<std::uint32_t> order;
    std::vector<Range> range;
  };
  Places places() const { return {order_, range_}; }
  void resume(Places places);

 private:
  std::span<const std::uint32_t> members(NodeId node) const {
    return std::span(order_).subspan(range_[node].begin, range_[node].size());
  }
  /// Work that threads share: a piece of one node's rows.
  struct Piece {
    std::size_t node;  // of the request
    Range range;       // of order_
  };
  RowIndex row(std::size_t place) const { return row_.empty() ? static_cast<RowIndex>(place) : row_[place]; }
  std::vector<Piece> pieces_of(std::span<const NodeId> nodes) const;
  template <class Count>
  std::vector<Histogram> count(std::span<const NodeId> nodes, const HistogramLayoutPtr& layout,
                               const Count& count_piece);
  /// Where a row goes that the test cannot place: by its stand-ins, then the default way.
  std::uint8_t place_unknown(const Divisions& divisions, std::size_t i, std::uint32_t row) const;
  void divide(const Divisions& divisions, std::size_t i, std::vector<std::uint32_t>& spare, NodeSums& sums);

  const Dataset& data_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  std::size_t n_rows_ = 0;
  std::vector<RowIndex> row_;  // of the table, ascending; empty: all. Everything below goes by places in this list
  std::vector<std::uint64_t> number_;  // empty: they count up from first_number_
  std::uint64_t first_number_ = 0;
  RowTargets targets_;
  RowBounds bounds_;
  const BinBorders* borders_ = nullptr;
  MomentLayout layout_;
  RowMoments moments_;
  std::unique_ptr<BinnedRows> bins_;
  HistogramLayoutPtr bin_layout_, tally_layout_;
  std::vector<std::uint32_t> order_;  // rows, those of a node together and ascending
  std::vector<Range> range_;          // by node
  std::vector<std::uint16_t> side_;   // by row: where the test that is tallied sends it
  std::vector<Accumulator> accumulators_;
  std::vector<std::vector<std::uint32_t>> spare_;  // by thread
};

}  // namespace spinney
