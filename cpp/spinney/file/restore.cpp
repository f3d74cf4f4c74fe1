#include <algorithm>
#include <stdexcept>
#include <string>

#include "spinney/file/codec.hpp"
#include "spinney/file/restore_packed.hpp"
#include "spinney/file/source.hpp"

namespace spinney {

namespace {

void check_types(const PartViews& parts) {
  for (std::size_t p = 0; p < kParts; ++p) {
    const auto part = static_cast<Part>(p);
    if (parts[p].size == 0) continue;
    if (is_real(parts[p].type) && !holds_reals(part)) refuse(name_of(part) + " holds other than whole numbers");
    if (!is_narrowest(parts[p])) refuse(name_of(part) + " is of a wider type than its numbers need");
  }
  // Kinds are read as bytes, and other numbers into types that hold 32 bits.
  for (const Part part : {Part::kind, Part::surrogate_kind}) {
    if (parts[place_of(part)].type != StoredType::u8) refuse("unknown kind of test");
  }
}

/// Appends the rest of a test whose kind is there; what it lacks is checked with the tree.
void take_test(Source& source, TestTable& tests, std::size_t i, std::size_t shift) {
  const auto at = [shift](Part part) { return static_cast<Part>(place_of(part) + shift); };
  const TestKind kind = tests.kind[i];
  if (kind == TestKind::expression) {
    const std::uint32_t n = source.whole(at(Part::n_tokens));
    source.need(at(Part::op), n);
    for (std::uint32_t t = 0; t < n; ++t) {
      Token token{static_cast<Op>(source.small(at(Part::op))), 0, 0.0};
      if (token.op == Op::column) token.arg = source.small(at(Part::column));
      if (token.op == Op::constant) token.value = source.real(at(Part::constant));
      tests.token.push_back(token);
    }
    return;
  }
  tests.feature[i] = source.small(at(Part::feature));
  if (kind == TestKind::threshold) {
    tests.threshold[i] = source.real(at(Part::threshold));
    return;
  }
  const std::uint32_t n_codes = source.whole(at(Part::n_codes));
  source.need(at(Part::code), n_codes);
  for (std::uint32_t c = 0; c < n_codes; ++c) {
    tests.code.push_back(source.small(at(Part::code)));
    tests.branch.push_back(source.small(at(Part::branch)));
  }
  if (kind != TestKind::multiway) return;
  const std::uint32_t n_cuts = source.whole(at(Part::n_cuts));
  source.need(at(Part::cut), n_cuts);
  for (std::uint32_t c = 0; c < n_cuts; ++c) tests.cut.push_back(source.real(at(Part::cut)));
}

/// Room for tests whose kinds are there, and for all that they list.
void make_room(const Source& source, TestTable& tests, std::size_t shift) {
  const std::size_t n = tests.size();
  tests.feature.assign(n, -1);
  tests.threshold.assign(n, kNaN);
  for (Lists* lists : {&tests.code_lists, &tests.cut_lists, &tests.token_lists}) lists->expect(n);
  // How many entries the lists of some tests have, which are there.
  const auto listed = [&](Part length, Part entry, std::initializer_list<TestKind> kinds) {
    std::size_t n_tests = 0;
    for (const TestKind kind : kinds)
      n_tests += static_cast<std::size_t>(std::count(tests.kind.begin(), tests.kind.end(), kind));
    const std::size_t total = source.sum(static_cast<Part>(place_of(length) + shift), n_tests);
    source.need(static_cast<Part>(place_of(entry) + shift), total);
    return total;
  };
  const std::size_t n_codes = listed(Part::n_codes, Part::code, {TestKind::subset, TestKind::multiway});
  tests.code.reserve(n_codes);
  tests.branch.reserve(n_codes);
  tests.cut.reserve(listed(Part::n_cuts, Part::cut, {TestKind::multiway}));
  tests.token.reserve(listed(Part::n_tokens, Part::op, {TestKind::expression}));
}

/// The stand-ins of all nodes.
void take_surrogates(Source& source, Tree& tree) {
  SurrogateTable& table = tree.surrogates;
  table.lists = Lists(source.has(Part::n_surrogates) ? 0 : tree.n_nodes());
  if (!source.has(Part::n_surrogates)) return;
  const auto& kinds = tree.tests.kind;
  const auto n_leaves = std::count(kinds.begin(), kinds.end(), TestKind::leaf);
  const std::size_t n = source.sum(Part::n_surrogates, kinds.size() - static_cast<std::size_t>(n_leaves));
  source.fill(Part::surrogate_kind, table.tests.kind, n);
  table.lists.expect(tree.n_nodes());
  std::size_t n_closed = 0;
  for (const TestKind kind : kinds) {
    if (kind != TestKind::leaf) n_closed += source.whole(Part::n_surrogates);
    table.lists.close(n_closed);
  }
  make_room(source, table.tests, kToSurrogates);
  for (std::size_t s = 0; s < n; ++s) {
    take_test(source, table.tests, s, kToSurrogates);
    table.tests.close_lists();
  }
  source.fill(Part::agreement, table.agreement, n);
  source.fill(Part::adjusted, table.adjusted, n);
  source.need(Part::reversed, n);
  table.reversed.resize(n);
  for (std::uint8_t& reversed : table.reversed)
    reversed = static_cast<std::uint8_t>(std::min(source.whole(Part::reversed), 2U));
}

/// Says what is wrong with a node.
template <class Take>
void at_node(std::size_t node, const Take& take) {
  try {
    take();
  } catch (const std::invalid_argument& problem) {
    refuse(std::string("node ").append(std::to_string(node)).append(": ").append(problem.what()));
  }
}

void take_children(Tree& tree, std::size_t node, std::uint32_t distance, std::int32_t n_children) {
  const std::int64_t first = static_cast<std::int64_t>(node) + distance;
  if (first + n_children > static_cast<std::int64_t>(tree.n_nodes())) refuse("children out of range");
  tree.n_children.set(node, n_children);
  tree.first_child[node] = static_cast<NodeId>(first);
  for (std::int64_t child = first; child < first + n_children; ++child) {
    if (tree.parent[child] == kNoNode) tree.parent[child] = static_cast<NodeId>(node);
  }
}

void take_inner(Source& source, Tree& tree, std::size_t node) {
  const std::uint32_t distance = source.whole(Part::child);
  const bool two = tree.tests.kind[node] != TestKind::multiway;
  take_children(tree, node, distance, two ? 2 : source.small(Part::n_children));
  tree.default_branch.set(node, source.small(Part::default_branch));
  take_test(source, tree.tests, node, 0);
}

void take_kinds(Source& source, Tree& tree, std::size_t n) {
  static_assert(sizeof(TestKind) == 1);
  source.fill(Part::kind, tree.tests.kind, n);
  for (std::size_t node = 0; node < n; ++node) {
    if (tree.tests.kind[node] > TestKind::expression) at_node(node, [] { refuse("unknown kind of test"); });
  }
}

/// Numbers from a part, one by one: they may be kept in another type.
template <class Array>
void take_numbers(Source& source, Part part, std::size_t n, Array& array) {
  if constexpr (requires { source.fill(part, array, n); }) {
    source.fill(part, array, n);
  } else {
    source.need(part, n);
    array.reserve(n);
    for (std::size_t i = 0; i < n; ++i) array.push_back(source.real(part));
  }
}

/// The plain arrays of a tree whose kinds of nodes are there.
void take_fields(Source& source, Tree& tree) {
  const auto& kinds = tree.tests.kind;
  const auto n_leaves = static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), TestKind::leaf));
  for_each_field([&](const auto& field) {
    const Part part = part_for(field);
    if (!source.has(part) && field.may_be_left_out(tree)) return;
    const std::size_t n_entries = (kinds.size() - (field.inner_only ? n_leaves : 0)) * field.width(tree);
    auto& array = field.in(tree);
    take_numbers(source, part, n_entries, array);
    if (field.inner_only) spread_inner(array, kinds.size(), [&](std::size_t i) { return kinds[i] == TestKind::leaf; });
  });
  // Shares of rows go by the weights of children, so that those are at hand.
  if (tree.missing == MissingRule::fractional && tree.stored_weight.empty())
    tree.stored_weight = NarrowReals(of_nodes(tree, &Tree::weight));
}

