// The plain arrays of the nodes, walked through the list: whatever is listed has to survive all that is done to trees.

#include "spinney/tree/fields.hpp"

#include <stdexcept>
#include <string>

#include "check.hpp"
#include "spinney/file/codec.hpp"
#include "spinney/prune/reduced_error.hpp"
#include "spinney/tree/predict.hpp"

using namespace spinney;

namespace {

NodeStats counted(double a, double b) {
  return {.value = {a, b},
          .weight = a + b,
          .impurity = gini_impurity(std::vector{a, b}.data(), a + b, 2),
          .risk = std::min(a, b),
          .n_samples = static_cast<std::int64_t>(a + b)};
}

Division at(double threshold) {
  return {.test = {.kind = TestKind::threshold, .feature = 0, .threshold = threshold, .codes = {}, .cuts = {}},
          .gain = 0.5,
          .surrogates = {}};
}

/// x <= 5 ? (x <= 2 ? node 3 : node 4) : node 2, of which all that can be left out follows from the counts.
Tree plain_tree() {
  Tree empty;
  empty.n_features = 2;
  empty.n_classes = 2;
  empty.missing = MissingRule::majority;
  TreeBuilder builder(empty);
  builder.add_root(counted(8, 8));
  builder.divide(0, at(5.0), std::vector{counted(6, 2), counted(2, 6)});
  builder.divide(1, at(2.0), std::vector{counted(5, 0), counted(1, 2)});
  return std::move(builder).finish();
}

/// The same tree with numbers in every array that no other entry has, and that follow from nothing.
Tree marked_tree() {
  Tree tree = plain_tree();
  for_each_field([&](const auto& field) {
    using F = std::remove_cvref_t<decltype(field)>;
    const std::size_t width = field.width(tree), n = tree.n_nodes() * width;
    std::vector<typename F::Number> numbers;
    for (std::size_t entry = 0; entry < n; ++entry) {
      const bool none = field.inner_only && tree.is_leaf(static_cast<NodeId>(entry / width));
      const double mark = 1000.0 * static_cast<double>(place_of_field(field) + 1) + static_cast<double>(entry) + 0.25;
      numbers.push_back(none ? 0 : static_cast<typename F::Number>(mark));
    }
    field.in(tree) = typename F::Array(std::move(numbers));
  });
  return tree;
}

/// The same with a test on categories: it cannot be packed.
Tree marked_subset_tree() {
  Tree tree = marked_tree();
  TestTable tests;
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    Test test = tree.tests.get(node);
    if (node == 1) test = {TestKind::subset, 1, kNaN, {{0, 0}, {2, 1}}, {}};
    tests.append(test);
  }
  tree.tests = tests;
  return tree;
}

/// Whether the nodes of a tree have, in all arrays, what the given nodes of another one have.
bool same_fields(const Tree& tree, const Tree& before, const std::vector<std::size_t>& nodes) {
  bool same = tree.n_nodes() == nodes.size();
  for_each_field([&](const auto& field) {
    const std::size_t width = field.width(tree);
    same = same && field.is_left_out(tree) == field.is_left_out(before);
    for (std::size_t entry = 0; same && entry < nodes.size() * width; ++entry) {
      const bool none = field.inner_only && tree.is_leaf(static_cast<NodeId>(entry));
      const auto now = static_cast<double>(field.at(tree, entry));
      const auto then = static_cast<double>(field.at(before, nodes[entry / width] * width + entry % width));
      same = same_bits(now, none ? 0.0 : then);
    }
  });
  return same;
}
bool same_fields(const Tree& tree, const Tree& before) { return same_fields(tree, before, {0, 1, 2, 3, 4}); }

PartViews views_of(const StoredParts& parts) {
  PartViews views{};
  for (std::size_t p = 0; p < kParts; ++p) views[p] = parts[p].view();
  return views;
}

std::string problem_with(const StoredParts& parts) {
  try {
    restore_tree(views_of(parts), {});
    return "";
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
}

const std::vector<double> kRows = {1.0, 3.0, 9.0};  // of the leaves 3, 4 and 2
Matrix rows() { return {kRows.data(), 1, 0, kRows.size(), 2}; }

/// Counts as in plain_tree(), and answers that turn the labels of the leaves 2 and 3 around.
Tree answering_tree() {
  Tree tree = plain_tree();
  tree.answer = {0.5, 0.5, 0.5, 0.5, 0.75, 0.25, 0.125, 0.875, 0.25, 0.75};
  return tree;
}

std::vector<double> shares_of(const Tree& tree) {
  Interrupt interrupt;
  std::vector<double> out(kRows.size() * tree.n_outputs(), 0.0);
  Predictor(tree).values(tree, rows(), out.data(), {1, interrupt});
  return out;
}
std::vector<std::int64_t> labels_of(const Tree& tree) {
  Interrupt interrupt;
  std::vector<std::int64_t> out(kRows.size());
  Predictor(tree).labels(tree, rows(), out.data(), {1, interrupt});
  return out;
}

}  // namespace

