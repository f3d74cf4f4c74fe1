#pragma once
// Rows kept sorted by every column: exact search.

#include "spinney/grow/row_store.hpp"

namespace spinney {

class SortedStore final : public RowStore {
 public:
  SortedStore(const Dataset& data, Samples& samples, std::shared_ptr<SortedColumns> sorted, std::size_t n_workers,
              Interrupt& interrupt)
      : data_(data),
        samples_(samples),
        sorted_(std::move(sorted)),
        side_(samples.size(), kUnknown),
        scratch_(n_workers, Scratch(interrupt)),
        spare_(n_workers) {}

  void use_blocks(const BlockCodes& codes, const NodeRows& rows, const RootTask& task) override;
  std::vector<NodeRows> start(std::span<const NodeId> leaf, std::size_t n_leaves) override;
  ColumnResult search(const NodeRows& rows, const SearchTask& task, std::size_t worker) override;
  void complete(const NodeRows& rows, Split& split) const override;
  Marks mark(const NodeRows& rows, const Split& split, bool alone) override;
  std::optional<Surrogate> surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                     std::size_t worker) override {
    return find_surrogate(data_, samples_, feature, rows.column(feature), sides, scratch_[worker]);
  }
  void place_unknown(const NodeRows& rows, const Marks& marks, const Fork& fork) override;
  void share_unknown(Marks& marks, double left_share) override;
  std::size_t count_left(const NodeRows& rows, const Marks& marks) const override;
  void list(const NodeRows& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const override;
  std::pair<NodeRows, NodeRows> divide(const NodeRows& rows, const Marks& marks, const DivisionPlan& plan,
                                       ThreadTeam* team, std::size_t worker) override;

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
