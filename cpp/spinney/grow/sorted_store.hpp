#pragma once
// The rows of the open nodes, kept sorted by every column. Knows how to search a node, mark which way its rows go,
// and divide it; knows nothing of trees.

#include <memory>
#include <span>
#include <vector>

#include "spinney/data/sorted.hpp"
#include "spinney/parallel.hpp"
#include "spinney/splits/scan.hpp"
#include "spinney/splits/surrogate.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

/// Where a node's entries stand: the same range of every column of a block. Children share their parent's block.
struct NodeRows {
  std::shared_ptr<SortedColumns> block;
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  std::span<const Entry> column(std::size_t f) const { return {block->column(f) + begin, size()}; }
};

struct FeatureResult {
  Split split;
  bool constant = false;  // fewer than two values here, and so in all nodes below
};

class SortedStore {
 public:
  SortedStore(const Dataset& data, Samples& samples, std::size_t n_workers)
      : data_(data), samples_(samples), side_(samples.size(), kUnknown), scratch_(n_workers), spare_(n_workers) {}

  /// The best test on one column; any: the first allowed one, whatever it gains.
  FeatureResult search(const NodeRows& rows, FeatureIndex feature, const Scan& scan, const Totals& totals,
                       const Limits& limits, bool any, std::size_t worker);
  /// The threshold of a numeric split, halfway between the node's own neighbouring values.
  void complete(const NodeRows& rows, Split& split) const;
  /// Marks every row of the node left, right or unknown (no value).
  Sides mark(const NodeRows& rows, const Split& split);
  std::optional<Surrogate> surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                     std::size_t worker) {
    return find_surrogate(data_, samples_, feature, rows.column(feature), sides, scratch_[worker]);
  }
  /// Places the rows that the test left unknown.
  void place_unknown(const NodeRows& rows, FeatureIndex split_feature, const Fork& fork);
  /// Divides rows of unknown side in two shares, one for each child; left_share of the weight goes left.
  void share_unknown(const NodeRows& rows, FeatureIndex split_feature, double left_share);

  /// The samples on one side.
  void list(const NodeRows& rows, FeatureIndex split_feature, Side side, std::vector<SampleIndex>& out) const;
  bool has_shares() const { return !twin_of_.empty(); }

  /// Moves the entries of the given columns to the children that will be divided further.
  std::pair<NodeRows, NodeRows> divide(const NodeRows& rows, std::span<const FeatureIndex> columns, std::size_t n_left,
                                       std::size_t n_right, bool keep_left, bool keep_right, ThreadTeam& team);

 private:
  std::pair<NodeRows, NodeRows> divide_shares(const NodeRows& rows, std::span<const FeatureIndex> columns,
                                              std::size_t n_left, std::size_t n_right);

  const Dataset& data_;
  Samples& samples_;
  std::vector<std::uint8_t> side_;           // by sample
  std::vector<SampleIndex> twin_of_;         // by sample while a node is shared out: its right-hand share
  std::vector<Scratch> scratch_;             // by worker
  std::vector<std::vector<Entry>> spare_;
};

}  // namespace spinney
