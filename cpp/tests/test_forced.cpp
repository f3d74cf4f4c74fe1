#include <memory>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

/// Two numbers with ties, a nominal column, gaps; classes or numbers.
problem::Problem mixed(std::size_t n, std::int32_t n_classes, std::uint64_t seed) {
  RandomStream random(seed, 0);
  problem::Problem p;
  p.columns = {{ColumnKind::numeric, 0}, {ColumnKind::numeric, 0}, {ColumnKind::nominal, 5}};
  p.n_classes = n_classes;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = static_cast<double>(random.below(30)), b = random.uniform();
    const auto c = static_cast<double>(random.below(5));
    p.values.insert(p.values.end(), {random.below(8) == 0 ? kNaN : a, b, random.below(6) == 0 ? kNaN : c});
    if (n_classes > 0) {
      p.codes.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n_classes))));
    } else {
      p.y.push_back(a + 20.0 * b + random.uniform());
    }
    p.weight.push_back(1.0);
  }
  return p;
}

GrowParams params_for(std::int32_t n_classes) {
  GrowParams params;
  if (n_classes == 0) params.criterion.name = "squared_error";
  params.max_depth = 5;
  return params;
}

bool same_but_for_gains(const Tree& a, const Tree& b) {
  return a.first_child == b.first_child && a.value == b.value && a.n_samples == b.n_samples &&
         a.tests.kind == b.tests.kind && a.tests.feature == b.tests.feature &&
         a.surrogates.tests.feature == b.surrogates.tests.feature && a.surrogates.agreement == b.surrogates.agreement;
}

}  // namespace

TEST(forcing_the_tests_of_a_tree_gives_that_tree) {
  for (const std::int32_t n_classes : {0, 2, 4}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const problem::Problem p = mixed(900, n_classes, seed);
      GrowParams params = params_for(n_classes);
      const Tree grown = problem::grow_tree(p, params);
      params.forced = std::make_shared<const ForcedTests>(ForcedTests{grown, {}, {}});
      for (const std::size_t n_threads : {1, 3})
        CHECK(same_but_for_gains(grown, problem::grow_tree(p, params, n_threads)));
    }
  }
}

TEST(a_closed_leaf_is_not_divided_and_others_are) {
  const problem::Problem p = mixed(600, 2, 1);
  GrowParams params = params_for(2);
  params.max_depth = 1;
  const Tree stump = problem::grow_tree(p, params);
  params.max_depth = 3;
  params.forced = std::make_shared<const ForcedTests>(ForcedTests{stump, {0, 1, 0}, {}});
  const Tree tree = problem::grow_tree(p, params);
  CHECK(tree.is_leaf(1));
  CHECK(!tree.is_leaf(2));
}

TEST(a_forced_test_without_rows_on_one_side_makes_a_leaf) {
  const problem::Problem p = mixed(100, 2, 2);
  GrowParams params = params_for(2);
  params.max_depth = 1;
  Tree stump = problem::grow_tree(p, params);
  stump.tests.kind[0] = TestKind::threshold;
  stump.tests.feature[0] = 0;
  for (const double threshold : {-1.0, 1e9}) {
    stump.tests.threshold[0] = threshold;
    params.forced = std::make_shared<const ForcedTests>(ForcedTests{stump, {}, {}});
    CHECK(problem::grow_tree(p, params).n_nodes() == 1);
  }
}
