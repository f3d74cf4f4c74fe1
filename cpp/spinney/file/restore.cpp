#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "spinney/file/codec.hpp"

namespace spinney {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }
std::string name_of(Part part) { return std::string("'").append(kPartNames[place_of(part)]).append("'"); }

/// The parts, each read from its beginning to its end.
class Source {
 public:
  explicit Source(const PartViews& parts) : parts_(parts) {
    for (std::size_t p = 0; p < kParts; ++p) {
      const auto part = static_cast<Part>(p);
      if (parts[p].size == 0) continue;
      if (is_real(parts[p].type) && !holds_reals(part)) refuse(name_of(part) + " holds other than whole numbers");
      if (!is_narrowest(parts[p])) refuse(name_of(part) + " is of a wider type than its numbers need");
    }
  }

  bool has(Part part) const { return parts_[place_of(part)].size > 0; }
  void need(Part part, std::size_t n) const {
    if (n > parts_[place_of(part)].size - at_[place_of(part)]) refuse(name_of(part) + " has too few entries");
  }
  std::uint32_t whole(Part part) {
    need(part, 1);
    return parts_[place_of(part)].at<std::uint32_t>(at_[place_of(part)]++);
  }
  std::int32_t small(Part part) {
    const std::uint32_t n = whole(part);
    if (n > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
      refuse(name_of(part) + " has an entry out of range");
    return static_cast<std::int32_t>(n);
  }
  double real(Part part) {
    need(part, 1);
    return parts_[place_of(part)].at<double>(at_[place_of(part)]++);
  }
  template <class T>
  void fill(Part part, std::vector<T>& out, std::size_t n) {
    need(part, n);
    out.resize(n);
    parts_[place_of(part)].copy(at_[place_of(part)], std::span<T>(out));
    at_[place_of(part)] += n;
  }
  void finish() const {
    for (std::size_t p = 0; p < kParts; ++p) {
      if (at_[p] != parts_[p].size) refuse(name_of(static_cast<Part>(p)) + " has too many entries");
    }
  }

 private:
  const PartViews& parts_;
  ByPart<std::size_t> at_{};
};

TestKind kind_of(std::uint32_t code) {
  if (code > static_cast<std::uint32_t>(TestKind::expression)) refuse("unknown kind of test");
  return static_cast<TestKind>(code);
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

void resize(TestTable& tests, std::size_t n) {
  tests.feature.assign(n, -1);
  tests.threshold.assign(n, kNaN);
  tests.code_begin.assign(n + 1, 0);
  tests.cut_begin.assign(n + 1, 0);
  tests.token_begin.assign(n + 1, 0);
}

/// Where the lists of the next test begin.
void close(TestTable& tests, std::size_t i) {
  tests.code_begin[i + 1] = static_cast<std::int64_t>(tests.code.size());
  tests.cut_begin[i + 1] = static_cast<std::int64_t>(tests.cut.size());
  tests.token_begin[i + 1] = static_cast<std::int64_t>(tests.token.size());
}

void take_surrogates(Source& source, SurrogateTable& table, std::uint32_t n) {
  source.need(Part::surrogate_kind, n);
  for (std::uint32_t s = 0; s < n; ++s) {
    const std::size_t i = table.tests.size();
    table.tests.append_leaf();
    table.tests.kind[i] = kind_of(source.whole(Part::surrogate_kind));
    if (table.tests.kind[i] == TestKind::leaf) refuse("surrogate: unknown kind of test");
    take_test(source, table.tests, i, kToSurrogates);
    for (auto* begin : {&table.tests.code_begin, &table.tests.cut_begin, &table.tests.token_begin}) begin->push_back(0);
    close(table.tests, i);
    table.reversed.push_back(static_cast<std::uint8_t>(std::min(source.whole(Part::reversed), 2U)));
    table.agreement.push_back(source.real(Part::agreement));
    table.adjusted.push_back(source.real(Part::adjusted));
  }
}

void take_inner(Source& source, Tree& tree, std::size_t node) {
  const std::int64_t first = static_cast<std::int64_t>(node) + source.whole(Part::child);
  tree.n_children[node] = tree.tests.kind[node] == TestKind::multiway ? source.small(Part::n_children) : 2;
  if (first + tree.n_children[node] > static_cast<std::int64_t>(tree.n_nodes())) refuse("children out of range");
  tree.first_child[node] = static_cast<NodeId>(first);
  for (std::int64_t child = first; child < first + tree.n_children[node]; ++child) {
    if (tree.parent[child] != kNoNode) refuse("a child has two parents");
    tree.parent[child] = static_cast<NodeId>(node);
  }
  tree.default_branch[node] = source.small(Part::default_branch);
  tree.gain[node] = source.real(Part::gain);
  take_test(source, tree.tests, node, 0);
  if (source.has(Part::n_surrogates)) take_surrogates(source, tree.surrogates, source.whole(Part::n_surrogates));
}

void take_kinds(Source& source, Tree& tree, std::size_t n) {
  std::vector<std::uint8_t> kinds;
  source.fill(Part::kind, kinds, n);
  tree.tests.kind.reserve(n);
  for (std::size_t node = 0; node < n; ++node) {
    if (kinds[node] > static_cast<std::uint8_t>(TestKind::expression))
      refuse(std::string("node ").append(std::to_string(node)).append(": unknown kind of test"));
    tree.tests.kind.push_back(static_cast<TestKind>(kinds[node]));
  }
}

/// What follows from the rest, where it was left out.
void tell(const Source& source, Tree& tree) {
  const auto n = static_cast<NodeId>(tree.n_nodes());
  const auto each = [&](Part part, std::vector<double>& out, double (*told)(const Tree&, NodeId)) {
    if (source.has(part)) return;
    out.resize(tree.n_nodes());
    for (NodeId node = 0; node < n; ++node) out[node] = told(tree, node);
  };
  each(Part::weight, tree.weight, told_weight);
  each(Part::risk, tree.risk, told_risk);
  each(Part::impurity, tree.impurity, told_impurity);
}

Tree take_tree(Source& source, std::int32_t n_features, std::vector<std::int32_t>& groups) {
  Tree tree;
  const std::uint32_t n = source.whole(Part::n_nodes);
  tree.n_features = n_features;
  tree.n_classes = source.small(Part::n_classes);
  const std::uint32_t missing = source.whole(Part::missing);
  if (missing > static_cast<std::uint32_t>(MissingRule::fractional)) refuse("unknown rule for missing values");
  tree.missing = static_cast<MissingRule>(missing);
  source.fill(Part::cost, tree.cost, source.whole(Part::n_costs));
  source.fill(Part::group, groups, source.whole(Part::n_groups));
  source.need(Part::kind, n);
  source.need(Part::value, n * tree.n_outputs());
  take_kinds(source, tree, n);
  resize(tree.tests, n);
  tree.first_child.assign(n, kNoNode);
  tree.n_children.assign(n, 0);
  tree.parent.assign(n, kNoNode);
  tree.default_branch.assign(n, 0);
  tree.gain.assign(n, 0.0);
  tree.surrogates.begin.assign(n + std::size_t{1}, 0);
  source.fill(Part::n_samples, tree.n_samples, n);
  source.fill(Part::value, tree.value, n * tree.n_outputs());
  if (source.has(Part::weight)) source.fill(Part::weight, tree.weight, n);
  if (source.has(Part::impurity)) source.fill(Part::impurity, tree.impurity, n);
  if (source.has(Part::risk)) source.fill(Part::risk, tree.risk, n);
  tell(source, tree);
  for (std::size_t node = 0; node < n; ++node) {
    if (tree.tests.kind[node] != TestKind::leaf) {
      try {
        take_inner(source, tree, node);
      } catch (const std::invalid_argument& problem) {
        refuse(std::string("node ").append(std::to_string(node)).append(": ").append(problem.what()));
      }
    }
    close(tree.tests, node);
    tree.surrogates.begin[node + 1] = static_cast<std::int64_t>(tree.surrogates.tests.size());
  }
  return tree;
}

/// The codes of every test are those of categories of its column.
void check_codes(const TestTable& tests, std::span<const std::int32_t> n_categories, const char* what) {
  for (std::size_t i = 0; i < tests.size() && !tests.code.empty(); ++i) {
    const std::int64_t end = tests.code_begin[i + 1];  // codes ascend
    if (end > tests.code_begin[i] && tests.code[end - 1] >= n_categories[tests.feature[i]])
      refuse(what + std::to_string(i) + ": a category code is not in the vocabulary");
  }
}

/// Reads tree after tree, and sees to it that storing them again makes the same arrays.
class Restore {
 public:
  Restore(const PartViews& parts, std::span<const std::int32_t> n_categories)
      : source_(parts), n_categories_(n_categories), n_features_(source_.small(Part::n_features)) {
    if (!n_categories.empty() && n_categories.size() != static_cast<std::size_t>(n_features_))
      refuse("there are " + std::to_string(n_features_) + " features, but " + std::to_string(n_categories.size()) +
             " columns");
  }
  std::int32_t n_features() const { return n_features_; }

  Tree next(std::vector<std::int32_t>& groups) {
    Tree tree = take_tree(source_, n_features_, groups);
    if (const std::string problem = tree.check(); !problem.empty()) refuse(problem);
    if (!n_categories_.empty()) {
      check_codes(tree.tests, n_categories_, "node ");
      check_codes(tree.surrogates.tests, n_categories_, "surrogate ");
    }
    for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) {
      repeats_weight_ = repeats_weight_ && same_bits(tree.weight[node], told_weight(tree, node));
      repeats_impurity_ = repeats_impurity_ && same_bits(tree.impurity[node], told_impurity(tree, node));
      repeats_risk_ = repeats_risk_ && same_bits(tree.risk[node], told_risk(tree, node));
    }
    n_surrogates_ += tree.surrogates.tests.size();
    return tree;
  }

  void finish() const {
    source_.finish();
    const auto once = [&](Part part, bool repeats) {
      if (source_.has(part) && repeats) refuse(name_of(part) + " repeats what other arrays tell");
    };
    once(Part::weight, repeats_weight_);
    once(Part::impurity, repeats_impurity_);
    once(Part::risk, repeats_risk_);
    once(Part::n_surrogates, n_surrogates_ == 0);
  }

 private:
  Source source_;
  std::span<const std::int32_t> n_categories_;
  std::int32_t n_features_;
  bool repeats_weight_ = true, repeats_impurity_ = true, repeats_risk_ = true;
  std::size_t n_surrogates_ = 0;
};

}  // namespace

