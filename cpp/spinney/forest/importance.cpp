#include "spinney/forest/importance.hpp"

#include <algorithm>
#include <set>

#include "spinney/forest/out_of_bag.hpp"

namespace spinney {

namespace {

constexpr std::uint64_t kShuffles = 0xd1342543de82ef95ULL;  // keeps shuffling apart from growth

/// The rows that a member left out, as a table of their own.
struct LeftOut {
  std::vector<RowIndex> rows;
  std::vector<double> values;  // by column
  Matrix matrix() const {
    return {values.data(), 1, static_cast<std::ptrdiff_t>(rows.size()), rows.size(), values.size() / rows.size()};
  }
};

LeftOut left_out(const ImportanceTask& task, std::uint64_t member) {
  LeftOut out;
  const std::vector<double> counts = task.sampling.counts_by_row(task.target, member);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    if (task.target.weight[row] > 0.0 && counts[row] == 0.0) out.rows.push_back(static_cast<RowIndex>(row));
  }
  for (std::size_t f = 0; f < task.x.n_columns; ++f) {
    for (const RowIndex row : out.rows) out.values.push_back(task.x.at(row, f));
  }
  return out;
}

/// The objective of all members; where they differ, the default one.
std::string objective_of(const Forest& forest) {
  const std::string& first = forest.member(0).tree.tree().objective;
  for (std::size_t i = 1; i < forest.size(); ++i) {
    if (forest.member(i).tree.tree().objective != first) return {};
  }
  return first;
}

/// Mean loss of a member over its rows left out.
class LeftOutLoss {
 public:
  LeftOutLoss(const ImportanceTask& task, std::size_t member, const Tree& tree, const std::vector<RowIndex>& rows,
              Interrupt& interrupt)
      : target_(task.target),
        groups_(task.forest.member(member).groups),
        tree_(tree),
        judge_(bag_judge(objective_of(task.forest), target_)),
        predictor_(tree),
        rows_(rows),
        places_(rows.size()),
        answers_(rows.size()),
        interrupt_(interrupt) {
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = static_cast<RowIndex>(i);
  }
  double loss(const Matrix& x) {
    predictor_.answers(tree_, x, places_, answers_.data(), interrupt_);
    double sum = 0.0, weight = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      weight += target_.weight[rows_[i]];
      sum += answer_loss(judge_, target_, groups_, rows_[i], answers_[i]);
    }
    return sum / weight;
  }

 private:
  const Target& target_;
  const std::vector<std::int32_t>& groups_;
  const Tree& tree_;
  Judge judge_;
  Predictor predictor_;
  const std::vector<RowIndex>& rows_;
  std::vector<RowIndex> places_;
  std::vector<double> answers_;
  Interrupt& interrupt_;
};

void member_importance(const ImportanceTask& task, std::size_t member, double* out, Interrupt& interrupt) {
  LeftOut own = left_out(task, member);
  const std::size_t n = own.rows.size();
  std::fill(out, out + task.x.n_columns, n > 0 ? 0.0 : kNaN);
  if (n == 0) return;
  const Tree tree = task.forest.member(member).tree.unpack();
  std::set<FeatureIndex> asked(tree.surrogates.tests.feature.begin(), tree.surrogates.tests.feature.end());
  for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    if (tree.tests.kind[node] == TestKind::expression) {
      for (const FeatureIndex f : columns_of(tree.tests.tokens(node))) asked.insert(f);
    } else if (!tree.is_leaf(node)) {
      asked.insert(tree.tests.feature[node]);
    }
  }
  LeftOutLoss left_out_loss(task, member, tree, own.rows, interrupt);
  const double before = left_out_loss.loss(own.matrix());
  for (const FeatureIndex f : asked) {
    double* column = own.values.data() + static_cast<std::size_t>(f) * n;
    const std::vector<double> kept(column, column + n);
    RandomStream random(task.sampling.growth_seed(member) ^ kShuffles, static_cast<std::uint64_t>(f));
    for (std::int64_t repeat = 0; repeat < task.n_repeats; ++repeat) {
      for (std::size_t i = n; i > 1; --i) std::swap(column[i - 1], column[random.below(i)]);
      out[f] += (left_out_loss.loss(own.matrix()) - before) / static_cast<double>(task.n_repeats);
    }
    std::copy(kept.begin(), kept.end(), column);
  }
}

}  // namespace

std::vector<double> permutation_importance(const ImportanceTask& task, ThreadTeam& team, Interrupt& interrupt) {
  std::vector<double> out(task.members.size() * task.x.n_columns, 0.0);
  team.run(task.members.size(), [&](std::size_t i, std::size_t) {
    interrupt.check();
    member_importance(task, static_cast<std::size_t>(task.members[i]), out.data() + i * task.x.n_columns, interrupt);
  });
  return out;
}

}  // namespace spinney