TEST(every_array_has_a_part_in_files) {
  CHECK(marked_tree().check().empty() && marked_subset_tree().check().empty());
  for_each_field([&](const auto& field) {
    CHECK(part_of(field.name) == part_for(field));
    CHECK(holds_reals(part_for(field)) == !field.kWhole);
    CHECK(!field.follows(marked_tree()));
    CHECK(field.follows(plain_tree()) == (field.derived != nullptr));
  });
}

TEST(a_builder_goes_on_with_every_array) {
  const Tree tree = marked_tree();
  CHECK(same_fields(TreeBuilder::from(tree).finish(), tree));
  TreeBuilder builder = TreeBuilder::from(tree);
  builder.divide(2, at(7.0), std::vector{counted(2, 0), counted(0, 6)});
  const Tree grown = std::move(builder).finish();
  CHECK(grown.check().empty() && grown.n_nodes() == 7);
  CHECK(grown.gain[2] == 0.5 && grown.gain[0] == tree.gain[0] && grown.stored_weight[3] == tree.stored_weight[3]);
  CHECK(grown.answer[2] == tree.answer[2] && grown.answers(6)[1] == 6.0);  // a new node answers with its counts
}

TEST(arrays_that_were_left_out_are_filled_up_when_nodes_are_added) {
  Tree tree = plain_tree();
  tree.stored_weight = {};
  tree.stored_impurity.clear();
  TreeBuilder builder = TreeBuilder::from(tree);
  NodeStats left = counted(2, 0);
  left.answer = {0.5, 0.5};
  builder.divide(2, at(7.0), std::vector{left, counted(0, 6)});
  const Tree grown = std::move(builder).finish();
  CHECK(grown.check().empty() && grown.stored_weight.size() == 7 && grown.stored_weight[1] == 8.0);
  CHECK((grown.answer == std::vector<double>{8, 8, 6, 2, 2, 6, 5, 0, 1, 2, 0.5, 0.5, 0, 6}));
}

TEST(counts_that_are_set_anew_replace_the_answer) {
  Tree tree = marked_tree();
  set_stats(tree, 3, counted(4, 1));
  CHECK(tree.value[6] == 4.0 && tree.answer[6] == 4.0 && tree.answer[7] == 1.0 && tree.weight(3) == 5.0);
  CHECK(tree.n_samples[3] == 5 && tree.answer[5] == marked_tree().answer[5] && tree.gain == marked_tree().gain);
}

TEST(collapse_keeps_every_array_of_what_is_left) {
  for (const Tree& tree : {marked_tree(), marked_subset_tree(), plain_tree()}) {
    const Tree pruned = collapse(tree, {0, 1, 0, 0, 0});
    CHECK(pruned.check().empty() && same_fields(pruned, tree, {0, 1, 2}));
  }
}

TEST(packing_keeps_every_array) {
  for (const Tree& tree : {marked_tree(), marked_subset_tree()}) CHECK(same_fields(PackedTree(tree).unpack(), tree));
  const PackedTree packed(plain_tree());
  for_each_field([&](const auto& field) { CHECK(packed.arrays().of(field).empty() == (field.derived != nullptr)); });
}

TEST(files_keep_every_array) {
  for (const Tree& tree : {marked_tree(), marked_subset_tree()}) {
    CHECK(same_fields(restore_tree(views_of(store(tree)), {}), tree));
    // Beside a tree that could leave arrays out, but has to store them.
    const Forest forest({{PackedTree(tree), {}}, {PackedTree(plain_tree()), {}}});
    ThreadTeam team(2);
    const StoredParts parts = store(forest, team);
    const Forest again = restore_forest(views_of(parts), {}, team);
    CHECK(same_fields(again.member(0).tree.unpack(), tree));
    const Tree plain = again.member(1).tree.unpack();
    for_each_field([&](const auto& field) {
      CHECK(parts[place_of(part_for(field))].size == (field.inner_only ? 4 : 10 * field.width(tree)));
      CHECK(field.is_left_out(plain) == (field.derived != nullptr));
    });
  }
}

TEST(an_array_that_is_missing_or_repeats_is_refused) {
  const StoredParts marked = store(marked_tree()), plain = store(plain_tree());
  for_each_field([&](const auto& field) {
    const std::size_t place = place_of(part_for(field));
    StoredParts parts = marked;
    parts[place] = {};
    CHECK(problem_with(parts).empty() == (field.derived != nullptr));
    CHECK((plain[place].size == 0) == (field.derived != nullptr));
    parts = plain;
    if (field.derived == nullptr) return;
    Range range;
    for (std::size_t entry = 0; entry < 5 * field.width(plain_tree()); ++entry)
      range.add_real(static_cast<double>(field.at(plain_tree(), entry)));
    Stored& stored = parts[place];
    stored = {.type = range.type(), .size = range.size, .bytes = {}};
    with_type(stored.type, [&](auto example) {
      for (std::size_t entry = 0; entry < range.size; ++entry) {
        example = static_cast<decltype(example)>(field.at(plain_tree(), entry));
        const auto* bytes = reinterpret_cast<const std::byte*>(&example);
        stored.bytes.insert(stored.bytes.end(), bytes, bytes + sizeof(example));
      }
    });
    CHECK(problem_with(parts) == "'" + std::string(field.name) + "' repeats what other arrays tell");
  });
}

