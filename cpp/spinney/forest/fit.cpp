#include "spinney/forest/fit.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "spinney/forest/out_of_bag.hpp"
#include "spinney/grow/binned.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBatchCells = std::size_t{1} << 21;  // answers held until they are added up in order

bool same_table(const Dataset& a, const Dataset& b) {
  return a.values.data == b.values.data &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const Column& one, const Column& other) { return one.kind == other.kind; });
}

/// Says when the error has not fallen for long enough.
class Patience {
 public:
  explicit Patience(const EnsemblePlan& plan) : plan_(plan) {}
  bool is_over(double error) {
    if (plan_.patience == 0) return false;
    if (error < least_ - plan_.tolerance) {
      least_ = error;
      waited_ = 0;
      return false;
    }
    return ++waited_ >= plan_.patience;
  }

 private:
  const EnsemblePlan& plan_;
  double least_ = kInfinity;
  std::int64_t waited_ = 0;
};

/// The objective of all learners; where they differ, the default one.
std::string common_objective(std::span<const LearnerInput> learners) {
  const auto name = [](const LearnerInput& own) {
    return judge_name(own.learner.params.criterion, own.target.n_classes);
  };
  const std::string first = name(learners.front());
  const bool same =
      std::all_of(learners.begin(), learners.end(), [&](const LearnerInput& c) { return name(c) == first; });
  return same ? first : std::string();
}

}  // namespace

std::vector<SharedTable> share_tables(std::span<const LearnerInput> learners, ThreadTeam& team, Interrupt& interrupt) {
  std::vector<SharedTable> tables;
  for (const LearnerInput& own : learners) {
    SharedTable table = share_table(own.data, own.target, interrupt);
    const bool sort = own.learner.params.sorts();
    for (const SharedTable& other : tables) {
      if (!sort || !same_table(other.data, own.data)) continue;
      if (!other.sorted) continue;
      table.sorted = other.sorted;
      table.pool = other.pool;
    }
    if (sort && !table.sorted) {
      table.sorted = std::make_shared<SortedColumns>(sort_columns(own.data, table.samples, team, interrupt));
      const std::size_t n_entries = SortedColumns::n_entries(own.data.columns.size(), table.samples.size());
      table.pool = std::make_shared<PagePool>(n_entries * sizeof(Entry));
    }
    if (!own.learner.igpa) table.borders = common_borders(own.data, table.samples, own.learner.params, team, interrupt);
    if (own.learner.params.random_cuts && own.learner.params.max_bins == 0)
      table.values = std::make_shared<const RowValues>(own.data, table.samples, team);
    tables.push_back(std::move(table));
  }
  return tables;
}

Ensemble fit_ensemble(EnsembleInput input, ThreadTeam& team, Interrupt& interrupt) {
  const EnsemblePlan& plan = input.plan;
  const Target& target = input.learners[0].target;
  const std::vector<SharedTable> tables = share_tables(input.learners, team, interrupt);
  Patience patience(plan);
  if (const auto first = static_cast<std::size_t>(input.before.n_to_cover); first > 0) {
    for (std::size_t i = first - 1; i < input.before.curve.size(); ++i) patience.is_over(input.before.curve[i]);
  }
  const Judge judge = bag_judge(common_objective(input.learners), target);
  BagSum bag(target, judge, std::move(input.before));
  Ensemble out;
  const bool judges = plan.out_of_bag || plan.records;
  const auto n_members = static_cast<std::size_t>(plan.n_members), first = static_cast<std::size_t>(plan.first_member);
  const std::size_t batch = judges ? std::clamp<std::size_t>(kBatchCells / target.n_rows(), 8, 64) : 64;
  std::atomic<std::size_t> n_done{first};
  bool enough = false;  // somebody has asked to stop
  while (first + out.members.size() < n_members && !enough) {
    const std::size_t begin = out.members.size(), n = std::min(batch, n_members - first - begin);
    out.members.resize(begin + n);
    out.records.resize(begin + n);
    std::vector<BagAnswers> answers(judges ? n : 0);
    team.run(n, [&](std::size_t i, std::size_t worker) {
      interrupt.check();
      const std::size_t member = first + begin + i, turn = member % input.learners.size();
      const SharedTable& table = tables[turn];
      MemberSample draw = plan.sampling.draw(table, member);
      const Learned learned = learn(table, input.learners[turn].learner, draw, {false, judges}, interrupt);
      Record& record = out.records[begin + i];
      record.n_iterations = static_cast<std::int64_t>(learned.history.size());
      record.settled = learned.settled;
      if (judges) answers[i] = answer_bag(table, learned, draw, judge, plan.records, record, interrupt);
      out.members[begin + i] = {PackedTree(learned.tree), std::move(draw.groups)};
      const std::size_t done = ++n_done;
      if (worker == 0 && input.finished) enough = input.finished(static_cast<std::int64_t>(done)) || enough;
    });
    for (std::size_t i = 0; plan.out_of_bag && i < n; ++i) {
      bag.add(answers[i], out.members[begin + i].groups);
      if (!bag.covers_all() || !patience.is_over(bag.curve().back())) continue;
      out.members.resize(begin + i + 1);
      out.records.resize(begin + i + 1);
      out.out_of_bag = std::move(bag).finish();
      return out;
    }
  }
  if (input.finished) input.finished(static_cast<std::int64_t>(first + out.members.size()));
  out.out_of_bag = std::move(bag).finish();
  return out;
}

}  // namespace spinney
