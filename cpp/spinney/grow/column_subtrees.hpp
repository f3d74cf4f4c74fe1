#pragma once
// Subtrees of one column, grown in n log n however deep they are. Where every division cuts a few rows off, as that of
// labels that alternate, a tree is as deep as it has rows, and a scan of every node takes quadratic time. Nodes of one
// column are ranges of it, so that prefix sums and their hulls (splits/prefix_hulls) serve the whole subtree.
//
// Sums of rows are whole numbers here: the trees of classes are those of Grower to the last bit. What numbers explain
// is rounded once instead of row by row.

#include <optional>
#include <span>
#include <vector>

#include "spinney/grow/constraints.hpp"
#include "spinney/grow/small_subtrees.hpp"
#include "spinney/splits/prefix_hulls.hpp"

namespace spinney {

class ColumnSubtrees {
 public:
  ColumnSubtrees(const Growth& growth, const Limits& limits, Interrupt& interrupt);

  /// Whether a node is the root of such a subtree: one column, of numbers without gaps, and enough rows.
  bool takes(const NodeRows& rows, const ColumnList& columns) const;
  /// Grows it below a leaf. small: who takes nodes of few rows, if anybody does.
  void grow(NodeId leaf, const NodeRows& rows, const Origin& origin, const ColumnList& columns, const Totals& totals,
            TreeBuilder& builder, SmallSubtrees* small);

 private:
  enum class Task : std::uint8_t { none, gini, entropy, numbers };
  struct Node {
    NodeId id;
    std::size_t begin, end;  // places
    Origin origin;
    Totals totals;
  };

  static Task task_of(const Growth& growth, const Limits& limits);
  bool find_unit();
  double total_weight() const;
  std::int64_t times(SampleIndex s) const {
    return growth_.samples.weight.is_equal() ? 1 : growth_.samples.weight.times[s];
  }
  std::int64_t whole(SampleIndex s) const;
  void load(std::span<const Entry> entries);
  std::vector<std::uint8_t> borders(const std::vector<WholeSums>& before) const;
  std::size_t n_rows(const Node& node) const { return first_row_[node.end] - first_row_[node.begin]; }
  WholeSums sums(const Node& node) const { return hulls_->before(node.end) - hulls_->before(node.begin); }
  Cut search(const Node& node) const;
  Summary summarize(const Node& node) const;
  void divide(const Node& node, const Cut& cut, FeatureIndex column, TreeBuilder& builder);

  Growth growth_;
  Limits limits_;
  Interrupt& interrupt_;
  Task task_;
  double origin_ = 0.0;  // numbers: y is origin + whole * 2^power
  int power_ = 0;
  // Of the subtree:
  std::span<const Entry> entries_;
  std::optional<PrefixHulls> hulls_;
  std::vector<std::uint32_t> first_row_;  // by place: the row behind it
  std::vector<std::int64_t> squares_;     // numbers, by place: sum of squares before it
  std::vector<std::uint32_t> same_;       // numbers, by row: the next one that is another
  std::vector<Node> open_;
};

}  // namespace spinney
