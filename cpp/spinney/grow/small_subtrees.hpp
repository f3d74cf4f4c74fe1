#pragma once
// Subtrees of few rows, grown whole: most nodes of a tree are there, and each has little to do. The rows of such a
// subtree have small numbers, so that those of a node are the bits of a few words, and no column is ever divided: a
// node's rows in the order of a column are those of the subtree in that order, but for the others. Where that takes one
// instruction for 64 rows, subtrees start at 256 rows and hand those of 64 on; elsewhere they start at 64.
//
// The trees are those of Grower, to the last bit.

#include <array>
#include <cstdint>
#include <vector>

#include "spinney/grow/constraints.hpp"
#include "spinney/grow/small_nodes.hpp"
#include "spinney/grow/sorted_store.hpp"
#include "spinney/tree/builder.hpp"

namespace spinney {

/// Some of up to 64 * kWords rows.
template <std::size_t kWords>
struct RowSet {
  std::array<std::uint64_t, kWords> words = {};
  void add(std::size_t id) { words[id / 64] |= std::uint64_t{1} << id % 64; }
  std::uint64_t has(std::size_t id) const { return words[id / 64] >> id % 64 & 1U; }
};

/// What growth of all the small subtrees of a tree needs to know. Empty (not usable) where parameters, or the
/// objective, ask for more than the best threshold of each column.
class SmallSearch {
 public:
  SmallSearch(const GrowParams& params, const Target& target, const Samples& samples, const Limits& limits);
  bool usable() const { return !inverse_.empty(); }

  /// The best cut of some rows in the order of a column.
  struct Rows {
    std::size_t n;
    const std::uint8_t* order;  // ids
    const std::uint8_t* rank;   // by id; null: all values differ
    double slack;               // drops closer than this are equal
  };
  /// Two classes: units (2 * times + label) by id, and their sums.
  Cut best_of_classes(const Rows& rows, const std::uint8_t* tally, std::uint32_t units, std::uint32_t ones) const;
  /// Numbers: what an id adds to the sum, less the mean; times by id; null: 1 each.
  Cut best_of_numbers(const Rows& rows, const double* moment, const std::uint8_t* times, std::uint32_t units) const;

  std::size_t least() const { return least_; }
  /// Rows that a subtree may have.
  std::size_t most_rows() const { return most_rows_; }

 private:
  template <bool kTies>
  Cut classes(const Rows& rows, const std::uint8_t* tally, std::uint32_t units, std::uint32_t ones) const;

  std::vector<double> inverse_;
  std::size_t least_ = 1;  // rows on each side
  std::size_t most_rows_;
  double unit_ = 1.0;
};

/// Subtrees of up to 64 * kWords rows.
template <std::size_t kWords>
class SubtreesOf {
 public:
  static constexpr std::size_t kRows = 64 * kWords;

  SubtreesOf(const Growth& growth, const SmallSearch& search)
      : data_(growth.data),
        target_(growth.target),
        samples_(growth.samples),
        params_(growth.params),
        summarizer_(growth.summarizer),
        search_(search),
        scan_(growth.scan),
        like_(growth.like),
        total_weight_(growth.total_weight),
        scratch_(growth.interrupt),
        draws_(draws_columns(growth.params, growth.data.columns.size())) {}

  /// An open node.
  struct Node {
    NodeId id;
    RowSet<kWords> rows;
    std::uint32_t n_rows;
    std::uint32_t units, ones;  // of classes: sums of weights, in units
    std::int64_t depth;
    PathKey path;
    ColumnList columns;
    double origin, loss;  // of numbers: their mean; of both: what the order of magnitude of drops follows from
    double weight;        // of numbers
    AnswerBounds bounds = {};
  };

  /// Takes the rows of a node over: their order by every column, and what they add to sums. place: a byte for each
  /// sample, those of the node's to be written to.
  void load(const NodeRows& rows, const std::vector<FeatureIndex>& columns, std::uint8_t* place);
  /// The same from a larger subtree.
  template <std::size_t kMore>
  void load(const SubtreesOf<kMore>& from, const typename SubtreesOf<kMore>::Node& node);
  /// Grows the tree below a leaf, whose rows are those that were loaded; smaller subtrees are handed on.
  void grow(Node root, TreeBuilder& builder, SubtreesOf<1>* smaller);

