#include "check.hpp"
#include "problem.hpp"
#include "spinney/splits/segments.hpp"
#include "spinney/tree/predict.hpp"

using namespace spinney;

namespace {

constexpr Column kNumber{ColumnKind::numeric, 0};

Column nominal(std::int32_t n) { return {ColumnKind::nominal, n}; }

}  // namespace

TEST(the_credit_example_gives_the_tree_of_the_lecture_notes) {
  // age, married, own house, income, gender; bad = 0, good = 1
  const problem::Problem p =
      problem::classes({22, 0, 0, 28, 1, 46, 0, 1, 32, 0, 24, 1, 1, 24, 1, 25, 0, 0, 27, 1, 29, 1, 1, 32, 0,
                        45, 1, 1, 30, 0, 63, 1, 1, 58, 1, 36, 1, 0, 52, 1, 23, 0, 1, 40, 0, 50, 1, 1, 28, 0},
                       {kNumber, nominal(2), nominal(2), kNumber, nominal(2)}, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, 2);
  const Tree tree = problem::grow_tree(p, {});
  CHECK(tree.check().empty());
  CHECK(tree.n_nodes() == 7);
  CHECK(tree.tests.feature[0] == 3 && tree.tests.threshold[0] == 36.0);
  CHECK_NEAR(tree.gain[0] / tree.weight(0), 2 * (0.25 - 0.7 * (5.0 / 7) * (2.0 / 7)));
  CHECK(tree.tests.feature[1] == 0 && tree.tests.threshold[1] == 37.0);
  CHECK(tree.tests.feature[4] == 1 && tree.tests.kind[4] == TestKind::subset);
  CHECK_NEAR(tree.surrogates.agreement[tree.surrogates.lists.begin(1)], 6.0 / 7);
}

TEST(xor_is_divided_although_the_first_test_gains_nothing) {
  for (const char* name : {"gini", "entropy", "exponent", "misclassification", "twoing"}) {
    const problem::Problem p = problem::classes({1, 1, 1, 0, 0, 1, 0, 0}, {kNumber, kNumber}, {0, 1, 1, 0}, 2);
    GrowParams params;
    params.criterion.name = name;
    const Tree tree = problem::grow_tree(p, params);
    CHECK(tree.n_nodes() == 7);
    CHECK(tree.tests.feature[0] == 0);
    params.min_impurity_decrease = 1e-12;
    CHECK(problem::grow_tree(p, params).n_nodes() == 1);
  }
}

TEST(only_segment_borders_are_candidates) {
  const std::vector<double> x = {8, 8, 12, 12, 14, 16, 16, 18, 20, 20};
  const std::vector<std::int32_t> y = {0, 1, 0, 1, 0, 0, 0, 0, 0, 1};
  CHECK(segment_borders(x, y, 2) == (std::vector<double>{13, 19}));
}

TEST(all_subsets_of_a_nominal_column_are_tried_for_three_classes) {
  // Categories 0 and 2 hold class 0, 1 and 3 hold classes 1 and 2: no order of one class share shows it.
  const problem::Problem p = problem::classes({0, 2, 1, 1, 3, 3, 0, 2}, {nominal(4)}, {0, 0, 1, 2, 1, 2, 0, 0}, 3);
  GrowParams params;
  params.max_depth = 1;
  const Tree tree = problem::grow_tree(p, params);
  CHECK(tree.tests.code.wide() == (std::vector<std::int32_t>{0, 1, 2, 3}));
  CHECK(tree.tests.branch.wide() == (std::vector<std::int32_t>{0, 1, 0, 1}));
}

TEST(going_on_from_the_leaves_equals_growing_at_once) {
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  std::uint64_t state = 3;
  for (int i = 0; i < 300; ++i) {
    for (int f = 0; f < 3; ++f) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      values.push_back(state % 10 == 0 ? kNaN : static_cast<double>(state >> 55));
    }
    codes.push_back(static_cast<std::int32_t>(state >> 62) % 3);
  }
  const problem::Problem p = problem::classes(values, {kNumber, kNumber, kNumber}, codes, 3);
  GrowParams shallow;
  shallow.max_depth = 2;
  const Tree start = problem::grow_tree(p, shallow);
  const Tree whole = problem::grow_tree(p, {}), further = problem::grow_tree(p, {}, 1, &start);
  CHECK(further.check().empty());
  CHECK(whole.n_nodes() == further.n_nodes());
  std::vector<double> a(900), b(900);
  Interrupt never;
  Predictor(whole).values(whole, p.data().values, a.data(), {1, never});
  Predictor(further).values(further, p.data().values, b.data(), {1, never});
  CHECK(a == b);
}

TEST(fractional_rows_keep_their_weight) {
  const problem::Problem p = problem::classes({0, 0, 1, 1, kNaN, kNaN}, {kNumber}, {0, 0, 1, 1, 0, 1}, 2);
  GrowParams params;
  params.missing = MissingRule::fractional;
  params.max_depth = 1;
  const Tree tree = problem::grow_tree(p, params);
  CHECK_NEAR(tree.weight(1) + tree.weight(2), 6.0);
  CHECK_NEAR(tree.value[2], 2.5);  // class 0 in the first child
  double shares[2] = {0, 0};
  const double gap = kNaN;
  Interrupt never;
  Predictor(tree).values(tree, {&gap, 1, 1, 1, 1}, shares, {1, never});
  CHECK_NEAR(shares[0], 0.5);
}

TEST(a_small_step_on_a_large_target_is_found) {
  problem::Problem p;
  p.values = {0, 1, 2, 3};
  p.columns = {kNumber};
  p.y = {1e9, 1e9, 1e9 + 1, 1e9 + 1};
  p.weight.assign(4, 1.0);
  GrowParams params;
  params.criterion.name = "squared_error";
  const Tree tree = problem::grow_tree(p, params);
  CHECK(tree.n_nodes() == 3);
  CHECK(tree.value[1] == 1e9 && tree.value[2] == 1e9 + 1);
  CHECK_NEAR(tree.impurity(0), 0.25);
}
