#include <cmath>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/forest/boost.hpp"

using namespace spinney;

namespace {

/// Numbers, a column with ties, a nominal one, gaps if asked for; two classes that depend on them.
problem::Problem mixed(std::size_t n, bool gaps, std::uint64_t seed = 1) {
  RandomStream random(seed, 0);
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.uniform(), b = static_cast<double>(random.below(7)),
                 c = static_cast<double>(random.below(4));
    const bool one = a + 0.1 * b + (c == 2.0 ? 0.5 : 0.0) + 0.5 * random.uniform() > 1.0;
    values.insert(values.end(), {gaps && random.below(10) == 0 ? kNaN : a, b, gaps && random.below(5) == 0 ? kNaN : c});
    codes.push_back(one ? 1 : 0);
  }
  return problem::classes(std::move(values),
                          {{ColumnKind::numeric, 0}, {ColumnKind::numeric, 0}, {ColumnKind::nominal, 4}},
                          std::move(codes), 2);
}

problem::Problem of_nodes(std::size_t n) {
  RandomStream random(5, 0);
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.uniform(), b = std::floor(50.0 * random.uniform()), c = random.uniform();
    values.insert(values.end(), {a, b, c});
    codes.push_back(a + c + 0.02 * b + random.uniform() > 2.0 ? 1 : 0);
  }
  return problem::classes(std::move(values), std::vector<Column>(3), std::move(codes), 2);
}

bool equal(const Tree& a, const Tree& b) {
  const auto same_threshold = [](double x, double y) { return x == y || (x != x && y != y); };
  return a.first_child == b.first_child && a.n_children == b.n_children && a.parent == b.parent &&
         a.default_branch == b.default_branch && a.value == b.value &&
         of_nodes(a, &Tree::weight) == of_nodes(b, &Tree::weight) &&
         of_nodes(a, &Tree::impurity) == of_nodes(b, &Tree::impurity) && a.gain == b.gain &&
         of_nodes(a, &Tree::risk) == of_nodes(b, &Tree::risk) && a.n_samples == b.n_samples &&
         a.tests.kind == b.tests.kind && a.tests.feature == b.tests.feature &&
         std::equal(a.tests.threshold.begin(), a.tests.threshold.end(), b.tests.threshold.begin(),
                    b.tests.threshold.end(), same_threshold) &&
         a.tests.code_lists == b.tests.code_lists && a.tests.code == b.tests.code &&
         a.tests.cut_lists == b.tests.cut_lists && a.surrogates.lists == b.surrogates.lists;
}

}  // namespace

TEST(a_packed_tree_unpacks_to_the_same_tree) {
  for (const bool gaps : {false, true}) {
    for (const std::int64_t surrogates : {0, 3}) {
      GrowParams params;
      params.max_surrogates = surrogates;
      const Tree with_categories = problem::grow_tree(mixed(300, gaps), params);
      const PackedTree whole(with_categories);
      CHECK(!whole.is_packed());
      CHECK(equal(whole.unpack(), with_categories));
    }
  }
  GrowParams params;
  params.max_surrogates = 0;
  for (const double weight : {1.0, 0.1}) {
    problem::Problem p = of_nodes(500);
    for (std::size_t i = 0; i < p.weight.size(); i += 3) p.weight[i] = weight;
    const Tree tree = problem::grow_tree(p, params);
    const PackedTree packed(tree);
    CHECK(packed.is_packed());
    CHECK(equal(packed.unpack(), tree));
  }
}

TEST(known_blocks_change_no_stump) {
  ThreadTeam team(1);
  Interrupt interrupt;
  for (const std::size_t n : {5, 64, 1000, 3000}) {
    problem::Problem p = of_nodes(n);
    RandomStream random(n, 1);
    for (double& w : p.weight) w = random.uniform();
    for (const std::int64_t leaf : {1, 2}) {
      GrowParams params;
      params.max_depth = 1;
      params.max_surrogates = 0;
      params.min_samples_leaf = leaf;
      const Target target = p.target();
      const Samples samples = make_samples(target, {}, interrupt);
      const auto sorted = std::make_shared<SortedColumns>(sort_columns(p.data(), samples, team, interrupt));
      const BlockCodes blocks(*sorted);
      const Tree plain = problem::grow_tree(p, params);
      const Tree foreseen =
          grow({p.data(), target, params, samples, sorted, &blocks, nullptr, nullptr}, team, interrupt);
      CHECK(plain.tests.feature == foreseen.tests.feature);
      CHECK(plain.tests.threshold[0] == foreseen.tests.threshold[0]);
      CHECK(plain.value == foreseen.value);
      CHECK(std::abs(plain.gain[0] - foreseen.gain[0]) <= 1e-12 * plain.weight(0));
      CHECK(n < 64 || plain.n_nodes() == 3);
    }
  }
}