std::string take_name(Source& source, std::size_t n) {
  std::vector<std::uint32_t> letters;
  source.fill(Part::objective, letters, n);
  if (std::any_of(letters.begin(), letters.end(), [](std::uint32_t letter) { return letter > 127; }))
    refuse("'objective' has an entry out of range");
  return {letters.begin(), letters.end()};
}

MonotoneSigns take_signs(Source& source, std::size_t n) {
  std::vector<std::uint32_t> numbers;
  source.fill(Part::monotone, numbers, n);
  MonotoneSigns signs;
  for (const std::uint32_t number : numbers) {
    if (number > 2) refuse("'monotone' has an entry out of range");
    signs.push_back(static_cast<std::int8_t>(static_cast<int>(number) - 1));
  }
  return signs;
}

/// What a tree is beside its nodes, and how many of these there are.
std::uint32_t take_head(Source& source, std::int32_t n_features, std::vector<std::int32_t>& groups, Tree& tree) {
  const std::uint32_t n = source.whole(Part::n_nodes);
  tree.n_features = n_features;
  tree.n_classes = source.small(Part::n_classes);
  const std::uint32_t missing = source.whole(Part::missing);
  if (missing > static_cast<std::uint32_t>(MissingRule::category)) refuse("unknown rule for missing values");
  tree.missing = static_cast<MissingRule>(missing);
  source.fill(Part::cost, tree.cost, source.whole(Part::n_costs));
  source.fill(Part::group, groups, source.whole(Part::n_groups));
  if (source.has(Part::n_objective)) tree.objective = take_name(source, source.whole(Part::n_objective));
  if (source.has(Part::n_monotone)) tree.monotone = take_signs(source, source.whole(Part::n_monotone));
  source.need(Part::kind, n);
  source.need(Part::value, n * tree.n_outputs());
  return n;
}

