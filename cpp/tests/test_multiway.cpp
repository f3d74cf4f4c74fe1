#include <numeric>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/prune/description.hpp"
#include "spinney/prune/error_based.hpp"
#include "spinney/prune/pessimistic.hpp"
#include "spinney/splits/multiway.hpp"
#include "spinney/tree/builder.hpp"
#include "spinney/tree/predict.hpp"

using namespace spinney;

namespace {

constexpr Column kNumber{ColumnKind::numeric, 0};

Column nominal(std::int32_t n) { return {ColumnKind::nominal, n}; }

GrowParams c45(double min_branch = 2.0) {
  GrowParams params;
  params.criterion.name = "entropy";
  params.missing = MissingRule::fractional;
  params.multiway.emplace();
  params.multiway->min_branch = min_branch;
  params.multiway->min_split = 0.0;
  return params;
}

GrowParams id3() {
  GrowParams params = c45(0.0);
  params.multiway->gain_ratio = false;
  params.multiway->without_gain = true;
  params.multiway->nominal_only = true;
  params.multiway->min_split = 2.0;
  return params;
}

/// deadline (near, none, urgent), party (no, yes), lazy (no, yes); party, pub, study, tv.
problem::Problem evenings() {
  return problem::classes({2, 1, 1, 2, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 0, 0},
                          {nominal(3), nominal(2), nominal(2)}, {0, 2, 0, 0, 1, 0, 2, 3, 0, 2}, 4);
}

/// Rows with gaps everywhere, in a fixed but wild order.
problem::Problem with_gaps(std::int32_t n_rows) {
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  std::uint64_t state = 11;
  for (std::int32_t i = 0; i < n_rows; ++i) {
    for (int f = 0; f < 3; ++f) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto drawn = static_cast<double>((state >> 40) % (f == 2 ? 50 : 4));
      values.push_back((state >> 33) % 6 == 0 ? kNaN : drawn);
    }
    codes.push_back(static_cast<std::int32_t>((state >> 60) % 3));
  }
  return problem::classes(std::move(values), {nominal(4), nominal(5), kNumber}, std::move(codes), 3);
}

NodeStats node(double a, double b) { return {{a, b}, a + b, 0.0, std::min(a, b), static_cast<std::int64_t>(a + b)}; }

Division threshold_on(FeatureIndex feature, double threshold) {
  return {{TestKind::threshold, feature, threshold, {}, {}}, 0.0, {}, 0};
}

Tree empty_tree(std::int32_t n_features) {
  Tree empty;
  empty.n_features = n_features;
  empty.n_classes = 2;
  empty.missing = MissingRule::fractional;
  return empty;
}

Tree pruned(const Tree& tree, const problem::Problem& p, bool raise, double cf = 0.25) {
  Interrupt interrupt;
  const ObjectiveChoice entropy{"entropy", {}, {}};
  return error_based(tree, p.data().values, p.target(), {cf, raise, &entropy}, interrupt);
}

std::vector<double> shares(const Tree& tree, std::vector<double> row) {
  Interrupt interrupt;
  std::vector<double> out(tree.n_outputs(), 0.0);
  const Matrix x{row.data(), static_cast<std::ptrdiff_t>(row.size()), 1, 1, row.size()};
  Predictor(tree).values(tree, x, out.data(), {1, interrupt});
  return out;
}

}  // namespace

// ---- growth

TEST(id3_grows_the_tree_of_the_evenings) {
  const Tree tree = problem::grow_tree(evenings(), id3());
  CHECK(tree.check().empty());
  CHECK(tree.n_nodes() == 8);
  CHECK(tree.tests.kind[0] == TestKind::multiway && tree.tests.feature[0] == 1);
  CHECK_NEAR(tree.gain[0] / tree.weight(0), 1.0);
  CHECK(std::abs(tree.impurity(0) - 1.6855) < 5e-5);
  CHECK(tree.is_leaf(2) && tree.label(2) == 0);
  CHECK(tree.tests.feature[1] == 0 && tree.n_children[1] == 3);
  CHECK(std::abs(tree.gain[1] / tree.weight(1) - 0.971) < 5e-4);
  CHECK(tree.tests.feature[3] == 2);
  CHECK(tree.label(4) == 1 && tree.label(5) == 2 && tree.label(6) == 2 && tree.label(7) == 3);
}

