#include "spinney/prune/cross_validate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/prune/reduced_error.hpp"
#include "spinney/tolerance.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

/// A node that answers a share of a row in the subtrees from begin up to end.
struct Answer {
  NodeId node;
  double share;
  std::size_t begin, end;
};

/// As rpart has it, an error without end is told as such, and passed over by every choice that can.
double whole_cost(const Judge& judge, double point, const Row& row) {
  return judge.rules_out(point, row) ? kInfinity : judge.cost(point, row);
}

/// Shares of a row mix before they are judged: the cost of the mixture in one subtree.
double mixed_cost(const Tree& tree, const Judge& judge, std::span<const Answer> answers, std::size_t subtree,
                  const Row& row, std::vector<double>& mixed) {
  mixed.assign(tree.n_outputs(), 0.0);
  for (const Answer& answer : answers) {
    if (subtree < answer.begin || subtree >= answer.end) continue;
    const double* value = tree.answers(answer.node);
    const double total = tree.n_classes > 0 ? std::accumulate(value, value + tree.n_classes, 0.0) : 1.0;
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += answer.share * (value[i] / total);
  }
  return whole_cost(judge, judge.point(mixed.data()), row);
}

}  // namespace

template <class Visit>
void CurveSum::add_paths(const Tree& tree, const CostComplexity& path, std::span<const double> alphas,
                         const Target& target, std::span<const RowIndex> rows, Interrupt& interrupt,
                         const Visit& visit) {
  const Judge judge = tree.judge(target);
  const std::vector<double> point = points(tree, judge);
  std::vector<Answer> answers;
  std::vector<double> mixed;
  std::vector<std::size_t> reach(tree.n_nodes());  // subtrees below this index go past the node
  for (const RowIndex row : rows) {
    const double w = target.weight[row];
    if (!(w > 0.0)) continue;
    interrupt.check();
    answers.clear();
    bool whole = true;
    visit(row, [&](NodeId node, double share) {
      const std::size_t end = node == 0 ? alphas.size() : reach[tree.parent[node]];
      const double own = tree.is_leaf(node) ? 0.0 : path.node_alpha[node] * (1.0 - 2.0 * tolerance::kAlpha);
      const auto from = std::lower_bound(alphas.begin(), alphas.end(), own);
      reach[node] = std::min(end, static_cast<std::size_t>(from - alphas.begin()));
      whole = whole && share == 1.0;
      if (reach[node] < end) answers.push_back({node, share, reach[node], end});
    });
    if (whole) {
      const Row judged = Judge::target_row(target, row);
      for (const Answer& a : answers) add_cost(a.begin, a.end, w, whole_cost(judge, point[a.node], judged));
    } else {
      for (std::size_t i = 0; i < alphas.size(); ++i) {
        add_cost(i, i + 1, w, mixed_cost(tree, judge, answers, i, Judge::target_row(target, row), mixed));
      }
    }
    weight_ += w;
    scaled_weight_ += w * target.scale_of(row);
    ++n_rows_;
  }
}

void CurveSum::add_rows(const Tree& tree, const CostComplexity& path, std::span<const double> alphas, const Matrix& x,
                        const Target& target, std::span<const RowIndex> rows, Interrupt& interrupt) {
  std::vector<Share> stack;
  add_paths(tree, path, alphas, target, rows, interrupt,
            [&](RowIndex row, const auto& body) { visit_path(tree, x, row, stack, body); });
}

void CurveSum::add_leaves(const Tree& tree, const CostComplexity& path, std::span<const double> alphas,
                          std::span<const NodeId> leaf, const Target& target, std::span<const RowIndex> rows,
                          Interrupt& interrupt) {
  std::vector<NodeId> up;
  add_paths(tree, path, alphas, target, rows, interrupt, [&](RowIndex row, const auto& body) {
    up.clear();
    for (NodeId node = leaf[row]; node != kNoNode; node = tree.parent[node]) up.push_back(node);
    for (auto node = up.rbegin(); node != up.rend(); ++node) body(*node, 1.0);
  });
}

void CurveSum::add_cost(std::size_t begin, std::size_t end, double weight, double cost) {
  if (std::isinf(cost)) {
    ++infinite_[begin];
    --infinite_[end];
    return;
  }
  sum_[begin] += weight * cost;
  sum_[end] -= weight * cost;
  squares_[begin] += weight * cost * cost;
  squares_[end] -= weight * cost * cost;
}

void CurveSum::add(const CurveSum& other) {
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    sum_[i] += other.sum_[i];
    squares_[i] += other.squares_[i];
    infinite_[i] += other.infinite_[i];
  }
  weight_ += other.weight_;
  scaled_weight_ += other.scaled_weight_;
  n_rows_ += other.n_rows_;
}

ErrorCurve CurveSum::curve() const {
  ErrorCurve curve;
  const double unit = scaled_weight_ / weight_;  // what a row counts for on average, as in the risks of a tree
  double sum = 0.0, squares = 0.0;
  std::int64_t infinite = 0;
  for (std::size_t i = 0; i + 1 < sum_.size(); ++i) {
    sum += sum_[i];
    squares += squares_[i];
    infinite += infinite_[i];
    if (infinite > 0) {
      curve.error.push_back(kInfinity);
      curve.standard_error.push_back(kInfinity);
      continue;
    }
    const double mean = std::max(0.0, sum / weight_);
    const double variance = std::max(0.0, squares / weight_ - mean * mean);
    curve.error.push_back(mean / unit);
    curve.standard_error.push_back(std::sqrt(variance / static_cast<double>(n_rows_)) / unit);
  }
  return curve;
}

