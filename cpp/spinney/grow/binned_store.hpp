#pragma once
// Rows in bins: histograms for large nodes, exact search for small ones. For data too large to keep sorted by every
// column, and for shallow trees.

#include "spinney/data/bins.hpp"
#include "spinney/grow/sorted_store.hpp"

namespace spinney {

class BinnedStore final : public RowStore {
 public:
  BinnedStore(const Dataset& data, Samples& samples, std::size_t max_bins, ThreadTeam& team, Interrupt& interrupt);

  std::vector<NodeRows> start(std::span<const NodeId> leaf, std::size_t n_leaves) override;
  ColumnResult search(const NodeRows& rows, const SearchTask& task, std::size_t worker) override;
  void complete(const NodeRows& rows, Split& split) const override;
  Marks mark(const NodeRows& rows, const Split& split, bool alone) override;
  std::optional<Surrogate> surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                     std::size_t worker) override;
  void place_unknown(const NodeRows& rows, const Marks& marks, const Fork& fork) override;
  void share_unknown(Marks& marks, double) override;
  std::size_t count_left(const NodeRows& rows, const Marks& marks) const override;
  void list(const NodeRows& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const override;
  std::pair<NodeRows, NodeRows> divide(const NodeRows& rows, const Marks& marks, const DivisionPlan& plan,
                                       ThreadTeam* team, std::size_t worker) override;

 private:
  using Histograms = std::vector<double>;

  static bool is_sorted(const NodeRows& rows) { return rows.block != nullptr; }
  std::span<const SampleIndex> samples_of(const NodeRows& rows) const {
    return std::span(order_).subspan(rows.begin, rows.size());
  }
  /// A node of the given range: sorted if it is small, with histograms otherwise.
  NodeRows make_node(std::size_t begin, std::size_t end, ThreadTeam* team);
  NodeRows sort_small(std::size_t begin, std::size_t end);
  std::shared_ptr<Histograms> count(std::span<const SampleIndex> group, ThreadTeam* team) const;
  void add_sample(Histograms& histograms, SampleIndex s, std::size_t first, std::size_t last) const;
  /// The non-empty bins of a column with their moments, in scratch.groups; returns their totals.
  Totals read_groups(const NodeRows& rows, const SearchTask& task, Scratch& scratch) const;

  const Dataset& data_;
  Samples& samples_;
  BinnedColumns bins_;
  SortedStore small_;
  std::size_t stride_;                   // numbers per bin: rows, weight if rows differ, moments
  std::vector<std::size_t> first_cell_;  // by column
  double origin_ = 0.0;                  // regression: sums are of y - origin
  std::vector<SampleIndex> order_;
  std::vector<std::uint8_t> side_;
  std::vector<Scratch> scratch_;
  ColumnSorter sorter_;
};

}  // namespace spinney