TEST(an_empty_branch_answers_as_its_parent) {
  // Category 1 has no row.
  const problem::Problem p = problem::classes({0, 0, 2, 2, 2}, {nominal(3)}, {0, 0, 1, 1, 1}, 2);
  const Tree tree = problem::grow_tree(p, id3());
  CHECK(tree.n_children[0] == 3);
  CHECK(tree.weight(2) == 0.0 && tree.n_samples[2] == 0);
  CHECK(tree.value[4] == 2.0 && tree.value[5] == 3.0);
  CHECK_NEAR(shares(tree, {1})[1], 0.6);
  // A gap goes to the branches with rows, by their weights.
  CHECK_NEAR(shares(tree, {kNaN})[0], 0.4);
}

TEST(weights_of_children_add_up_to_their_parents_when_rows_have_gaps) {
  const problem::Problem p = with_gaps(300);
  for (GrowParams params : {c45(), c45(1.0)}) {
    for (const std::int64_t intervals : {2, 4}) {
      params.multiway->max_intervals = intervals;
      params.multiway->grouped = intervals == 4;
      const Tree tree = problem::grow_tree(p, params);
      CHECK(tree.check().empty());
      CHECK(tree.n_nodes() > 20);
      for (std::size_t id = 0; id < tree.n_nodes(); ++id) {
        if (tree.is_leaf(static_cast<NodeId>(id))) continue;
        std::vector<double> sum(3, 0.0);
        for (std::int32_t b = 0; b < tree.n_children[id]; ++b) {
          const NodeId child = tree.first_child[id] + b;
          if (!(tree.weight(child) > 0.0)) continue;
          for (std::size_t c = 0; c < 3; ++c) sum[c] += tree.value[static_cast<std::size_t>(child) * 3 + c];
        }
        for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(sum[c] - tree.value[id * 3 + c]) < 1e-9);
        CHECK(std::abs(std::accumulate(sum.begin(), sum.end(), 0.0) - tree.weight(id)) < 1e-9);
      }
    }
  }
}

TEST(a_row_with_a_gap_has_a_share_in_every_branch) {
  // Three rows on the left, one on the right, one that nobody can place.
  const problem::Problem p = problem::classes({0, 0, 0, 1, kNaN}, {nominal(2)}, {0, 0, 0, 1, 1}, 2);
  const Tree tree = problem::grow_tree(p, id3());
  CHECK_NEAR(tree.weight(1), 3.75);
  CHECK_NEAR(tree.value[3], 0.75);
  CHECK_NEAR(tree.weight(2), 1.25);
  CHECK(tree.n_samples[1] == 4 && tree.n_samples[2] == 2);
  const double before = 5 * (std::log2(5.0) - 0.4 - 0.6 * std::log2(3.0));  // of all five rows
  CHECK_NEAR(tree.impurity(0) * 5, before);
  // The gain counts the known rows only.
  CHECK_NEAR(tree.gain[0], 4 * 2.0 - 3 * std::log2(3.0));
}

TEST(threads_grow_the_same_multiway_tree) {
  const problem::Problem p = with_gaps(20000);
  const Tree one = problem::grow_tree(p, c45(40.0)), three = problem::grow_tree(p, c45(40.0), 3);
  CHECK(one.n_nodes() > 20);
  CHECK(one.value == three.value && one.first_child == three.first_child && one.gain == three.gain);
  CHECK(one.tests.feature == three.tests.feature && one.tests.code == three.tests.code);
}