namespace {

/// What to multiply the alphas of a fold's tree by, so that they are per row as those of the whole tree are: a class
/// counts for the same everywhere, but its share of a fold is another one, and with it what the fold's rows count for.
double fold_unit(const Target& target, const Samples& samples, const Fold& fold, const Tree& tree) {
  if (target.class_scale.empty() || !(tree.weight(0) > 0.0)) return 1.0;
  double all = 0.0, all_scaled = 0.0, grown = 0.0;
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    all += samples.weight[s];
    all_scaled += samples.weight[s] * target.scale_of(samples.row[s]);
    if (fold.grow[samples.row[s]]) grown += samples.weight[s];
  }
  return tree.weight(0) / grown * (all / all_scaled);
}

/// The rows of a fold that are held out.
std::vector<RowIndex> held_out_of(const Fold& fold) {
  std::vector<RowIndex> rows;
  for (std::size_t row = 0; row < fold.test.size(); ++row) {
    if (fold.test[row]) rows.push_back(static_cast<RowIndex>(row));
  }
  return rows;
}

/// By column: whether every row has a value.
std::vector<std::uint8_t> columns_without_gaps(const Matrix& x) {
  std::vector<std::uint8_t> known(x.n_columns);
  for (std::size_t f = 0; f < known.size(); ++f) {
    bool gap = false;
    for (std::size_t row = 0; row < x.n_rows && !gap; ++row) gap = std::isnan(x.at(row, f));
    known[f] = gap ? 0 : 1;
  }
  return known;
}

/// The pruning sequence of a fold's tree, in units of the whole.
CostComplexity fold_path(const Tree& tree, const Target& target, const Samples& samples, const Fold& fold) {
  CostComplexity path = cost_complexity(tree, LinkRule::rpart);
  const double unit = fold_unit(target, samples, fold, tree);
  for (double& alpha : path.node_alpha) alpha *= unit;
  return path;
}

CurveSum run_fold(const Dataset& data, const Target& target, const GrowParams& params, const Samples& samples,
                  const SortedColumns* sorted, const BinBorders* borders, const Fold& fold,
                  std::span<const double> alphas, Interrupt& interrupt) {
  std::vector<SampleIndex> new_index(samples.size(), kAbsent);
  SampleIndex n_kept = 0;
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    if (fold.grow[samples.row[s]]) new_index[s] = n_kept++;
  }
  std::shared_ptr<SortedColumns> kept;
  if (sorted) kept = std::make_shared<SortedColumns>(select_samples(*sorted, new_index, n_kept, interrupt));
  ThreadTeam alone(1);
  Samples grown = make_samples(target, fold.grow, interrupt);
  GrowParams own = params;
  if (own.criterion.prior_cv > 0.0) own.criterion.centre = grown.rate();  // a prior knows no more than its fold
  const Tree tree = grow({.data = data,
                          .target = target,
                          .params = own,
                          .samples = std::move(grown),
                          .sorted = std::move(kept),
                          .borders = borders},
                         alone, interrupt);
  CurveSum sum(alphas.size());
  sum.add_rows(tree, fold_path(tree, target, samples, fold), alphas, data.values, target, held_out_of(fold), interrupt);
  return sum;
}

}  // namespace

ErrorCurve cross_validate(const Dataset& data, const Target& target, const GrowParams& params, const Samples& samples,
                          const SortedColumns* sorted, const BinBorders* borders, std::span<const Fold> folds,
                          std::span<const double> alphas, ThreadTeam& team, Interrupt& interrupt) {
  std::vector<CurveSum> sums(folds.size(), CurveSum(alphas.size()));
  GrowParams own = params;
  own.known = columns_without_gaps(data.values);
  team.run(folds.size(), [&](std::size_t i, std::size_t) {
    sums[i] = run_fold(data, target, own, samples, sorted, borders, folds[i], alphas, interrupt);
  });
  CurveSum total(alphas.size());
  for (const CurveSum& sum : sums) total.add(sum);
  return total.curve();
}

ErrorCurve judge_folds(std::span<const Tree* const> trees, std::span<const std::span<const NodeId>> leaf,
                       const Target& target, const Samples& samples, std::span<const Fold> folds,
                       std::span<const double> alphas, Interrupt& interrupt) {
  CurveSum total(alphas.size());
  for (std::size_t i = 0; i < folds.size(); ++i) {
    CurveSum sum(alphas.size());
    const CostComplexity path = fold_path(*trees[i], target, samples, folds[i]);
    sum.add_leaves(*trees[i], path, alphas, leaf[i], target, held_out_of(folds[i]), interrupt);
    total.add(sum);
  }
  return total.curve();
}

std::size_t choose_size(const ErrorCurve& curve, bool one_standard_error) {
  const double least = *std::min_element(curve.error.begin(), curve.error.end());
  const auto last_within = [&](double limit) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < curve.error.size(); ++i) {
      if (curve.error[i] <= limit * (1.0 + tolerance::kSum)) place = i;
    }
    return place;
  };
  const std::size_t best = last_within(least);
  return one_standard_error ? last_within(least + curve.standard_error[best]) : best;
}

}  // namespace spinney
