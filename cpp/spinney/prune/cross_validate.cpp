#include "spinney/prune/cross_validate.hpp"

#include <algorithm>
#include <cmath>

#include "spinney/prune/reduced_error.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

void CurveSum::add_rows(const Tree& tree, const CostComplexity& path, std::span<const double> alphas, const Matrix& x,
                        const Target& target, std::span<const RowIndex> rows) {
  std::vector<ClassCode> label(tree.n_nodes(), 0);
  for (std::size_t node = 0; tree.n_classes > 0 && node < tree.n_nodes(); ++node) {
    label[node] = tree.label(static_cast<NodeId>(node));
  }
  std::vector<Share> stack;
  std::vector<double> cost(alphas.size());
  std::vector<std::size_t> reach(tree.n_nodes());  // subtrees with an index below this one still see the node
  for (const RowIndex row : rows) {
    const double w = target.weight[row];
    if (!(w > 0.0)) continue;
    std::fill(cost.begin(), cost.end(), 0.0);
    visit_path(tree, x, row, stack, [&](NodeId node, double share) {
      const std::size_t end = node == 0 ? alphas.size() : reach[tree.parent[node]];
      const auto from =
          tree.is_leaf(node) ? alphas.begin() : std::lower_bound(alphas.begin(), alphas.end(), path.node_alpha[node]);
      const std::size_t begin = std::min(end, static_cast<std::size_t>(from - alphas.begin()));
      const double here = share * row_cost(tree, node, label[node], target, row);
      for (std::size_t i = begin; i < end; ++i) cost[i] += here;
      reach[node] = begin;
    });
    for (std::size_t i = 0; i < alphas.size(); ++i) {
      sum_[i] += w * cost[i];
      squares_[i] += w * cost[i] * cost[i];
    }
    weight_ += w;
    ++n_rows_;
  }
}

void CurveSum::add(const CurveSum& other) {
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    sum_[i] += other.sum_[i];
    squares_[i] += other.squares_[i];
  }
  weight_ += other.weight_;
  n_rows_ += other.n_rows_;
}

ErrorCurve CurveSum::curve() const {
  ErrorCurve curve;
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    const double mean = sum_[i] / weight_;
    const double variance = std::max(0.0, squares_[i] / weight_ - mean * mean);
    curve.error.push_back(mean);
    curve.standard_error.push_back(std::sqrt(variance / static_cast<double>(n_rows_)));
  }
  return curve;
}

namespace {

CurveSum run_fold(const Dataset& data, const Target& target, const GrowParams& params, const Samples& samples,
                  const SortedColumns* sorted, const Fold& fold, std::span<const double> alphas, Interrupt& interrupt) {
  std::vector<SampleIndex> new_index(samples.size(), kAbsent);
  SampleIndex n_kept = 0;
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    if (fold.grow[samples.row[s]]) new_index[s] = n_kept++;
  }
  std::optional<SortedColumns> kept;
  if (sorted) kept = select_samples(*sorted, new_index, n_kept);
  ThreadTeam alone(1);
  const Tree tree = grow({data, target, params, make_samples(target, fold.grow), std::move(kept)}, alone, interrupt);
  std::vector<RowIndex> held_out;
  for (std::size_t row = 0; row < fold.test.size(); ++row) {
    if (fold.test[row]) held_out.push_back(static_cast<RowIndex>(row));
  }
  CurveSum sum(alphas.size());
  sum.add_rows(tree, cost_complexity(tree, LinkRule::rpart), alphas, data.values, target, held_out);
  return sum;
}

}  // namespace

ErrorCurve cross_validate(const Dataset& data, const Target& target, const GrowParams& params, const Samples& samples,
                          const SortedColumns* sorted, std::span<const Fold> folds, std::span<const double> alphas,
                          ThreadTeam& team, Interrupt& interrupt) {
  std::vector<CurveSum> sums(folds.size(), CurveSum(alphas.size()));
  team.run(folds.size(), [&](std::size_t i, std::size_t) {
    sums[i] = run_fold(data, target, params, samples, sorted, folds[i], alphas, interrupt);
  });
  CurveSum total(alphas.size());
  for (const CurveSum& sum : sums) total.add(sum);
  return total.curve();
}

}  // namespace spinney