TEST(a_threshold_is_a_value_of_the_training_data) {
  // The middle between 2 and 8 is 5; the largest value of all rows that is not above it is 3.
  const problem::Problem p = problem::classes({0, 1, 0, 2, 0, 2, 0, 8, 0, 9, 0, 9, 1, 3, 1, 3, 1, 3, 1, 3},
                                              {nominal(2), kNumber}, {0, 0, 0, 1, 1, 1, 2, 2, 2, 2}, 3);
  const Tree tree = problem::grow_tree(p, c45());
  CHECK(tree.tests.feature[0] == 0);
  CHECK(tree.tests.kind[1] == TestKind::threshold);
  CHECK(tree.tests.threshold[1] == 3.0);
}

TEST(a_number_is_cut_again_while_the_ratio_grows) {
  std::vector<double> x;
  std::vector<std::int32_t> y;
  for (int i = 0; i < 60; ++i) {
    x.push_back(i);
    y.push_back(i / 20 % 2);
  }
  const problem::Problem p = problem::classes(x, {kNumber}, y, 2);
  GrowParams params = c45();
  CHECK(problem::grow_tree(p, params).n_children[0] == 2);
  params.multiway->max_intervals = 10;
  const Tree tree = problem::grow_tree(p, params);
  CHECK(tree.check().empty());
  CHECK(tree.n_nodes() == 4);
  CHECK(tree.tests.kind[0] == TestKind::multiway);
  CHECK(tree.tests.cut == (std::vector<double>{19, 39}));
  CHECK(tree.label(1) == 0 && tree.label(2) == 1 && tree.label(3) == 0);
}