TEST(codes_lead_rows_to_the_same_leaves) {
  problem::Problem p = of_nodes(20000);
  GrowParams params;
  params.max_surrogates = 0;
  std::vector<Member> members;
  for (const std::int64_t depth : {1, 4, 30}) {
    params.max_depth = depth;
    members.push_back({PackedTree(problem::grow_tree(p, params)), {}});
  }
  for (std::size_t row = 0; row < 20000; row += 37) p.values[row * 3 + row % 3] = row % 2 ? kNaN : kInfinity;
  const Forest forest(std::move(members));
  Interrupt interrupt;
  const Matrix x = p.data().values;
  std::vector<NodeId> many(x.n_rows * 3), few(x.n_rows * 3);
  forest.apply(x, many.data(), {1, interrupt});
  for (std::size_t begin = 0; begin < x.n_rows; begin += 100) {
    const Matrix part{x.data + begin * 3, x.row_stride, x.column_stride, 100, 3};
    forest.apply(part, few.data() + begin * 3, {1, interrupt});
  }
  CHECK(many == few);
  const auto chosen = forest.leaves(std::vector<std::int64_t>{2, 0}, x, {2, interrupt});
  for (std::size_t row = 0; row < x.n_rows; ++row)
    CHECK(chosen[0][row] == many[row * 3 + 2] && chosen[1][row] == many[row * 3]);
}

TEST(weights_of_boosting_follow_the_rules) {
  const std::vector<double> start(4, 1.0), wrong = {0.0, 0.0, 0.0, 1.0}, half = {1.0, 1.0, 0.0, 0.0};
  Booster samme({BoostRule::samme, BoostLoss::exponential, 1.0, 2}, start);
  const BoostRound first = samme.add(wrong);
  CHECK(std::abs(first.error - 0.25) < 1e-15);
  CHECK(std::abs(first.weight - std::log(3.0)) < 1e-15);
  CHECK(std::abs(samme.weights()[3] - 0.5) < 1e-15);
  Booster guessing({BoostRule::m1, BoostLoss::exponential, 1.0, 2}, start);
  const BoostRound dropped = guessing.add(half);
  CHECK(!dropped.keep && dropped.stop);
  Booster arc({BoostRule::arc_x4, BoostLoss::exponential, 1.0, 2}, start);
  arc.add(wrong);
  CHECK(std::abs(arc.weights()[3] - 2.0 / 5.0) < 1e-15);
  arc.add(wrong);
  CHECK(std::abs(arc.weights()[3] - 17.0 / 20.0) < 1e-15);
}

TEST(members_do_not_depend_on_the_number_of_threads) {
  const problem::Problem p = mixed(400, true);
  const Target target = p.target();
  Learner learner;
  learner.params.max_features = 2;
  const std::vector<LearnerInput> learners = {{p.data(), target, learner}};
  EnsemblePlan plan;
  plan.n_members = 20;
  plan.sampling.size = 400;
  plan.out_of_bag = true;
  std::vector<Ensemble> made;
  for (const std::size_t n_threads : {1, 3}) {
    Interrupt interrupt;
    ThreadTeam team(n_threads, &interrupt);
    made.push_back(fit_ensemble({learners, plan, {}, {}}, team, interrupt));
  }
  CHECK(made[0].out_of_bag.curve == made[1].out_of_bag.curve);
  for (std::size_t i = 0; i < 20; ++i) CHECK(equal(made[0].members[i].tree.unpack(), made[1].members[i].tree.unpack()));
}
