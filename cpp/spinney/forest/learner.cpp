#include "spinney/forest/learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "spinney/data/subset.hpp"
#include "spinney/prune/cross_validate.hpp"
#include "spinney/prune/description.hpp"
#include "spinney/prune/error_based.hpp"
#include "spinney/prune/reduced_error.hpp"
#include "spinney/tree/shrink.hpp"

namespace spinney {

namespace {

/// A target of the member's own, with the arrays that it borrows.
struct OwnTarget {
  std::vector<std::int32_t> codes;
  std::vector<double> weight;
  Target target;
};

/// What classes count for if those that have any weight have the same.
void balance(Target& target, std::span<const double> weight) {
  std::vector<double> totals(target.n_outputs(), 0.0);
  for (std::size_t row = 0; row < weight.size(); ++row) totals[target.codes[row]] += weight[row];
  const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
  const auto n = static_cast<double>(std::count_if(totals.begin(), totals.end(), [](double w) { return w > 0.0; }));
  target.class_scale.assign(totals.size(), 1.0);
  for (std::size_t c = 0; c < totals.size(); ++c) {
    if (totals[c] > 0.0) target.class_scale[c] = all / (n * totals[c]);
    if (!target.split_scale.empty()) target.split_scale[c] *= target.class_scale[c];
  }
}

/// The rows of a member with what they count for, and the classes that it is taught.
OwnTarget own_target(const SharedTable& shared, const Learner& learner, const MemberSample& draw) {
  OwnTarget own;
  own.target = shared.target;
  own.weight.assign(shared.target.n_rows(), 0.0);
  for (SampleIndex s = 0; s < shared.samples.size(); ++s) {
    const RowIndex row = shared.samples.row[s];
    own.weight[row] = shared.target.weight[row] * draw.counts[s];
  }
  if (learner.balanced) balance(own.target, own.weight);
  if (!draw.codes.empty()) own.codes = draw.codes;
  if (!draw.groups.empty()) {
    own.codes.assign(shared.target.codes.begin(), shared.target.codes.end());
    for (std::size_t row = 0; row < own.codes.size(); ++row) {
      own.weight[row] *= own.target.scale_of(row);
      own.codes[row] = draw.groups[own.codes[row]];
    }
    own.target.n_classes = 2;
    own.target.class_scale.clear();
    own.target.split_scale.clear();
    own.target.cost.clear();
  }
  own.target.weight = own.weight;
  if (!own.codes.empty()) own.target.codes = own.codes;
  return own;
}

/// Samples with the sort of their columns.
struct Training {
  Samples samples;
  std::shared_ptr<SortedColumns> sorted;
  std::shared_ptr<const RowValues> values = nullptr;
};

/// Samples of another target than the shared one's: their order follows the classes.
Training retarget(const SharedTable& shared, const Target& target, Interrupt& interrupt) {
  Training out{make_samples(target, {}, interrupt), nullptr};
  std::vector<SampleIndex> of_row(target.n_rows(), kAbsent), new_index(shared.samples.size());
  for (SampleIndex s = 0; s < out.samples.size(); ++s) of_row[out.samples.row[s]] = s;
  for (SampleIndex s = 0; s < shared.samples.size(); ++s) new_index[s] = of_row[shared.samples.row[s]];
  out.sorted = shared.select(new_index, out.samples.size(), interrupt);
  return out;
}

/// Grows and prunes one tree from rows of its own.
class MemberTrainer {
 public:
  MemberTrainer(const SharedTable& shared, const Learner& learner, const MemberSample& draw, ThreadTeam& team,
                Interrupt& interrupt)
      : data_(shared.data),
        learner_(learner),
        params_(learner.params),
        team_(team),
        interrupt_(interrupt),
        borders_(shared.borders.get()) {
    params_.seed = draw.seed;
    params_.features = draw.features;
    const bool changed = !draw.codes.empty() || !draw.groups.empty() || learner.balanced;
    if (changed || reads_weights()) own_ = own_target(shared, learner, draw);
    target_ = own_.weight.empty() ? &shared.target : &own_.target;
    const bool by_folds = learner.pruning == MemberPruning::cross_validated;
    const bool untouched = params_.max_depth == 1 && !params_.multiway;
    if (changed || by_folds) {
      training_ = retarget(shared, own_.target, interrupt);
      return;
    }
    SampleSubset kept = keep_samples(shared.samples, draw.counts);
    const std::size_t n = kept.samples.size();
    const bool shares = untouched && shared.sorted && n == shared.samples.size();
    if (shares) blocks_ = shared.blocks.get();  // they go by the numbers of all samples
    training_ = {std::move(kept.samples), shares ? shared.sorted : shared.select(kept.new_index, n, interrupt),
                 shared.select_values(kept.new_index, n)};
  }