void take_nodes(Source& source, Tree& tree, std::size_t n) {
  take_kinds(source, tree, n);
  make_room(source, tree.tests, 0);
  tree.first_child.assign(n, kNoNode);
  tree.n_children.assign_zeros(n);
  tree.parent.assign(n, kNoNode);
  tree.default_branch.assign_zeros(n);
  take_fields(source, tree);
  for (std::size_t node = 0; node < n; ++node) {
    if (tree.tests.kind[node] != TestKind::leaf) at_node(node, [&] { take_inner(source, tree, node); });
    tree.tests.close_lists();
  }
  take_surrogates(source, tree);
}

/// The codes of every test are those of categories of its column.
void check_codes(const TestTable& tests, std::span<const std::int32_t> n_categories, const char* what) {
  for (std::size_t i = 0; i < tests.size() && !tests.code.empty(); ++i) {
    const std::int64_t end = tests.code_lists.end(i);  // codes ascend
    if (tests.code_lists.length(i) > 0 && tests.code[end - 1] >= n_categories[tests.feature[i]])
      refuse(what + std::to_string(i) + ": a category code is not in the vocabulary");
  }
}

/// What all trees so far could have left out.
struct Repeats {
  FieldFlags fields = all_true();
  bool no_surrogates = true, no_objective = true, no_monotone = true;

  void look_at(const Tree& tree) {
    for_each_field([&](const auto& field) {
      bool& repeats = fields[place_of_field(field)];
      repeats = repeats && field.follows(tree);
    });
    no_surrogates = no_surrogates && tree.surrogates.tests.size() == 0;
    no_objective = no_objective && tree.objective.empty();
    no_monotone = no_monotone && tree.monotone.empty();
  }
  /// A packed tree has left out what it could.
  void look_at(const PackedTree& tree) {
    for_each_field([&](const auto& field) {
      bool& repeats = fields[place_of_field(field)];
      repeats = repeats && field.may_be_left_out(tree.tree()) && tree.arrays().of(field).empty();
    });
  }
  void join(const Repeats& other) {
    for (std::size_t f = 0; f < kNumFields; ++f) fields[f] = fields[f] && other.fields[f];
    no_surrogates = no_surrogates && other.no_surrogates;
    no_objective = no_objective && other.no_objective;
    no_monotone = no_monotone && other.no_monotone;
  }
  void check(const PartViews& parts) const {
    const auto once = [&](Part part, bool repeats) {
      if (parts[place_of(part)].size > 0 && repeats) refuse(name_of(part) + " repeats what other arrays tell");
    };
    for_each_field([&](const auto& field) { once(part_for(field), fields[place_of_field(field)]); });
    once(Part::n_surrogates, no_surrogates);
    once(Part::n_objective, no_objective);
    once(Part::n_monotone, no_monotone);
  }

