#include "spinney/evolve/evolution.hpp"

#include <array>
#include <numeric>
#include <stdexcept>

#include "spinney/grow/grow.hpp"
#include "spinney/objective/entropy.hpp"

namespace spinney {

struct Evolution::Task {
  Open node;
  NodeColumns columns;
  Fitness fitness;
  Search search;

  Task(Open open, NodeColumns gathered, Fitness judge, const EvolveSettings& settings, std::uint64_t seed)
      : node(std::move(open)),
        columns(std::move(gathered)),
        fitness(std::move(judge)),
        search(*settings.language, settings.plan.search, columns, fitness, seed) {}
};

Evolution::Evolution(const EvolveInput& input)
    : in_(input), plan_(in_.settings.plan), summarizer_(in_.target, in_.samples, in_.criterion) {
  if (in_.samples.size() == 0) throw std::invalid_argument("no row of positive weight to grow a tree from");
  begin_tree();
  advance();
}

Evolution::~Evolution() = default;

const SearchState* Evolution::search() const { return task_ ? &task_->search.state() : nullptr; }

void Evolution::begin_tree() {
  builder_.emplace(empty_tree(in_.data.columns.size(), in_.target, in_.criterion, MissingRule::majority));
  std::vector<SampleIndex> everyone(in_.samples.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  Summary summary = summarizer_.summarize(everyone);
  total_weight_ = summary.stats.weight;
  root_impurity_ = summary.stats.impurity;
  const NodeId root = builder_->add_root(summary.stats);
  open({root, 0, std::move(everyone), std::move(summary)});
}

bool Evolution::may_divide(const Open& node) const {
  const NodeStats& stats = node.summary.stats;
  if (node.summary.pure || node.group.size() < 2 || node.depth >= plan_.max_depth) return false;
  if (stats.weight < plan_.min_fraction * total_weight_ * (1.0 - tolerance::kSum)) return false;
  if (in_.target.n_classes == 0) return !(stats.impurity < plan_.min_variance * root_impurity_);
  return !(Entropy{{{.n = in_.target.n_classes}}}.loss(stats.value.data(), stats.weight) / stats.weight <
           plan_.min_entropy);
}

void Evolution::open(Open node) {
  if (may_divide(node)) open_.push_back(std::move(node));
}

/// Begins the next search, or the next tree, until something is to be done, or all is.
void Evolution::advance() {
  while (!task_ && !is_done()) {
    if (!open_.empty()) {
      begin_search();
      continue;
    }
    trees_.push_back(std::move(*builder_).finish());
    builder_.reset();
    if (!is_done()) begin_tree();
  }
}

void Evolution::begin_search() {
  Open node = std::move(open_.back());
  open_.pop_back();
  const bool is_root = node.depth == 0;
  const auto key = static_cast<std::uint64_t>(trees_.size()) << 32 | static_cast<std::uint32_t>(node.node);
  const std::uint64_t seed = RandomStream(in_.seed, key).next();
  NodeColumns columns = gather(node.group);
  Fitness fitness(in_.target, in_.samples, node.group);
  if (is_root && plan_.diverse_roots) {
    Fitness diverse(in_.target, in_.samples, node.group, roots_);
    if (diverse.most() > 0.0) fitness = std::move(diverse);  // else nothing is left to be learned besides
  }
  task_ = std::make_unique<Task>(std::move(node), std::move(columns), std::move(fitness), in_.settings, seed);
  if (n_replayed_ < tests_.size()) replay();
}

NodeColumns Evolution::gather(const std::vector<SampleIndex>& group) const {
  return {group.size(), in_.data.columns.size(),
          [&](std::size_t i, std::size_t c) { return in_.data.values.at(in_.samples.row[group[i]], c); }};
}

void Evolution::step(ThreadTeam& team, Interrupt& interrupt) {
  if (is_done()) return;
  task_->search.step(team, interrupt);
  if (!task_->search.is_done()) return;
  n_evaluations_ += task_->search.state().n_evaluations;
  tests_.push_back(task_->search.best(plan_.search.refine));
  if (!divide(tests_.back())) tests_.back().clear();
  advance();
}

void Evolution::resume(std::vector<std::vector<Token>> tests, SearchState search, std::int64_t n_evaluations) {
  if (n_evaluations < 0 || n_evaluations > std::int64_t{1} << 62) throw std::invalid_argument("it counts wrong");
  n_evaluations_ = n_evaluations;
  tests_ = std::move(tests);
  if (n_replayed_ < tests_.size() && task_) replay();
  advance();
  if (n_replayed_ != tests_.size()) throw std::invalid_argument("the tests are not those of this data");
  if (!task_ && (search.generation != 0 || !search.population.empty() || !search.best.genes.empty()))
    throw std::invalid_argument("it goes on after the last test");
  if (task_) task_->search.resume(std::move(search));
}

/// Divides the node of the present search by a test; without one it stays a leaf. False, and a leaf, if the test is the
/// same for all rows: a search finds none such, but may go on from a fitness that is not that of the program.
bool Evolution::divide(const std::vector<Token>& test) {
  ++n_replayed_;
  const std::unique_ptr<Task> task = std::move(task_);
  if (test.empty()) return true;
  Open& node = task->node;
  Truth truth;
  Evaluator(in_.settings.language->calls()).truth(test, task->columns, truth);
  const bool unknown_true = task->fitness.unknown_goes_true(truth);
  std::array<std::vector<SampleIndex>, 2> sides;
  for (std::size_t i = 0; i < node.group.size(); ++i) {
    if (unknown_true && !truth.is_false(i)) set_bit(truth.yes, i);
    sides[has_bit(truth.yes, i) ? 0 : 1].push_back(node.group[i]);
  }
  if (sides[0].empty() || sides[1].empty()) return false;
  if (node.depth == 0 && plan_.diverse_roots) roots_.push_back(std::move(truth.yes));
  std::array<Summary, 2> children;
  std::array<NodeStats, 2> stats;
  for (std::size_t b = 0; b < 2; ++b) {
    children[b] = summarizer_.summarize(sides[b]);
    stats[b] = children[b].stats;
  }
  Division division;
  division.test.kind = TestKind::expression;
  division.test.tokens = test;
  division.default_branch = unknown_true ? 0 : 1;
  const NodeStats& whole = node.summary.stats;
  division.gain = std::max(
      0.0, whole.weight * whole.impurity - stats[0].weight * stats[0].impurity - stats[1].weight * stats[1].impurity);
  const NodeId first = builder_->divide(node.node, std::move(division), stats);
  for (const std::size_t b : {1, 0}) {  // the first child is on top of the stack
    open({first + static_cast<NodeId>(b), node.depth + 1, std::move(sides[b]), std::move(children[b])});
  }
  return true;
}

void Evolution::replay() {
  if (!divide(tests_[n_replayed_])) throw std::invalid_argument("a test is the same for all rows of its node");
}

}  // namespace spinney