  Learned run(IgpaReport report) {
    if (!learner_.igpa) return {run_once(), {}, true, {}};
    const std::vector<std::int32_t> part =
        deal_parts(*target_, static_cast<std::size_t>(learner_.igpa->n_parts), params_.seed);
    return grow_and_prune(
        {data_, *target_, params_, training_.samples, training_.sorted.get(), part, *learner_.igpa, report}, team_,
        interrupt_);
  }

 private:
  Tree run_once() {
    if (learner_.evolve) return evolve();
    if (learner_.validation_fraction > 0.0) set_aside();
    if (learner_.pruning == MemberPruning::cross_validated) return prune_by_folds();
    Tree tree = grow(input(std::move(training_)), team_, interrupt_);
    if (learner_.collapse) tree = collapse_useless(tree);
    tree = prune(std::move(tree));
    if (!learner_.ccp_alpha) return tree;
    return subtree_at(tree, cost_complexity(tree, LinkRule::rpart), *learner_.ccp_alpha);
  }

  /// Cut back by the rows of the member.
  Tree prune(Tree tree) {
    switch (learner_.pruning) {
      case MemberPruning::none:
      case MemberPruning::cross_validated: return tree;
      case MemberPruning::mdl: return collapse(tree, shortest(tree));
      case MemberPruning::error_based:
        return error_based(tree, data_.values, *target_, {learner_.cf, learner_.raise_subtrees, &params_.criterion},
                           interrupt_);
      case MemberPruning::reduced_error: break;
    }
    if (judge_weight_.empty()) return tree;
    Target judge = *target_;
    judge.weight = judge_weight_;
    return collapse(tree, reduced_error(tree, data_.values, judge).make_leaf);
  }

  /// Whether something beyond growth looks at the weights of the rows.
  bool reads_weights() const {
    return learner_.igpa || learner_.validation_fraction > 0.0 || learner_.pruning == MemberPruning::cross_validated ||
           learner_.pruning == MemberPruning::error_based;
  }
  GrowInput input(Training training) {
    return {data_,        *target_, params_,  std::move(training.samples), std::move(training.sorted), blocks_, nullptr,
            &validation_, {},       borders_, std::move(training.values)};
  }
  Tree evolve();
  void set_aside();
  Tree prune_by_folds();

