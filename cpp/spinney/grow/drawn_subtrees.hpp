#pragma once
// Subtrees of few rows whose cuts are drawn at random, grown whole: most nodes of a tree are there, and each has little
// to do. The values of such a subtree are copied side by side, where they stay in the cache; a node is a range of its
// rows, in their order.
//
//   values   row 0: x x x x | row 1: x x x x | ...       rows   [ node a: 0 3 4 | node b: 1 2 5 6 ]
//
// The trees are those of Grower, to the last bit.

#include <vector>

#include "spinney/grow/constraints.hpp"
#include "spinney/grow/random_store.hpp"
#include "spinney/grow/small_nodes.hpp"
#include "spinney/splits/lane_drops.hpp"

namespace spinney {

/// What growth of all such subtrees of a tree needs to know. Not usable where parameters, or the objective, ask for
/// more than the best drawn threshold, or rows do not weigh the same.
class DrawnSearch {
 public:
  DrawnSearch(const GrowParams& params, const Target& target, const Samples& samples, const Limits& limits);
  bool usable() const { return task_ != SmallTask::none; }
  bool of_classes() const { return task_ == SmallTask::classes; }
  /// Rows that a subtree may have whose rows have so many values.
  static std::size_t most_rows(std::size_t n_columns);
  LaneTask lanes() const { return {inverse_.data(), unit_, least_}; }

 private:
  SmallTask task_;
  std::vector<double> inverse_;
  std::size_t least_;  // rows on each side
  double unit_;
};

class DrawnSubtrees {
 public:
  DrawnSubtrees(const Growth& growth, const DrawnSearch& search, const RandomStore& store)
      : target_(growth.target),
        samples_(growth.samples),
        params_(growth.params),
        search_(search),
        store_(store),
        total_weight_(growth.total_weight),
        draws_(draws_columns(growth.params, growth.data.columns.size())) {}

  /// Whether a node is the root of such a subtree: few rows, and no column with gaps or categories.
  bool takes(const SampleRange& rows, const ColumnList& columns) const;
  /// Grows it below a leaf.
  void grow(NodeId leaf, const SampleRange& rows, const Origin& origin, const ColumnList& columns, const Totals& totals,
            TreeBuilder& builder);

 private:
  /// An open node.
  struct Node {
    NodeId id;
    std::uint32_t begin, end;  // in rows_
    std::uint32_t ones;        // rows of the second class
    std::uint32_t columns;     // in lists_
    std::int64_t depth;
    PathKey path;
    double origin, loss;  // of numbers: their mean; of both: what the order of magnitude of drops follows from
    std::uint32_t size() const { return end - begin; }
  };
  struct Best {
    FeatureIndex feature = -1;
    double drop = 0.0, threshold = 0.0, ones = 0.0;  // ones that go left
    std::size_t lane = kRowLanes;                    // where its values still stand, if they do
  };

  void load(const SampleRange& rows);
  bool search(Node& node);
  bool search_columns(Node& node, std::span<const FeatureIndex> columns);
  void search_lanes(const Node& node, std::span<const FeatureIndex> columns);
  void strike_constants(Node& node);
  std::size_t part(const Node& node);
  void divide(const Node& node, TreeBuilder& builder);
  bool describe(Node& child, NodeStats& stats) const;
  std::span<SampleIndex> rows_of(const Node& node) { return {rows_.data() + node.begin, node.size()}; }

  const Target& target_;
  const Samples& samples_;
  const GrowParams& params_;
  const DrawnSearch& search_;
  const RandomStore& store_;
  double total_weight_;
  bool draws_;

  std::size_t n_columns_ = 0;
  std::vector<double> values_, y_;  // by row of the subtree
  std::vector<SampleIndex> rows_, spare_;
  std::vector<double> lanes_;      // values of a node's rows in four columns
  std::vector<ColumnList> lists_;  // that nodes have
  std::vector<FeatureIndex> constant_;
  std::vector<Node> open_;
  ColumnDraw draw_;
  Best best_;
  std::array<NodeStats, 2> stats_;
};

}  // namespace spinney
