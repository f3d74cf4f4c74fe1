#include <stdexcept>
#include <string>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/file/codec.hpp"
#include "spinney/file/frame.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/builder.hpp"

using namespace spinney;

namespace {

PartViews views_of(const StoredParts& parts) {
  PartViews views{};
  for (std::size_t p = 0; p < kParts; ++p) views[p] = parts[p].view();
  return views;
}

bool same(const StoredParts& a, const StoredParts& b) { return to_frame(a) == to_frame(b); }

NodeStats counted(double a, double b) {
  return {{a, b}, a + b, 0.25, std::min(a, b), static_cast<std::int64_t>(a + b)};
}

/// A tree with every kind of test, surrogates, costs and gaps in the numbering.
Tree rich_tree() {
  Tree empty;
  empty.n_features = 3;
  empty.n_classes = 2;
  empty.missing = MissingRule::surrogate;
  empty.cost = {0.0, 2.0, 1.5, 0.0};
  TreeBuilder builder(empty);
  builder.add_root(counted(8, 8));
  const std::vector<NodeStats> two = {counted(4, 4), counted(4, 4)};
  const std::vector<NodeStats> three = {counted(1, 1), counted(2, 1), counted(1, 2)};
  Division division;
  division.test = {TestKind::threshold, 0, 0.1, {}, {}, {}};
  division.gain = 1.25;
  division.surrogates = {{{TestKind::threshold, 1, 7.0, {}, {}, {}}, true, 0.75, 0.5},
                         {{TestKind::subset, 2, kNaN, {{0, 0}, {3, 1}}, {}, {}}, false, 0.6, 0.2}};
  const NodeId first = builder.divide(0, division, two);
  division.surrogates.clear();
  division.test = {TestKind::multiway, 1, kNaN, {}, {-1.5, kInfinity}, {}};
  builder.divide(first + 1, division, three);
  division.test = {
      TestKind::expression, -1, kNaN, {}, {}, {{Op::column, 1, 0.0}, {Op::constant, 0, 0.3}, {Op::greater, 0, 0.0}}};
  division.default_branch = 1;
  const NodeId below = builder.divide(first, division, two);
  division.test = {TestKind::subset, 2, kNaN, {{1, 1}, {2, 0}}, {}, {}};
  builder.divide(below, division, two);
  return std::move(builder).finish();
}

/// A tree of one node that has the given counts.
Tree single_leaf(const NodeStats& stats) {
  Tree empty;
  empty.n_features = 1;
  empty.n_classes = static_cast<std::int32_t>(stats.value.size());
  TreeBuilder builder(empty);
  builder.add_root(stats);
  return std::move(builder).finish();
}

std::string problem_with(const StoredParts& parts) {
  try {
    restore_tree(views_of(parts), std::vector<std::int32_t>{0, 0, 4});
    return "";
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
}

void set_byte(StoredParts& parts, Part part, std::size_t i, unsigned value) {
  parts[place_of(part)].bytes[i] = static_cast<std::byte>(value);
}

bool has(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

}  // namespace

TEST(numbers_are_stored_in_the_narrowest_type) {
  const auto type_of = [](std::vector<double> values) {
    Range range;
    for (const double v : values) range.add_real(v);
    return range.type();
  };
  CHECK(type_of({}) == StoredType::u8);
  CHECK(type_of({0, 255}) == StoredType::u8);
  CHECK(type_of({256}) == StoredType::u16);
  CHECK(type_of({65536, 1}) == StoredType::u32);
  CHECK(type_of({4294967295.0}) == StoredType::u32);
  CHECK(type_of({4294967296.0}) == StoredType::f32);
  CHECK(type_of({16777217.0, 0.5}) == StoredType::f64);
  CHECK(type_of({-1}) == StoredType::f32);
  CHECK(type_of({-0.0}) == StoredType::f32);
  CHECK(type_of({0.5}) == StoredType::f32);
  CHECK(type_of({0.1}) == StoredType::f64);
  CHECK(type_of({kInfinity}) == StoredType::f32);
}

TEST(a_tree_with_every_test_is_restored_to_the_last_bit) {
  const Tree tree = rich_tree();
  CHECK(tree.check().empty());
  const StoredParts parts = store(tree);
  const Tree again = restore_tree(views_of(parts), std::vector<std::int32_t>{0, 0, 4});
  CHECK(same(store(again), parts));
  CHECK(again.first_child == tree.first_child && again.parent == tree.parent && again.value == tree.value);
  CHECK(again.cost == tree.cost && again.tests.code == tree.tests.code && again.tests.cut == tree.tests.cut);
  CHECK(again.tests.token == tree.tests.token && again.surrogates.lists == tree.surrogates.lists);
  CHECK(again.surrogates.agreement == tree.surrogates.agreement && again.gain == tree.gain);
  for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    CHECK(same_bits(again.weight(node), tree.weight(node)) && same_bits(again.risk(node), tree.risk(node)));
    CHECK(same_bits(again.impurity(node), tree.impurity(node)));
  }
  CHECK(parts[place_of(Part::weight)].size == 0);  // the sum of the values
}

TEST(impurities_of_gini_follow_from_the_class_weights) {
  for (const std::size_t k : {2, 3}) {
    RandomStream random(3, k);
    for (std::size_t i = 0; i < 1000; ++i) {
      std::vector<double> w;
      double total = 0.0, squares = 0.0;
      for (std::size_t c = 0; c < k; ++c) total += w.emplace_back(static_cast<double>(random.below(4)) * 0.1);
      for (std::size_t c = 0; c < k; ++c) squares += total > 0.0 ? (w[c] / total) * (w[c] / total) : 0.0;
      CHECK_NEAR(gini_impurity(w.data(), total, k), total > 0.0 ? 1.0 - squares : 0.0);
      const Tree leaf = single_leaf({.value = w, .weight = total, .impurity = gini_impurity(w.data(), total, k)});
      CHECK(PackedTree(leaf).arrays().of<&Tree::stored_impurity>().empty());
      CHECK(store(leaf)[place_of(Part::impurity)].size == 0);
      CHECK(same_bits(PackedTree(leaf).unpack().impurity(0), leaf.impurity(0)));
    }
  }
}

TEST(a_negative_zero_is_kept) {
  Tree like;
  like.n_features = 1;
  like.n_classes = 2;
  like.cost = {0.0, 1.0, 1.0, 0.0};
  TreeBuilder builder(like);
  builder.add_root(counted(0, 3));
  Tree tree = std::move(builder).finish();
  CHECK(same_bits(PackedTree(tree).unpack().risk(0), 0.0));
  tree.stored_risk.set(0, -0.0);
  CHECK(same_bits(PackedTree(tree).unpack().risk(0), -0.0));
  tree.value[0] = tree.value[1] = 0.0;
  tree.stored_weight.set(0, 0.0);
  CHECK(same_bits(PackedTree(tree).unpack().weight(0), 0.0));
  tree.stored_weight.set(0, -0.0);
  CHECK(same_bits(PackedTree(tree).unpack().weight(0), -0.0));
}

TEST(a_forest_is_restored_and_framed) {
  const Tree tree = rich_tree();
  Tree leaf = empty_like(tree);
  TreeBuilder builder(leaf);
  builder.add_root(counted(1, 3));
  std::vector<Member> members;
  members.push_back({PackedTree(tree), {}});
  members.push_back({PackedTree(std::move(builder).finish()), {}});
  const Forest forest(std::move(members));
  ThreadTeam team(2);
  const StoredParts parts = store(forest, team);
  const auto bytes = to_frame(parts);
  const auto views = from_frame(bytes);
  CHECK(views.has_value());
  const Forest again = restore_forest(*views, {}, team);
  CHECK(same(store(again, team), parts));
  for (std::size_t n = 0; n < bytes.size(); ++n) {  // cut anywhere, something is missing
    bool refused = false;
    try {
      const auto cut = from_frame(std::span(bytes).first(n));
      refused = !cut.has_value();
      if (cut) restore_forest(*cut, {}, team);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

TEST(a_tree_without_nodes_and_with_many_classes_takes_no_memory) {
  StoredParts parts;
  const auto put = [&](Part part, std::uint32_t v) {
    parts[place_of(part)] = {v > 0xffff ? StoredType::u32 : StoredType::u8, 1, std::vector<std::byte>(4)};
    std::memcpy(parts[place_of(part)].bytes.data(), &v, sizeof(v));
  };
  for (const Part part : {Part::n_features, Part::n_nodes, Part::missing, Part::n_costs, Part::n_groups}) put(part, 0);
  put(Part::n_classes, 0x7fffffff);
  ThreadTeam team(1);
  std::string what;
  try {
    restore_forest(views_of(parts), {}, team);
  } catch (const std::invalid_argument& problem) {
    what = problem.what();
  }
  CHECK(what == "tree 0, a tree needs at least one node");
}

TEST(damaged_arrays_are_refused_by_name) {
  const StoredParts good = store(rich_tree());
  const auto with = [&](auto change) {
    StoredParts parts = good;
    change(parts);
    return problem_with(parts);
  };
  CHECK(with([](StoredParts&) {}).empty());
  CHECK(has(with([](auto& p) { set_byte(p, Part::child, 0, 0); }), "node 0: children out of range"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::child, 0, 200); }), "node 0: children out of range"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::child, 1, 2); }), "a child has another parent"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::kind, 0, 9); }), "node 0: unknown kind of test"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::feature, 0, 3); }), "node 0: feature out of range"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::op, 2, 12); }), "unknown operation"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::column, 0, 3); }), "column that is not there"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::code, 1, 4); }), "a category code is not in the vocabulary"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::branch, 0, 2); }), "branch that is not there"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::default_branch, 0, 2); }), "default branch out of range"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::reversed, 0, 2); }), "reversed"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::missing, 0, 5); }), "missing values"));
  CHECK(has(with([](auto& p) { set_byte(p, Part::n_nodes, 0, 12); }), "too few entries"));
  CHECK(has(with([](auto& p) { p[place_of(Part::value)].size -= 2; }), "too few entries"));
  CHECK(has(with([](auto& p) {
              Stored& part = p[place_of(Part::kind)];
              std::vector<std::byte> wide(2 * part.size);
              for (std::size_t i = 0; i < part.size; ++i) wide[2 * i] = part.bytes[i];
              part = {StoredType::u16, part.size, wide};
            }),
            "'kind' is of a wider type"));
  CHECK(has(with([](auto& p) {
              const std::size_t n = p[place_of(Part::kind)].size;
              Stored& weight = p[place_of(Part::weight)];
              weight = {StoredType::u8, n, std::vector<std::byte>(n)};
              const StoredView value = p[place_of(Part::value)].view();
              for (std::size_t i = 0; i < n; ++i)
                weight.bytes[i] = static_cast<std::byte>(value.at<unsigned>(2 * i) + value.at<unsigned>(2 * i + 1));
            }),
            "'weight' repeats"));
}

TEST(numbers_of_surrogates_that_nobody_could_list_are_refused) {
  StoredParts parts = store(rich_tree());
  Stored& counts = parts[place_of(Part::n_surrogates)];
  counts.type = StoredType::u32;
  counts.bytes.assign(counts.size * sizeof(std::uint32_t), std::byte{0xff});
  CHECK(has(problem_with(parts), "'surrogate_kind' has too few entries"));
}
