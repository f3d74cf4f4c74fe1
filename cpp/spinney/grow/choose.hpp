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
};

/// Columns that are not known to be constant in a node, ascending; shared with its children.
using ColumnList = std::shared_ptr<const std::vector<FeatureIndex>>;

/// All the columns that growth may ask.
ColumnList allowed_columns(const GrowParams& params, std::size_t n_columns);

/// Whether a drop is the decrease of impurity that a division needs.
bool gains_enough(const GrowParams& params, double drop, double total_weight);

/// What must remain on each side of a division; row_weight: of every row in the search, 0 if they differ.
Limits limits_of(const GrowParams& params, double total_weight, double row_weight);

class SplitChooser {
 public:
  SplitChooser(const GrowParams& params, std::size_t n_columns) : params_(params), n_columns_(n_columns) {}

  /// The best test of a node, the first of equals, also if it gains nothing. Columns found constant are struck off.
  ///   search(columns, results)  fills in the result of each column
  ///   slack                     drops closer than this are equal
  template <class Search>
  Split choose(PathKey path, ColumnList& columns, double slack, const Search& search) {
    const auto best_of = [&](std::span<const FeatureIndex> some) {
      results_.assign(some.size(), {});
      search(some, std::span(results_));
      return pick(path, columns, some, slack);
    };
    if (!draws()) {
      const ColumnList all = columns;
      tried_.assign(all->begin(), all->end());
      return best_of(tried_);
    }
    // Columns are drawn without replacement until max_features were tried and one of them can divide the node.
    RandomStream random(params_.seed, path);
    rest_ = *columns;
    tried_.clear();
    Split best;
    while (!best.found() && tried_.size() < rest_.size()) {
      const std::size_t begin = tried_.size();
      draw(random);
      best = best_of(std::span(tried_).subspan(begin));
    }
    return best;
  }

  /// Whether nodes see some of the columns only.
  bool draws() const {
    return params_.max_features > 0 && params_.max_features < static_cast<std::int64_t>(n_columns_);
  }
  /// The columns that the last choice looked at.
  std::span<const FeatureIndex> tried() const { return tried_; }

 private:
  /// Adds the next columns to those tried: max_features at first, then one by one.
  void draw(RandomStream& random);
  Split pick(PathKey path, ColumnList& columns, std::span<const FeatureIndex> searched, double slack);
  void strike_constants(ColumnList& columns, std::span<const FeatureIndex> searched) const;
  std::size_t one_of_the_best(PathKey path) const;

  const GrowParams& params_;
  std::size_t n_columns_;
  std::vector<ColumnResult> results_;
  std::vector<FeatureIndex> tried_, rest_;  // rest_: all columns of the node, in the order in which they are drawn
};

}  // namespace spinney
