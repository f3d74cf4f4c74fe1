#pragma once
// The choice of a node's test among the columns: which of them are searched, and whose result wins. Shared by all
// growers, whatever they search: sorted rows or histograms.

#include <memory>
#include <span>
#include <vector>

#include "spinney/grow/params.hpp"
#include "spinney/random.hpp"
#include "spinney/splits/scan.hpp"

namespace spinney {

/// What the search of one column found.
struct ColumnResult {
  Split split;
  bool constant = false;  // fewer than two values here, and so in all nodes below
  bool ordered = true;    // or nobody has looked whether the split keeps the order of a constrained column
  void clear() {
    split.clear();
    constant = false;
    ordered = true;
  }
};

/// Columns that are not known to be constant in a node, ascending; shared with its children.
using ColumnList = std::shared_ptr<const std::vector<FeatureIndex>>;

/// All the columns that growth may ask.
ColumnList allowed_columns(const GrowParams& params, std::size_t n_columns);

/// Whether a drop is the decrease of impurity that a division needs.
bool gains_enough(const GrowParams& params, double drop, double total_weight);

/// What must remain on each side of a division; row_weight: of every row in the search, 0 if they differ.
Limits limits_of(const GrowParams& params, double total_weight, double row_weight);

/// Columns of a node, drawn without replacement: max_features at first, then one by one.
class ColumnDraw {
 public:
  /// Starts anew with all the columns of a node, whose path says what is drawn.
  void start(const GrowParams& params, PathKey path, const std::vector<FeatureIndex>& columns);
  /// The same without any chance: all columns at once.
  void take_all(const std::vector<FeatureIndex>& columns) { tried_ = rest_ = columns; }
  bool empty() const { return tried_.size() == rest_.size(); }
  /// The next columns, ascending.
  std::span<const FeatureIndex> next();
  /// All that were drawn so far.
  std::span<const FeatureIndex> tried() const { return tried_; }

 private:
  RandomStream random_{0, 0};
  std::size_t most_ = 0;
  bool few_ = false;                        // every column is below 64
  std::vector<FeatureIndex> tried_, rest_;  // rest_: all columns of the node, in the order in which they are drawn
};

/// Whether nodes see some of the columns only.
inline bool draws_columns(const GrowParams& params, std::size_t n_columns) {
  return params.max_features > 0 && params.max_features < static_cast<std::int64_t>(n_columns);
}

class SplitChooser {
 public:
  SplitChooser(const GrowParams& params, std::size_t n_columns) : params_(params), n_columns_(n_columns) {}

  /// The best test of a node, the first of equals, also if it gains nothing. Columns found constant are struck off.
  ///   search(columns, results)  fills in the result of each column, which is empty
  ///   reorder(column, result)   makes an unordered result the best that keeps the order
  ///   slack                     drops closer than this are equal
  /// No result gets better by keeping an order, so that only those that would win are looked at.
  template <class Search, class Reorder>
  Split choose(PathKey path, ColumnList& columns, double slack, const Search& search, const Reorder& reorder) {
    const auto best_of = [&](std::span<const FeatureIndex> some) {
      clear_results(some.size());
      search(some, results_);
      for (std::size_t i = 0; (i = unordered(slack)) < results_.size();) {
        reorder(some[i], results_[i]);
        results_[i].ordered = true;
      }
      return pick(path, columns, some, slack);
    };
    if (!draws()) {
      draw_.take_all(*columns);
      return best_of(draw_.tried());
    }
    draw_.start(params_, path, *columns);
    Split best;  // max_features were tried and one of them can divide the node
    while (!best.found() && !draw_.empty()) best = best_of(draw_.next());
    return best;
  }

  bool draws() const { return draws_columns(params_, n_columns_); }
  /// The columns that the last choice looked at.
  std::span<const FeatureIndex> tried() const { return draw_.tried(); }

 private:
  void clear_results(std::size_t n);
  /// The place of the best result, the first of equals.
  std::size_t best_place(double slack) const;
  /// The place of the next result that must be put in order; none is left: their number.
  std::size_t unordered(double slack) const;
  Split pick(PathKey path, ColumnList& columns, std::span<const FeatureIndex> searched, double slack);
  void strike_constants(ColumnList& columns, std::span<const FeatureIndex> searched) const;
  std::size_t one_of_the_best(PathKey path) const;

  const GrowParams& params_;
  std::size_t n_columns_;
  std::vector<ColumnResult> kept_;  // from node to node: to make results costs more than to clear them
  std::span<ColumnResult> results_;
  ColumnDraw draw_;
};

}  // namespace spinney