  const Dataset& data_;
  const Learner& learner_;
  GrowParams params_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  const BinBorders* borders_;
  OwnTarget own_;
  const Target* target_ = nullptr;
  Training training_;
  const BlockCodes* blocks_ = nullptr;
  std::vector<double> judge_weight_;  // of rows set aside, by row
  Validation validation_;
};

/// One tree with evolved tests, from all rows of the member.
Tree MemberTrainer::evolve() {
  Evolution evolution({data_, *target_, params_.criterion, training_.samples, *learner_.evolve, params_.seed});
  while (!evolution.is_done()) evolution.step(team_, interrupt_);
  return std::move(std::move(evolution).take_trees()[0]);
}

/// An even share of every class judges; the others grow the tree.
void MemberTrainer::set_aside() {
  const std::vector<RowIndex> rows = deal(*target_, params_.seed);
  const std::size_t n = rows.size();
  if (n < 2) return;
  blocks_ = nullptr;  // they are those of all samples
  const auto wanted = static_cast<std::size_t>(std::llround(learner_.validation_fraction * static_cast<double>(n)));
  const std::size_t n_out = std::clamp<std::size_t>(wanted, 1, n - 1);
  judge_weight_.assign(own_.weight.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if ((i * n_out + n_out) / n == i * n_out / n) continue;
    judge_weight_[rows[i]] = std::exchange(own_.weight[rows[i]], 0.0);
  }
  const Samples& samples = training_.samples;
  std::vector<double> grows(samples.size());
  for (SampleIndex s = 0; s < samples.size(); ++s) grows[s] = judge_weight_[samples.row[s]] > 0.0 ? 0.0 : 1.0;
  SampleSubset kept = keep_samples(samples, grows);
  std::shared_ptr<SortedColumns> sorted;
  if (training_.sorted)
    sorted = std::make_shared<SortedColumns>(
        select_samples(*training_.sorted, kept.new_index, kept.samples.size(), interrupt_));
  training_ = {std::move(kept.samples), std::move(sorted)};
  if (learner_.patience == 0) return;
  validation_ = {{}, judge_weight_, learner_.patience};
  for (std::size_t row = 0; row < judge_weight_.size(); ++row) {
    if (judge_weight_[row] > 0.0) validation_.rows.push_back(static_cast<RowIndex>(row));
  }
}

/// The smallest tree within a standard error of the best, or the best, of the cost-complexity sequence.
Tree MemberTrainer::prune_by_folds() {
  validation_ = {};  // folds choose the size
  const std::size_t n_rows = target_->n_rows();
  Training copy{training_.samples, nullptr};
  if (training_.sorted) copy.sorted = std::make_shared<SortedColumns>(training_.sorted->copy());
  Tree tree = grow(input(std::move(copy)), team_, interrupt_);
  const std::vector<RowIndex> rows = deal(*target_, params_.seed);
  const auto k = std::min(static_cast<std::size_t>(learner_.n_folds), rows.size());
  const CostComplexity path = cost_complexity(tree, LinkRule::rpart);
  if (k < 2) return tree;
  std::vector<std::vector<std::uint8_t>> test(k, std::vector<std::uint8_t>(n_rows, 0)), train = test;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t fold = 0; fold < k; ++fold) (i % k == fold ? test : train)[fold][rows[i]] = 1;
  }
  std::vector<Fold> folds;
  for (std::size_t fold = 0; fold < k; ++fold) folds.push_back({train[fold], test[fold]});
  const ErrorCurve curve = cross_validate(data_, *target_, params_, training_.samples, training_.sorted.get(), borders_,
                                          folds, typical_alphas(path.alphas), team_, interrupt_);
  return subtree_at(tree, path, path.alphas[choose_size(curve, learner_.one_standard_error)]);
}

}  // namespace

std::shared_ptr<SortedColumns> SharedTable::select(std::span<const SampleIndex> new_index, std::size_t n_kept,
                                                   Interrupt& interrupt) const {
  if (!sorted) return nullptr;
  return std::make_shared<SortedColumns>(select_samples(*sorted, new_index, n_kept, interrupt, pool));
}

std::shared_ptr<const RowValues> SharedTable::select_values(std::span<const SampleIndex> new_index,
                                                            std::size_t n_kept) const {
  if (!values || n_kept == samples.size()) return values;
  return std::make_shared<const RowValues>(values->select(new_index, n_kept));
}

SharedTable share_table(const Dataset& data, const Target& target, Interrupt& interrupt) {
  if (data.values.n_rows != target.n_rows()) throw std::invalid_argument("table and target differ in length");
  SharedTable shared{data, target, make_samples(target, {}, interrupt), nullptr, nullptr, nullptr};
  if (shared.samples.size() == 0) throw std::invalid_argument("no row of positive weight to grow trees from");
  return shared;
}

Learned learn(const SharedTable& shared, const Learner& learner, const MemberSample& draw, IgpaReport report,
              Interrupt& interrupt, ThreadTeam* team) {
  ThreadTeam alone(1);
  Learned learned = MemberTrainer(shared, learner, draw, team ? *team : alone, interrupt).run(report);
  if (learner.shrinkage > 0.0) learned.tree.answer = shrunk_answers(learned.tree, learner.shrinkage);
  return learned;
}

}  // namespace spinney