 private:
  static FieldFlags all_true() {
    FieldFlags flags;
    flags.fill(true);
    return flags;
  }
};

/// Reads trees, and sees to it that storing them again makes the same arrays.
class Restore {
 public:
  Restore(const PartViews& parts, std::span<const std::int32_t> n_categories) : n_categories_(n_categories) {
    check_types(parts);
    n_features_ = Source(parts, {}).small(Part::n_features);
    if (!n_categories.empty() && n_categories.size() != static_cast<std::size_t>(n_features_))
      refuse("there are " + std::to_string(n_features_) + " features, but " + std::to_string(n_categories.size()) +
             " columns");
  }
  std::int32_t n_features() const { return n_features_; }

  Tree next(Source& source, std::vector<std::int32_t>& groups, Repeats& repeats) const {
    Tree tree;
    take_nodes(source, tree, take_head(source, n_features_, groups, tree));
    if (const std::string problem = tree.check(); !problem.empty()) refuse(problem);
    if (!n_categories_.empty()) {
      check_codes(tree.tests, n_categories_, "node ");
      check_codes(tree.surrogates.tests, n_categories_, "surrogate ");
    }
    repeats.look_at(tree);
    return tree;
  }

  PackedTree next_packed(Source& source, std::vector<std::int32_t>& groups, PackedScratch& scratch,
                         Repeats& repeats) const {
    const Source before = source;
    Tree like;
    const std::uint32_t n = take_head(source, n_features_, groups, like);
    if (auto packed = take_packed(source, like, n, scratch)) {
      repeats.look_at(*packed);
      return std::move(*packed);
    }
    source = before;
    return PackedTree(next(source, groups, repeats));
  }

 private:
  std::span<const std::int32_t> n_categories_;
  std::int32_t n_features_ = 0;
};

/// Says which tree something is wrong with.
template <class Take>
void at_tree(std::size_t i, const Take& take) {
  try {
    take();
  } catch (const std::invalid_argument& problem) {
    refuse(std::string("tree ").append(std::to_string(i)).append(", ").append(problem.what()));
  }
}

}  // namespace

Tree restore_tree(const PartViews& parts, std::span<const std::int32_t> n_categories) {
  const Restore restore(parts, n_categories);
  Source source(parts, {});
  source.whole(Part::n_features);
  std::vector<std::int32_t> groups;
  Repeats repeats;
  Tree tree = restore.next(source, groups, repeats);
  if (!groups.empty()) refuse("one tree alone has no groups of classes");
  source.finish();
  repeats.check(parts);
  return tree;
}

Forest restore_forest(const PartViews& parts, std::span<const std::int32_t> n_categories, ThreadTeam& team) {
  const Restore restore(parts, n_categories);
  const std::size_t n_trees = parts[place_of(Part::n_nodes)].size;
  for (const Part of_each : {Part::n_classes, Part::missing, Part::n_costs, Part::n_groups})
    Source(parts, {}).need(of_each, n_trees);  // before room for so many is taken
  std::vector<Member> members(n_trees);
  const std::vector<Places> begins = beginnings(parts);
  std::vector<PackedScratch> scratch(begins.empty() ? 1 : team.size());
  std::vector<Repeats> repeats(scratch.size());
  const auto take = [&](std::size_t i, Source& source, std::size_t worker) {
    at_tree(
        i, [&] { members[i].tree = restore.next_packed(source, members[i].groups, scratch[worker], repeats[worker]); });
  };
  Source source(parts, begins.empty() ? Places{} : begins.back());
  source.whole(Part::n_features);
  if (begins.empty()) {
    for (std::size_t i = 0; i < members.size(); ++i) take(i, source, 0);
  } else {
    team.run(members.size(), [&](std::size_t i, std::size_t worker) {
      Source own(parts, begins[i]);
      take(i, own, worker);
    });
  }
  source.finish();
  for (const Repeats& one : repeats) repeats[0].join(one);
  repeats[0].check(parts);
  Forest forest(std::move(members));
  if (const std::string problem = forest.check(); !problem.empty()) refuse(problem);
  if (forest.size() == 0 && restore.n_features() != 0) refuse("a forest without trees has no features");
  return forest;
}

}  // namespace spinney
