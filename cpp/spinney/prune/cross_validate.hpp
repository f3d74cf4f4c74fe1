#pragma once
// The error of every subtree of a pruning sequence, by rows that did not grow it.

#include <span>
#include <vector>

#include "spinney/grow/grow.hpp"
#include "spinney/prune/cost_complexity.hpp"

namespace spinney {

/// Mean cost per row and its standard error, one entry per alpha asked for.
struct ErrorCurve {
  std::vector<double> error, standard_error;
};

/// The place of the least error, or of the smallest tree (the last place) within a standard error of it.
std::size_t choose_size(const ErrorCurve& curve, bool one_standard_error);

/// Adds up costs row by row for subtrees at ascending alphas.
class CurveSum {
 public:
  explicit CurveSum(std::size_t n) : sum_(n + 1, 0.0), squares_(n + 1, 0.0), infinite_(n + 1, 0) {}
  /// The cost of rows for all the subtrees at once: on its way down, a row is answered by the first node whose
  /// alpha is not above the subtree's.
  void add_rows(const Tree& tree, const CostComplexity& path, std::span<const double> alphas, const Matrix& x,
                const Target& target, std::span<const RowIndex> rows, Interrupt& interrupt);
  /// The same of rows whose leaves are known; of trees that send a row one way only.
  void add_leaves(const Tree& tree, const CostComplexity& path, std::span<const double> alphas,
                  std::span<const NodeId> leaf, const Target& target, std::span<const RowIndex> rows,
                  Interrupt& interrupt);
  void add(const CurveSum& other);
  ErrorCurve curve() const;

 private:
  /// visit(row, body) calls body(node, share) for the nodes that a row passes, from the root down.
  template <class Visit>
  void add_paths(const Tree& tree, const CostComplexity& path, std::span<const double> alphas, const Target& target,
                 std::span<const RowIndex> rows, Interrupt& interrupt, const Visit& visit);
  /// A cost that a row has in the subtrees from begin up to end.
  void add_cost(std::size_t begin, std::size_t end, double weight, double cost);

  std::vector<double> sum_, squares_;          // as steps from one subtree to the next
  std::vector<std::int64_t> infinite_;         // the rows of such a cost, likewise
  double weight_ = 0.0, scaled_weight_ = 0.0;  // of the rows; with what their classes count for
  std::int64_t n_rows_ = 0;
};

/// One split of a cross-validation: 1 in grow marks training rows, 1 in test the rows held out.
struct Fold {
  std::span<const std::uint8_t> grow, test;
};

/// Grows a tree per fold, in threads, and sums the held-out costs in fold order. The folds share the sort of the
/// whole (null with max_bins), or its bins (null without).
ErrorCurve cross_validate(const Dataset& data, const Target& target, const GrowParams& params, const Samples& samples,
                          const SortedColumns* sorted, const BinBorders* borders, std::span<const Fold> folds,
                          std::span<const double> alphas, ThreadTeam& team, Interrupt& interrupt);

/// The same of trees that were grown elsewhere, one a fold; leaf: by fold and row, where a row that is held out ends.
ErrorCurve judge_folds(std::span<const Tree* const> trees, std::span<const std::span<const NodeId>> leaf,
                       const Target& target, const Samples& samples, std::span<const Fold> folds,
                       std::span<const double> alphas, Interrupt& interrupt);

}  // namespace spinney
