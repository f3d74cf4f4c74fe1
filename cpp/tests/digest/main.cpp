// Prints a line per model with a digest of all its numbers: builds for two machines, or by two compilers, must print
// the same. The tables are drawn without the library of mathematics, so that only models can differ.

#include <cmath>
#include <cstdio>
#include <string>

#include "../problem.hpp"
#include "spinney/evolve/evolution.hpp"
#include "spinney/file/codec.hpp"
#include "spinney/file/frame.hpp"
#include "spinney/forest/fit.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

/// FNV-1a over the arrays of a model, as they are stored.
void print(const std::string& name, const std::vector<std::byte>& bytes) {
  std::uint64_t digest = 14695981039346656037U;
  for (const std::byte byte : bytes) digest = (digest ^ static_cast<std::uint64_t>(byte)) * 1099511628211U;
  std::printf("%s %zu %016llx\n", name.c_str(), bytes.size(), static_cast<unsigned long long>(digest));
}

/// Numbers with gaps, numbers with ties and categories; three classes, or amounts, with weights.
problem::Problem drawn(std::size_t n, bool classes) {
  RandomStream random(11, 0);
  problem::Problem p;
  p.columns = {{ColumnKind::numeric, 0}, {ColumnKind::numeric, 0}, {ColumnKind::nominal, 5}};
  p.n_classes = classes ? 3 : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.uniform(), b = static_cast<double>(random.below(9)),
                 c = static_cast<double>(random.below(5));
    const double amount = 3.0 * a + 0.2 * b + (c == 2.0 ? 1.5 : 0.0) + random.uniform();
    p.values.insert(p.values.end(), {random.below(10) == 0 ? kNaN : a, b, c});
    p.weight.push_back(0.5 + random.uniform());
    if (classes) {
      p.codes.push_back(amount < 2.0 ? 0 : amount < 3.5 ? 1 : 2);
    } else {
      p.y.push_back(std::floor(amount) + 0.1);
      p.exposure.push_back(0.1 + random.uniform());
    }
  }
  return p;
}

void print_trees() {
  for (const std::string name : {"gini", "entropy", "squared_error", "absolute_error", "poisson", "gamma", "tweedie"}) {
    const bool classes = name == "gini" || name == "entropy";
    problem::Problem p = drawn(2000, classes);
    GrowParams params;
    params.criterion.name = name;
    params.criterion.parameter = 1.5;
    params.criterion.exposed = name == "poisson" || name == "gamma" || name == "tweedie";
    if (!params.criterion.exposed) p.exposure.clear();
    params.min_samples_leaf = 5;
    print(name, to_frame(store(problem::grow_tree(p, params))));
  }
}

void print_forest() {
  const problem::Problem p = drawn(1000, true);
  const Target target = p.target();
  Learner learner;
  learner.params.max_features = 2;
  const std::vector<LearnerInput> learners = {{p.data(), target, learner}};
  EnsemblePlan plan;
  plan.n_members = 20;
  plan.sampling.size = 1000;
  Interrupt interrupt;
  ThreadTeam team(2, &interrupt);
  Ensemble made = fit_ensemble({learners, plan, {}, {}}, team, interrupt);
  print("forest", to_frame(store(Forest(std::move(made.members)), team)));
}

Symbol function(Op op, std::vector<TypeId> takes, TypeId returns) {
  Symbol symbol;
  symbol.kind = SymbolKind::function;
  symbol.returns = returns;
  for (std::size_t i = 0; i < takes.size(); ++i)
    symbol.body.push_back({Op::column, -1 - static_cast<std::int32_t>(i), 0.0});
  symbol.body.push_back({op, 0, 0.0});
  symbol.takes = std::move(takes);
  return symbol;
}

Language language() {
  std::vector<Symbol> symbols(3);
  for (Symbol& symbol : symbols) symbol.returns = 1;
  symbols[1].column = 1;
  symbols[2].kind = SymbolKind::constant;
  symbols[2].pool = {-1.0, 0.5, 2.0};
  symbols[2].spread = 1.0;
  for (const Op op : {Op::add, Op::subtract, Op::multiply}) symbols.push_back(function(op, {1, 1}, 1));
  symbols.push_back(function(Op::sine, {1}, 1));
  symbols.push_back(function(Op::greater, {1, 1}, 0));
  symbols.push_back(function(Op::both, {0, 0}, 0));
  return Language(std::move(symbols));
}

void print_evolved() {
  const problem::Problem p = drawn(500, true);
  const Dataset data = p.data();
  const Target target = p.target();
  Interrupt interrupt;
  ThreadTeam team(2);
  const Samples samples = make_samples(target, {}, interrupt);
  ObjectiveChoice criterion;
  criterion.name = "entropy";
  EvolvePlan plan;
  plan.search.population_size = 100;
  plan.search.generations = 20;
  const EvolveSettings settings{std::make_shared<const Language>(language()), plan};
  Evolution evolution({data, target, criterion, samples, settings, 7});
  while (!evolution.is_done()) evolution.step(team, interrupt);
  for (const Tree& tree : std::move(evolution).take_trees()) print("evolved", to_frame(store(tree)));
}

}  // namespace

int main() {
  print_trees();
  print_forest();
  print_evolved();
  return 0;
}