TEST(a_node_predicts_its_answer) {
  const Tree plain = plain_tree(), tree = answering_tree();
  CHECK(tree.check().empty());
  CHECK((labels_of(plain) == std::vector<std::int64_t>{0, 1, 1}));
  CHECK((labels_of(tree) == std::vector<std::int64_t>{1, 1, 0}));
  CHECK((shares_of(tree) == std::vector<double>{0.125, 0.875, 0.25, 0.75, 0.75, 0.25}));
  CHECK(tree.weight(3) == 5.0 && tree.risk(3) == 0.0 && tree.impurity(3) == 0.0);  // what the rows add up to
  for (const Tree& other : {collapse(tree, {0, 0, 0, 0, 0}), PackedTree(tree).unpack()})
    CHECK(shares_of(other) == shares_of(tree) && labels_of(other) == labels_of(tree));
}

TEST(a_share_of_a_row_brings_the_answers_of_its_leaves) {
  Tree tree = answering_tree();
  tree.missing = MissingRule::fractional;
  const std::vector<double> gap = {kNaN};
  double out[2] = {0.0, 0.0};
  Interrupt interrupt;
  Predictor(tree).values(tree, {gap.data(), 1, 0, 1, 2}, out, {1, interrupt});
  CHECK_NEAR(out[0], 0.5 * 0.75 + 0.5 * (5.0 / 8 * 0.125 + 3.0 / 8 * 0.25));
}

TEST(a_forest_predicts_the_answers_of_its_members) {
  const Tree tree = answering_tree();
  const PackedTree packed(tree);
  CHECK(packed.is_packed() && packed.label(3) == 1 && packed.label(2) == 0);
  CHECK(packed.answer(3, 0) == 0.125 && packed.is_sound());
  double shares[2] = {0.0, 0.0};
  packed.add_answer(4, 2.0, shares);
  CHECK(shares[0] == 0.5 && shares[1] == 1.5);
  const Forest forest({{packed, {}}, {PackedTree(plain_tree()), {}}});
  Interrupt interrupt;
  std::vector<double> out(6, 0.0);
  const std::vector<std::int64_t> both = {0, 1};
  forest.add_answers(both, {}, rows(), Combine::average, out.data(), {1, interrupt});
  CHECK(out[0] == 1.125 && out[1] == 0.875 && out[4] == 1.0 && out[5] == 1.0);
}

TEST(a_regression_tree_predicts_its_answer) {
  Tree empty;
  empty.n_features = 2;
  empty.missing = MissingRule::majority;
  TreeBuilder builder(empty);
  const auto mean = [](double value) {
    return NodeStats{.value = {value}, .weight = 2.0, .impurity = 0.5, .risk = 1.0, .n_samples = 2};
  };
  builder.add_root(mean(3.0));
  builder.divide(0, at(5.0), std::vector{mean(1.0), mean(5.0)});
  Tree tree = std::move(builder).finish();
  tree.answer = {3.0, 1.5, -4.0};
  CHECK(tree.check().empty());
  CHECK((shares_of(tree) == std::vector<double>{1.5, 1.5, -4.0}));
  CHECK(PackedTree(tree).answer(2, 0) == -4.0 && PackedTree(tree).unpack().value == tree.value);
  // A row of leaf 2 with the target -4 costs nothing there, and 49 in the root.
  const std::vector<double> x = {9.0}, y = {-4.0}, weight = {1.0};
  const Target target{0, {}, y, weight, {}, {}, {}};
  const std::vector<double> errors = node_errors(tree, {x.data(), 1, 0, 1, 2}, target);
  CHECK(errors[0] == 49.0 && errors[2] == 0.0);
}

TEST(answers_that_are_none_are_refused) {
  const auto problem = [](std::vector<double> answer) {
    Tree tree = plain_tree();
    tree.answer = std::move(answer);
    return tree.check();
  };
  CHECK(problem({1, 0, 1, 0, 1, 0, 1, 0, 1, 0}).empty());
  CHECK(problem({1, 0, 1, 0}) == "the node arrays differ in length");
  CHECK(problem({1, 0, 1, 0, kNaN, 0, 1, 0, 1, 0}) == "node 2: answer is not finite");
  CHECK(problem({1, 0, 1, 0, 1, 0, 1, -0.5, 1, 0}) == "node 3: a class share is negative");
  CHECK(problem({1, 0, 1, 0, 1, 0, 1, 0, 0, 0}) == "node 4: class shares are all 0");
  CHECK(problem({1e308, 1e308, 1, 0, 1, 0, 1, 0, 1, 0}) == "node 0: class shares are too large");
}
