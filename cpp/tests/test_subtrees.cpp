#include <algorithm>
#include <array>

#include "check.hpp"
#include "problem.hpp"
#include "same_tree.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/builder.hpp"

using namespace spinney;
using problem::same_tree;

namespace {

constexpr Column kNumber{ColumnKind::numeric, 0};

/// Noise with a little structure: trees get large, and lopsided.
problem::Problem noisy(std::size_t n_rows, bool gaps) {
  RandomStream random(11, gaps ? 1 : 0);
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < n_rows; ++i) {
    double sum = 0.0;
    for (int f = 0; f < 5; ++f) {
      const double x = random.uniform() * random.uniform();
      sum += x;
      values.push_back(f == 4 ? static_cast<double>(random.below(6)) : gaps && random.below(20) == 0 ? kNaN : x);
    }
    codes.push_back(sum + 2.0 * random.uniform() > 1.6 ? 1 : 0);
  }
  return problem::classes(values, {kNumber, kNumber, kNumber, kNumber, {ColumnKind::nominal, 6}}, codes, 2);
}

}  // namespace

TEST(subtrees_grown_in_threads_give_the_tree_of_one_thread) {
  for (const bool gaps : {false, true}) {
    const problem::Problem p = noisy(20000, gaps);
    for (const std::int64_t max_features : {0, 2}) {
      GrowParams params;
      params.max_features = max_features;
      params.seed = 5;
      params.n_best_splits = max_features == 0 ? 1 : 2;
      const Tree alone = problem::grow_tree(p, params);
      CHECK(alone.check().empty());
      CHECK(alone.n_nodes() > 1000);
      for (const std::size_t n_threads : {2, 3, 5}) CHECK(same_tree(problem::grow_tree(p, params, n_threads), alone));
    }
  }
}

TEST(threads_go_on_from_the_leaves_of_a_tree_as_one_does) {
  const problem::Problem p = noisy(20000, true);
  GrowParams shallow;
  shallow.max_depth = 3;
  const Tree start = problem::grow_tree(p, shallow);
  const Tree alone = problem::grow_tree(p, {}, 1, &start);
  CHECK(same_tree(problem::grow_tree(p, {}, 2, &start), alone));
  CHECK(std::equal(start.parent.begin(), start.parent.end(), alone.parent.begin()));
}

TEST(a_node_draws_by_its_path_whatever_is_grown_beside_it) {
  // The tree that goes on from two leaves is the one that is grown at once: numbers differ, draws do not.
  const problem::Problem p = noisy(3000, false);
  GrowParams params;
  params.max_features = 2;
  params.seed = 9;
  GrowParams stump = params;
  stump.max_depth = 1;
  const Tree start = problem::grow_tree(p, stump), further = problem::grow_tree(p, params, 1, &start);
  const Tree whole = problem::grow_tree(p, params);
  std::vector<double> a = whole.gain, b = further.gain;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  CHECK(a == b);
  CHECK(child_path(kRootPath, 0) != child_path(kRootPath, 1));
  CHECK(child_path(child_path(kRootPath, 0), 1) != child_path(child_path(kRootPath, 1), 0));
}

TEST(a_subtree_takes_the_place_of_a_leaf) {
  const auto stump = [](double threshold) {
    Tree empty;
    empty.n_features = 1;
    empty.n_classes = 2;
    TreeBuilder builder(std::move(empty));
    const NodeStats stats{.value = {1, 1}, .weight = 2, .impurity = 0.5, .risk = 1, .n_samples = 2};
    const NodeId root = builder.add_root(stats);
    builder.divide(root,
                   {.test = {TestKind::threshold, 0, threshold, {}, {}, {}},
                    .gain = threshold,
                    .surrogates = {},
                    .default_branch = 0},
                   std::array{stats, stats});
    return std::move(builder).finish();
  };
  const std::vector<Subtree> below = {{2, stump(3)}, {1, stump(2)}};
  const Tree whole = join_subtrees(stump(1), nullptr, below);
  CHECK(whole.check().empty());
  CHECK(whole.parent == (std::vector<NodeId>{-1, 0, 0, 1, 1, 2, 2}));  // left before right, whatever came first
  CHECK(whole.tests.threshold[1] == 2 && whole.tests.threshold[2] == 3);
}