TEST(categories_that_belong_together_share_a_branch) {
  std::vector<double> x;
  std::vector<std::int32_t> y;
  for (int category = 0; category < 6; ++category) {  // four in five rows are of a class that two categories share
    const int n_rows = category % 3 == 0 ? 20 : 10;
    for (int i = 0; i < n_rows; ++i) {
      x.push_back(category);
      y.push_back((category + std::max(0, i * 10 / n_rows - 7)) % 3);
    }
  }
  const problem::Problem p = problem::classes(x, {nominal(7)}, y, 3);
  GrowParams params = c45();
  params.multiway->grouped = true;
  const Tree tree = problem::grow_tree(p, params);
  CHECK(tree.check().empty());
  CHECK(tree.n_children[0] == 3);
  CHECK(tree.tests.code.wide() == (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  CHECK(tree.tests.branch.wide() == (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
}

TEST(two_groups_make_a_test_on_a_set) {
  const problem::Problem p = problem::classes({0, 0, 1, 1, 2, 2, 3, 3}, {nominal(4)}, {0, 0, 1, 1, 0, 0, 1, 1}, 2);
  GrowParams params = c45();
  params.multiway->grouped = true;
  const Tree tree = problem::grow_tree(p, params);
  CHECK(tree.tests.kind[0] == TestKind::subset);
  CHECK(tree.tests.branch.wide() == (std::vector<std::int32_t>{0, 1, 0, 1}));
}

TEST(the_best_ratio_is_chosen_among_tests_of_average_gain) {
  MultiwayParams params;
  std::vector<MultiwaySplit> splits(3);
  const double gains[] = {0.9, 0.8, 0.1}, infos[] = {3.0, 1.0, 0.1};
  for (std::size_t i = 0; i < 3; ++i) {
    splits[i].found = true;
    splits[i].gain = gains[i];
    splits[i].split_info = infos[i];
  }
  const std::vector<std::uint8_t> all = {1, 1, 1}, last = {0, 0, 1}, none = {0, 0, 0};
  CHECK(choose_split(splits, all, params) == 1);   // the last has the best ratio, but gains too little
  CHECK(choose_split(splits, last, params) == 2);  // its gain alone is the average
  CHECK(choose_split(splits, none, params) == 3);
  params.gain_ratio = false;
  CHECK(choose_split(splits, none, params) == 0);
}

// ---- pruning

TEST(branches_that_save_no_errors_collapse) {
  TreeBuilder builder(empty_tree(1));
  const NodeId root = builder.add_root(node(9, 7));
  const NodeId first = builder.divide(root, threshold_on(0, 5), std::vector{node(5, 3), node(4, 4)});
  builder.divide(first, threshold_on(0, 2), std::vector{node(3, 1), node(2, 2)});
  builder.divide(first + 1, threshold_on(0, 7), std::vector{node(4, 0), node(0, 4)});
  const Tree tree = collapse_useless(std::move(builder).finish());
  CHECK(tree.check().empty());
  CHECK(tree.n_nodes() == 5);
  CHECK(tree.is_leaf(1) && !tree.is_leaf(2));
}

TEST(three_pure_leaves_promise_more_errors_than_one_mixed_leaf) {
  // 6 + 9 rows of one class and one row of the other: 3.273 expected errors against 2.512 (Quinlan 1993).
  std::vector<double> x(16, 1.0);
  std::fill_n(x.begin(), 6, 0.0);
  x.back() = 2.0;
  std::vector<std::int32_t> y(16, 0);
  y.back() = 1;
  const problem::Problem p = problem::classes(x, {nominal(3)}, y, 2);
  const Tree tree = problem::grow_tree(p, c45());
  CHECK(tree.n_nodes() == 4);
  const Pessimistic bound(0.25);
  const double branch = bound.added_errors(6, 0) + bound.added_errors(9, 0) + bound.added_errors(1, 0);
  CHECK(std::abs(branch - 3.273) < 2e-2);  // the book rounds the rates
  CHECK(branch > 1 + bound.added_errors(16, 1));
  for (const bool raise : {false, true}) {
    const Tree leaf = pruned(tree, p, raise);
    CHECK(leaf.check().empty());
    CHECK(leaf.n_nodes() == 1);
    CHECK_NEAR(leaf.value[0], 15.0);
    CHECK_NEAR(leaf.risk(0), 1.0);
  }
}

TEST(the_largest_branch_takes_the_place_of_a_needless_test) {
  // The first test sets one row apart that the second would place rightly too.
  problem::Problem p = problem::classes({0, 1}, {kNumber, kNumber}, {0}, 2);
  for (int i = 0; i < 20; ++i) {
    p.values.insert(p.values.end(), {1.0, i < 10 ? 1.0 : 2.0});
    p.codes.push_back(i < 10 ? 0 : 1);
  }
  p.weight.assign(21, 1.0);
  TreeBuilder builder(empty_tree(2));
  const NodeId root = builder.add_root(node(11, 10));
  const NodeId first = builder.divide(root, threshold_on(0, 0.5), std::vector{node(1, 0), node(10, 10)});
  builder.divide(first + 1, threshold_on(1, 1.5), std::vector{node(10, 0), node(0, 10)});
  const Tree tree = std::move(builder).finish();

  const Tree kept = pruned(tree, p, false);
  CHECK(kept.n_nodes() == 5);
  const Tree raised = pruned(tree, p, true);
  CHECK(raised.check().empty());
  CHECK(raised.n_nodes() == 3);
  CHECK(raised.tests.feature[0] == 1 && raised.tests.threshold[0] == 1.5);
  CHECK_NEAR(raised.value[2], 11.0);
  CHECK_NEAR(raised.value[5], 10.0);
  CHECK_NEAR(raised.gain[0], 21 * std::log2(21.0) - 11 * std::log2(11.0) - 10 * std::log2(10.0));
}

TEST(rows_with_gaps_go_down_a_raised_branch_in_part) {
  // As above, but the row set apart has no value for the second test.
  problem::Problem p = problem::classes({0, kNaN}, {kNumber, kNumber}, {0}, 2);
  for (int i = 0; i < 40; ++i) {
    p.values.insert(p.values.end(), {1.0, i < 30 ? 1.0 : 2.0});
    p.codes.push_back(i < 30 ? 0 : 1);
  }
  p.weight.assign(41, 1.0);
  TreeBuilder builder(empty_tree(2));
  const NodeId root = builder.add_root(node(31, 10));
  const NodeId first = builder.divide(root, threshold_on(0, 0.5), std::vector{node(1, 0), node(30, 10)});
  builder.divide(first + 1, threshold_on(1, 1.5), std::vector{node(30, 0), node(0, 10)});
  const Tree raised = pruned(std::move(builder).finish(), p, true);
  CHECK(raised.n_nodes() == 3);
  CHECK_NEAR(raised.value[2], 30.75);
  CHECK_NEAR(raised.value[4], 0.25);
  CHECK_NEAR(raised.weight(1) + raised.weight(2), 41.0);
  CHECK(raised.n_samples[1] == 31 && raised.n_samples[2] == 11);
}

TEST(a_lower_confidence_prunes_more) {
  const problem::Problem p = with_gaps(300);
  const Tree tree = problem::grow_tree(p, c45());
  std::size_t before = 1;
  for (const double cf : {1e-6, 0.01, 0.1, 0.25, 0.5}) {
    const std::size_t n = pruned(tree, p, false, cf).n_nodes();
    CHECK(n >= before);
    before = n;
  }
  CHECK(before > 1 && before <= tree.n_nodes());
}

// ---- description length

TEST(a_message_tells_the_test_and_the_classes) {
  TreeBuilder builder(empty_tree(4));
  const NodeId root = builder.add_root(node(10, 10));
  builder.divide(root, threshold_on(0, 5), std::vector{node(10, 0), node(0, 10)});
  const Tree tree = std::move(builder).finish();
  const Description bits = describe(tree);
  CHECK_NEAR(bits.test[0], 2.0 + std::log2(19.0));  // one of four columns, one of 19 places
  CHECK_NEAR(bits.test[1], 0.0);
  CHECK_NEAR(bits.classes[1], std::log2(11.0));
  CHECK(std::abs(bits.classes[0] - std::log2(21.0 * 184756.0)) < 1e-9);  // 20 choose 10
  CHECK(shortest(tree) == (std::vector<std::uint8_t>{0, 0, 0}));
}

TEST(cuts_and_sets_cost_what_it_takes_to_choose_them) {
  TreeBuilder builder(empty_tree(1));
  const NodeId root = builder.add_root(node(6, 5));
  const std::vector<std::pair<std::int32_t, std::int32_t>> set = {{0, 0}, {1, 1}, {2, 1}, {3, 0}},
                                                           each = {{0, 0}, {1, 1}};
  const NodeId first = builder.divide(root, {{TestKind::multiway, 0, kNaN, {}, {1, 2}}, 0.0, {}, 0},
                                      std::vector{node(2, 2), node(3, 1), node(1, 2)});
  builder.divide(first, {{TestKind::subset, 0, kNaN, set, {}}, 0.0, {}, 0}, std::vector{node(2, 0), node(0, 2)});
  builder.divide(first + 1, {{TestKind::multiway, 0, kNaN, each, {}}, 0.0, {}, 0}, std::vector{node(3, 0), node(0, 1)});
  const Description bits = describe(std::move(builder).finish());
  CHECK(std::abs(bits.test[0] - std::log2(2 * 45.0)) < 1e-9);  // how many cuts, and two of ten places
  CHECK_NEAR(bits.test[1], 3.0);                               // four categories in two parts
  CHECK_NEAR(bits.test[2], 0.0);
}

TEST(a_branch_that_costs_more_than_it_saves_is_cut_off) {
  TreeBuilder builder(empty_tree(1));
  const NodeId root = builder.add_root(node(22, 20));
  const NodeId first = builder.divide(root, threshold_on(0, 5), std::vector{node(20, 1), node(2, 19)});
  builder.divide(first, threshold_on(0, 3), std::vector{node(10, 0), node(10, 1)});
  builder.divide(first + 1, threshold_on(0, 7), std::vector{node(2, 0), node(0, 19)});
  const Tree tree = std::move(builder).finish();
  const std::vector<std::uint8_t> cut = shortest(tree);
  CHECK(cut[0] == 0 && cut[1] == 1);
  const Tree best = collapse(tree, cut);
  CHECK(best.n_nodes() < tree.n_nodes());
  CHECK(best.is_leaf(1));
}