Tree restore_tree(const PartViews& parts, std::span<const std::int32_t> n_categories) {
  if (parts[place_of(Part::n_nodes)].size != 1) refuse("the arrays are those of a forest, not of one tree");
  Restore restore(parts, n_categories);
  std::vector<std::int32_t> groups;
  Tree tree = restore.next(groups);
  if (!groups.empty()) refuse("one tree alone has no groups of classes");
  restore.finish();
  return tree;
}

Forest restore_forest(const PartViews& parts, std::span<const std::int32_t> n_categories, Interrupt& interrupt) {
  Restore restore(parts, n_categories);
  std::vector<Member> members(parts[place_of(Part::n_nodes)].size);
  for (std::size_t i = 0; i < members.size(); ++i) {
    interrupt.check();
    try {
      const Tree tree = restore.next(members[i].groups);
      members[i].tree = PackedTree(tree);
    } catch (const std::invalid_argument& problem) {
      refuse(std::string("tree ").append(std::to_string(i)).append(", ").append(problem.what()));
    }
  }
  restore.finish();
  Forest forest(std::move(members));
  if (const std::string problem = forest.check(); !problem.empty()) refuse(problem);
  if (forest.size() == 0 && restore.n_features() != 0) refuse("a forest without trees has no features");
  return forest;
}

}  // namespace spinney