 private:
  template <std::size_t>
  friend class SubtreesOf;

  using Bytes = std::array<std::uint8_t, kRows>;
  /// A test whose threshold is still to be found, between the values of two rows.
  struct Pending {
    NodeId node;
    FeatureIndex column;
    RowIndex low, high;
  };

  struct Best {
    FeatureIndex column = -1;
    Cut cut;
    std::uint8_t* order = nullptr;  // of the node's rows
  };
  /// The best cut of a column, if it has one; ordered: it keeps the order of a constrained column, or there is none.
  struct Found {
    FeatureIndex column;
    Cut cut;
    bool ordered;
  };

  void expect(const std::vector<FeatureIndex>& columns, std::size_t n);
  void keep_sums(std::size_t id, SampleIndex s);
  bool search(Node& node);
  void search_columns(const Node& node, std::span<const FeatureIndex> columns);
  void search_in_order(const Node& node, std::span<const FeatureIndex> columns);
  bool is_constant(std::size_t slot, const Node& node, const std::uint8_t* order) const;
  Cut best_cut(std::size_t slot, const Node& node, const std::uint8_t* order) const;
  Cut best_ordered_cut(const Found& found, const Node& node, const Totals& totals);
  std::size_t best_place(double slack) const;
  Totals totals_of(const Node& node) const;
  void divide(const Node& node, TreeBuilder& builder);
  void add_child(Node& child, const Node& parent, std::int32_t branch, NodeStats& stats, bool& goes_on);
  void set_thresholds(TreeBuilder& builder);
  void order_rows(std::size_t slot, const Node& node, std::uint8_t* out) const;

  const Dataset& data_;
  const Target& target_;
  const Samples& samples_;
  const GrowParams& params_;
  const Summarizer& summarizer_;
  const SmallSearch& search_;
  const Scan& scan_;
  const Tree& like_;
  double total_weight_;
  Scratch scratch_;
  bool draws_;

  std::size_t n_ = 0;                           // rows of the subtree
  std::array<SampleIndex, kRows> sample_ = {};  // by id
  std::array<RowIndex, kRows> row_ = {};
  Bytes tally_ = {}, times_ = {};
  std::array<double, kRows> y_ = {}, moment_ = {};
  std::vector<std::size_t> slot_;   // by column: its place in the arrays below
  std::vector<Bytes> order_;        // by slot: ids, by ascending value
  std::vector<Bytes> rank_;         // by slot and id
  std::vector<std::uint8_t> tied_;  // by slot: whether values are equal
  std::vector<FeatureIndex> constant_;
  std::vector<Found> found_;
  std::vector<Entry> entries_;
  std::vector<SampleIndex> group_;
  std::vector<Node> open_;
  std::vector<Pending> pending_;
  ColumnDraw draw_;
  std::array<std::array<std::uint8_t, kRows + 64>, 2> orders_ = {};  // with room to write past the end
  Best best_;
  std::array<NodeStats, 2> stats_;
};

class SmallSubtrees {
 public:
  SmallSubtrees(const Growth& growth, const SmallSearch& search, SortedStore& store)
      : data_(growth.data),
        samples_(growth.samples),
        search_(search),
        store_(store),
        few_(growth, search),
        more_(growth, search) {}

  /// Whether a node is the root of such a subtree: few rows, and no column with gaps or categories.
  bool takes(const NodeRows& rows, const ColumnList& columns) const;
  /// Grows it below a leaf.
  void grow(NodeId leaf, const NodeRows& rows, const Origin& origin, const ColumnList& columns, const Totals& totals,
            TreeBuilder& builder);

 private:
  const Dataset& data_;
  const Samples& samples_;
  const SmallSearch& search_;
  SortedStore& store_;
  SubtreesOf<1> few_;
  SubtreesOf<4> more_;
};

}  // namespace spinney
