#include "check.hpp"
#include "problem.hpp"
#include "spinney/prune/cost_complexity.hpp"
#include "spinney/prune/cross_validate.hpp"
#include "spinney/tree/builder.hpp"

using namespace spinney;

namespace {

NodeStats node(double a, double b) { return {{a, b}, a + b, 0.0, std::min(a, b), static_cast<std::int64_t>(a + b)}; }

Division test_on(double threshold) { return {{TestKind::threshold, 0, threshold, {}, {}}, 0.0, {}, 0}; }

/// The worked example of cost-complexity pruning: t1 -> t2, t3; t2 -> t4, t5; t3 and t5 -> two leaves each.
Tree worked_example() {
  Tree empty;
  empty.n_features = 1;
  empty.n_classes = 2;
  TreeBuilder builder(empty);
  const NodeId t1 = builder.add_root(node(100, 100));
  const NodeId t2 = builder.divide(t1, test_on(5), std::vector{node(90, 60), node(10, 40)});
  builder.divide(t2 + 1, test_on(7), std::vector{node(10, 0), node(0, 40)});
  const NodeId t4 = builder.divide(t2, test_on(2), std::vector{node(80, 0), node(10, 60)});
  builder.divide(t4 + 1, test_on(3), std::vector{node(10, 0), node(0, 60)});
  return std::move(builder).finish();
}

}  // namespace

TEST(the_worked_example_has_alphas_0_005_and_02) {
  const Tree tree = worked_example();
  CHECK(tree.check().empty());
  for (const LinkRule rule : {LinkRule::rpart, LinkRule::exact}) {
    const CostComplexity path = cost_complexity(tree, rule);
    CHECK(path.alphas.size() == 3);
    CHECK_NEAR(path.alphas[1], 0.05);
    CHECK_NEAR(path.alphas[2], 0.2);
    CHECK(path.n_leaves == (std::vector<std::int64_t>{5, 3, 1}));
    CHECK_NEAR(path.risks[1], 0.1);
  }
}

TEST(collapse_renumbers_what_is_left) {
  const Tree tree = worked_example();
  std::vector<std::uint8_t> make_leaf(tree.n_nodes(), 0);
  make_leaf[1] = 1;
  const Tree pruned = collapse(tree, make_leaf);
  CHECK(pruned.check().empty());
  CHECK(pruned.n_nodes() == 5);
  CHECK(pruned.is_leaf(1) && !pruned.is_leaf(2));
  CHECK_NEAR(pruned.value[2], 90.0);
}

TEST(damaged_trees_are_refused) {
  const auto refused = [](auto damage) {
    Tree tree = worked_example();
    damage(tree);
    return !tree.check().empty();
  };
  CHECK(refused([](Tree& t) { t.first_child[1] = 0; }));
  CHECK(refused([](Tree& t) { t.first_child[2] = t.first_child[1]; }));
  CHECK(refused([](Tree& t) { t.n_children.set(0, 100); }));
  CHECK(refused([](Tree& t) { t.tests.feature[0] = 1; }));
  CHECK(refused([](Tree& t) { t.tests.threshold[0] = kNaN; }));
  CHECK(refused([](Tree& t) { t.value[0] = kInfinity; }));
  CHECK(refused([](Tree& t) { t.parent[3] = 0; }));
  CHECK(refused([](Tree& t) { t.default_branch.set(0, 2); }));
  CHECK(refused([](Tree& t) { t.stored_weight.pop_back(); }));
}

TEST(held_out_errors_follow_the_nodes_of_each_subtree) {
  const Tree tree = worked_example();
  const CostComplexity path = cost_complexity(tree, LinkRule::exact);
  // One row of class 1 in leaf t4: wrong at t4 and t2, right at the root's label? ties go to class 0: wrong too.
  const std::vector<double> x = {1.0}, weight = {1.0};
  const std::vector<std::int32_t> codes = {1};
  const Target target{2, codes, {}, weight, {}, {}, {}};
  CurveSum sum(path.alphas.size());
  const std::vector<RowIndex> rows = {0};
  Interrupt interrupt;
  sum.add_rows(tree, path, path.alphas, {x.data(), 1, 1, 1, 1}, target, rows, interrupt);
  for (const double error : sum.curve().error) CHECK_NEAR(error, 1.0);
}

TEST(a_chain_of_fifty_thousand_tests_is_pruned_without_recursion) {
  Tree empty;
  empty.n_features = 1;
  empty.n_classes = 2;
  TreeBuilder builder(empty);
  constexpr int kDepth = 50000;
  NodeId at = builder.add_root(node(kDepth, kDepth));
  for (int i = 1; i < kDepth; ++i) {
    const double left = kDepth - i;
    at = builder.divide(at, test_on(i), std::vector{node(i % 2, 1 - i % 2), node(left, left)}) + 1;
  }
  const Tree tree = std::move(builder).finish();
  const CostComplexity exact = cost_complexity(tree, LinkRule::exact), rpart = cost_complexity(tree, LinkRule::rpart);
  CHECK(exact.n_leaves.back() == 1 && rpart.n_leaves.back() == 1);
}
