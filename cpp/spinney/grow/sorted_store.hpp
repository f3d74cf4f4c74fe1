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

  void foresee(const BlockCodes& codes, const NodeRows& rows, const RootTask& task) override;
  std::vector<NodeRows> start(std::span<const NodeId> leaf, std::size_t n_leaves) override;
  FeatureResult search(const NodeRows& rows, const SearchTask& task, std::size_t worker) override;
  void complete(const NodeRows& rows, Split& split) const override;
  Sides mark(const NodeRows& rows, const Split& split, bool alone) override;
  std::optional<Surrogate> surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                     std::size_t worker) override {
    return find_surrogate(data_, samples_, feature, rows.column(feature), sides, scratch_[worker]);
  }
  void place_unknown(const NodeRows& rows, FeatureIndex split_feature, const Fork& fork) override;
  void share_unknown(double left_share) override;
  std::size_t count_left(const NodeRows& rows, FeatureIndex split_feature) const override;
  void list(const NodeRows& rows, FeatureIndex split_feature, Side side, std::vector<SampleIndex>& out) const override;
  std::pair<NodeRows, NodeRows> divide(const NodeRows& rows, const DivisionPlan& plan, ThreadTeam& team) override;

 private:
  BlockView blocks_of(FeatureIndex feature) const;
  Sides mark_expression(const NodeRows& rows, const Test& test);
  std::pair<NodeRows, NodeRows> divide_shares(const NodeRows& rows, const DivisionPlan& plan);

  const Dataset& data_;
  Samples& samples_;
  std::shared_ptr<SortedColumns> sorted_;  // handed to the first nodes by start()
  std::vector<double> reached_;            // by column: the score of a cut between blocks that is known to exist
  BlockSums sums_;                         // of all columns with all rows; empty if nobody asked
  std::vector<std::uint8_t> side_;         // by sample
  std::vector<SampleIndex> unknown_;       // those that the last test could not place
  FeatureIndex in_place_ = -1;             // the column whose entries a threshold has parted already
  std::size_t n_low_ = 0;                  // how many of them are left of it
  std::vector<SampleIndex> twin_of_;       // by sample while a node is shared out: its right-hand share
  std::vector<Scratch> scratch_;           // by worker
  std::vector<std::vector<Entry>> spare_;
};

}  // namespace spinney
