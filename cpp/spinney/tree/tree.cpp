#include "spinney/tree/tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/data/target.hpp"
#include "spinney/objective/gini.hpp"
#include "spinney/tree/fields.hpp"

namespace spinney {

void TestTable::append(const Test& test) {
  append_leaf();
  kind.back() = test.kind;
  feature.back() = test.feature;
  threshold.back() = test.threshold;
  append_lists(test);
}

void TestTable::append_leaf() {
  kind.push_back(TestKind::leaf);
  feature.push_back(-1);
  threshold.push_back(kNaN);
}

void TestTable::append_lists(const Test& test) {
  for (const auto& [category, to_branch] : test.codes) {
    code.push_back(category);
    branch.push_back(to_branch);
  }
  cut.insert(cut.end(), test.cuts.begin(), test.cuts.end());
  token.insert(token.end(), test.tokens.begin(), test.tokens.end());
  close_lists();
}

void TestTable::close_lists() {
  code_lists.close(code.size());
  cut_lists.close(cut.size());
  token_lists.close(token.size());
}

Test TestTable::get(std::size_t index) const {
  Test test{kind[index], feature[index], threshold[index], {}, {}, {}};
  const auto own = tokens(index);
  test.tokens.assign(own.begin(), own.end());
  test.cuts.assign(cut.begin() + cut_lists.begin(index), cut.begin() + cut_lists.end(index));
  for (std::int64_t i = code_lists.begin(index); i < code_lists.end(index); ++i)
    test.codes.emplace_back(code[i], branch[i]);
  return test;
}

void SurrogateTable::append(const Surrogate& surrogate) {
  tests.append(surrogate.test);
  reversed.push_back(surrogate.reversed ? 1 : 0);
  agreement.push_back(surrogate.agreement);
  adjusted.push_back(surrogate.adjusted);
}

Surrogate SurrogateTable::get(std::size_t index) const {
  return {tests.get(index), reversed[index] != 0, agreement[index], adjusted[index]};
}

std::int32_t TestTable::answer_value(std::size_t index, double value) const {
  if (std::isnan(value)) return kNoBranch;
  if (kind[index] == TestKind::threshold) return value <= threshold[index] ? 0 : 1;
  if (cut_lists.length(index) > 0) {
    const auto low = cut.begin() + cut_lists.begin(index), high = cut.begin() + cut_lists.end(index);
    return static_cast<std::int32_t>(std::lower_bound(low, high, value) - low);
  }
  if (value < 0 || value > static_cast<double>(std::numeric_limits<std::int32_t>::max())) return kNoBranch;
  const std::int64_t place = place_of_code(index, static_cast<std::int32_t>(value));
  return place < 0 ? kNoBranch : branch[static_cast<std::size_t>(place)];
}

std::int64_t TestTable::place_of_code(std::size_t index, std::int32_t wanted) const {
  return code.visit([&](const auto& codes) -> std::int64_t {
    const auto first = codes.begin() + code_lists.begin(index), last = codes.begin() + code_lists.end(index);
    const bool all_are_listed = wanted < last - first && first[wanted] == wanted;
    const auto found = all_are_listed ? first + wanted : std::lower_bound(first, last, wanted);
    return found == last || *found != wanted ? -1 : found - codes.begin();
  });
}

double Tree::cost_of_label(const double* class_weights, ClassCode predicted) const {
  return Classes{.n = n_classes, .cost = cost}.cost_of_label(class_weights, predicted);
}

ClassCode Tree::cheapest(const double* class_weights) const {
  return Classes{.n = n_classes, .cost = cost}.cheapest(class_weights);
}

double gini_impurity(const double* weights, double total, std::size_t k) {
  std::size_t n_there = 0;
  for (std::size_t c = 0; c < k; ++c) n_there += weights[c] > 0.0 ? 1 : 0;
  if (n_there < 2) return 0.0;
  return std::max(0.0, Gini{{{.n = static_cast<std::int32_t>(k)}}}.loss(weights, total) / total);
}

double Tree::derived_weight(std::size_t node) const {
  if (n_classes == 0) return static_cast<double>(n_samples[node]);
  const double* first = values(static_cast<NodeId>(node));
  return std::accumulate(first, first + n_outputs(), 0.0);
}

double Tree::derived_impurity(std::size_t node) const {
  const double here = weight(node);
  if (n_classes > 0) return gini_impurity(values(static_cast<NodeId>(node)), here, n_outputs());
  return here > 0.0 ? risk(node) / here : 0.0;
}

double Tree::derived_risk(std::size_t node) const {
  return n_classes == 0 ? kNaN : least_cost(cost, {values(static_cast<NodeId>(node)), n_outputs()});
}

std::vector<double> of_nodes(const Tree& tree, double (Tree::*number)(std::size_t) const) {
  std::vector<double> out(tree.n_nodes());
  for (std::size_t node = 0; node < out.size(); ++node) out[node] = (tree.*number)(node);
  return out;
}

namespace {

std::string at_node(std::size_t node, const std::string& what) { return "node " + std::to_string(node) + ": " + what; }

/// The pairs of a subset or multiway test: codes ascending, branches that exist.
std::string check_codes(const TestTable& tests, std::size_t index, std::int32_t n_branches) {
  const std::int64_t begin = tests.code_lists.begin(index), end = tests.code_lists.end(index);
  for (std::int64_t i = begin; i < end; ++i) {
    if (tests.code[i] < 0 || (i > begin && tests.code[i] <= tests.code[i - 1])) {
      return "category codes are not ascending";
    }
    if (tests.branch[i] < 0 || tests.branch[i] >= n_branches) return "a category leads to a branch that is not there";
  }
  return "";
}

/// The cuts of a multiway test: ascending numbers, one fewer than branches.
std::string check_cuts(const TestTable& tests, std::size_t index, std::int32_t n_branches) {
  const std::int64_t begin = tests.cut_lists.begin(index), end = tests.cut_lists.end(index);
  if (tests.code_lists.length(index) > 0) return "a test has both categories and cuts";
  if (end - begin != n_branches - 1) return "the number of cuts does not match the children";
  for (std::int64_t i = begin; i < end; ++i) {
    if (std::isnan(tests.cut[i]) || (i > begin && !(tests.cut[i] > tests.cut[i - 1]))) return "cuts are not ascending";
  }
  return "";
}

bool has_codes(const TestTable& tests, std::size_t index) { return tests.code_lists.length(index) > 0; }
bool has_cuts(const TestTable& tests, std::size_t index) { return tests.cut_lists.length(index) > 0; }

std::string check_test(const TestTable& tests, std::size_t index, std::int32_t n_features, std::int32_t n_branches) {
  const TestKind kind = tests.kind[index];
  const bool has_tokens = !tests.tokens(index).empty();
  if (has_tokens != (kind == TestKind::expression)) return "an expression test needs tokens, others none";
  if (has_cuts(tests, index) && kind != TestKind::multiway) return "only a multiway test has cuts";
  if (has_codes(tests, index) && kind != TestKind::subset && kind != TestKind::multiway)
    return "only a subset or a multiway test has categories";
  if (kind != TestKind::threshold && !std::isnan(tests.threshold[index]))
    return "only a threshold test has a threshold";
  if (has_tokens) {
    if (tests.feature[index] != -1) return "an expression test asks no single feature";
    if (n_branches != 2) return "an expression test needs two children";
    return check_expression(tests.tokens(index), n_features);
  }
  if (tests.feature[index] < 0 || tests.feature[index] >= n_features) return "feature out of range";
  switch (tests.kind[index]) {
    case TestKind::threshold:
      if (std::isnan(tests.threshold[index])) return "threshold is NaN";
      return n_branches == 2 ? "" : "a threshold test needs two children";
    case TestKind::subset:
      if (n_branches != 2) return "a subset test needs two children";
      return check_codes(tests, index, n_branches);
    case TestKind::multiway:
      return has_cuts(tests, index) ? check_cuts(tests, index, n_branches) : check_codes(tests, index, n_branches);
    default: return "unknown kind of test";
  }
}

/// A leaf asks nothing, and leads nowhere.
std::string check_leaf(const Tree& tree, std::size_t node) {
  const TestTable& tests = tree.tests;
  if (tree.first_child[node] != kNoNode || tree.n_children[node] != 0) return "a leaf has children";
  const bool asks = tests.feature[node] != -1 || !std::isnan(tests.threshold[node]) || has_codes(tests, node) ||
                    has_cuts(tests, node) || !tests.tokens(node).empty();
  if (asks || tree.surrogates.lists.length(node) > 0) return "a leaf has a test";
  return tree.default_branch[node] == 0 ? "" : "a leaf has a default branch";
}

/// The surrogates of a node.
std::string check_surrogates(const Tree& tree, std::size_t node) {
  const SurrogateTable& table = tree.surrogates;
  for (std::int64_t s = table.lists.begin(node); s < table.lists.end(node); ++s) {
    if (std::string problem = check_test(table.tests, s, tree.n_features, tree.n_children[node]); !problem.empty())
      return "surrogate: " + problem;
    if (table.reversed[s] > 1 || (table.reversed[s] == 1 && tree.n_children[node] != 2))
      return "surrogate: only one of two branches can be reversed";
    if (std::isnan(table.agreement[s]) || std::isnan(table.adjusted[s])) return "surrogate: agreement is NaN";
  }
  return "";
}

std::string named(std::string_view name, std::string_view what) { return std::string(name).append(what); }

bool is_negative(double number) { return number < 0.0; }

/// The class weights of a node.
std::string check_counts(std::span<const double> counts) {
  if (std::any_of(counts.begin(), counts.end(), is_negative)) return "a class weight is negative";
  if (!std::isfinite(std::accumulate(counts.begin(), counts.end(), 0.0))) return "class weights are too large";
  return "";
}

/// The class shares that a node answers with.
std::string check_shares(std::span<const double> shares) {
  if (std::any_of(shares.begin(), shares.end(), is_negative)) return "a class share is negative";
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!std::isfinite(sum)) return "class shares are too large";
  if (sum == 0.0) return "class shares are all 0";
  return "";
}

/// One number of a node.
std::string check_number(std::string_view name, Holds holds, double number) {
  if (holds == Holds::known && std::isnan(number)) return named(name, " is NaN");
  if (holds == Holds::amounts && !(std::isfinite(number) && number >= 0.0))
    return named(name, " is negative or not finite");
  if (holds >= Holds::counts && !std::isfinite(number)) return named(name, " is not finite");
  return "";
}

/// What a node has in one of the arrays.
template <class F>
std::string check_entries(const F& field, const Tree& tree, std::size_t node) {
  const std::size_t width = field.width(tree), first = node * width;
  for (std::size_t entry = first; entry < first + width; ++entry) {
    const auto number = static_cast<double>(field.at(tree, entry));
    const bool of_leaf = field.inner_only && tree.tests.kind[node] == TestKind::leaf;
    if (of_leaf && !same_bits(number, 0.0)) return named("a leaf has a ", field.name);
    if (std::string problem = check_number(field.name, field.holds, number); !problem.empty()) return problem;
  }
  if constexpr (std::is_same_v<typename F::Array, std::vector<double>>) {
    const auto classes = [&] { return std::span(field.in(tree)).subspan(first, width); };
    if (field.holds == Holds::counts && tree.n_classes > 0) return check_counts(classes());
    if (field.holds == Holds::answers && tree.n_classes > 0) return check_shares(classes());
  }
  return "";
}

/// The plain arrays.
std::string check_fields(const Tree& tree) {
  std::string problem;
  for_each_field([&](const auto& field) {
    if (field.holds == Holds::any || (field.is_optional && field.is_left_out(tree))) return;
    for (std::size_t node = 0; problem.empty() && node < tree.n_nodes(); ++node) {
      if (const std::string found = check_entries(field, tree, node); !found.empty()) problem = at_node(node, found);
    }
  });
  return problem;
}

bool check_field_sizes(const Tree& tree) {
  bool fit = true;
  for_each_field([&](const auto& field) {
    const std::size_t entries = tree.n_nodes() * field.width(tree);
    fit = fit && (field.is_left_out(tree) || field.in(tree).size() == entries);
  });
  return fit;
}

bool check_table(const TestTable& tests, std::size_t n) {
  return tests.kind.size() == n && tests.feature.size() == n && tests.threshold.size() == n &&
         tests.code.size() == tests.branch.size() && tests.code_lists.cover(n, tests.code.size()) &&
         tests.cut_lists.cover(n, tests.cut.size()) && tests.token_lists.cover(n, tests.token.size());
}

std::string check_sizes(const Tree& tree) {
  const std::size_t n = tree.n_nodes(), s = tree.surrogates.tests.size();
  if (n == 0) return "a tree needs at least one node";
  if (n > static_cast<std::size_t>(std::numeric_limits<NodeId>::max())) return "too many nodes";
  if (tree.n_features < 0) return "negative number of features";
  if (tree.n_classes < 0 || tree.n_classes > kMostClasses) return "number of classes out of range";
  const bool nodes = tree.n_children.size() == n && tree.parent.size() == n && tree.default_branch.size() == n;
  if (!nodes || !check_field_sizes(tree) || !check_table(tree.tests, n)) return "the node arrays differ in length";
  if (!check_table(tree.surrogates.tests, s) || tree.surrogates.reversed.size() != s ||
      tree.surrogates.agreement.size() != s || tree.surrogates.adjusted.size() != s ||
      !tree.surrogates.lists.cover(n, s)) {
    return "the surrogate arrays differ in length";
  }
  const std::size_t k = tree.n_outputs();
  if (!tree.cost.empty() && (tree.n_classes == 0 || tree.cost.size() != k * k))
    return "the cost matrix has the wrong size";
  if (!std::all_of(tree.cost.begin(), tree.cost.end(), [](double c) { return c >= 0.0 && std::isfinite(c); }))
    return "a cost is not finite, or below 0";
  if (!tree.monotone.empty() && tree.monotone.size() != static_cast<std::size_t>(tree.n_features))
    return "the constraints differ in number from the columns";
  if (!tree.monotone.empty() && tree.n_classes != 0 && tree.n_classes != 2)
    return "only numbers and two classes can be constrained";
  if (!std::all_of(tree.monotone.begin(), tree.monotone.end(), [](int sign) { return sign >= -1 && sign <= 1; }))
    return "a constraint is not -1, 0 or 1";
  if (!is_judge_name(tree.objective, tree.n_classes)) return "no objective is called '" + tree.objective + "'";
  return "";
}

}  // namespace

std::string Tree::check() const {
  if (const std::string problem = check_sizes(*this); !problem.empty()) return problem;
  if (const std::string problem = check_fields(*this); !problem.empty()) return problem;
  std::size_t next_child = 1;  // every node but the root is the child of exactly one node
  for (std::size_t node = 0; node < n_nodes(); ++node) {
    std::string problem;
    if (tests.kind[node] == TestKind::leaf) problem = check_leaf(*this, node);
    if (!problem.empty()) return at_node(node, problem);
    if (tests.kind[node] == TestKind::leaf) continue;
    const std::int64_t first = first_child[node], count = n_children[node];
    if (count < 1 || first <= static_cast<std::int64_t>(node) || first + count > static_cast<std::int64_t>(n_nodes())) {
      return at_node(node, "children out of range");
    }
    double below = 0.0;
    for (std::int64_t child = first; child < first + count; ++child) {
      ++next_child;
      if (parent[child] != static_cast<NodeId>(node)) return at_node(node, "a child has another parent");
      below += weight(static_cast<std::size_t>(child));
    }
    if (missing == MissingRule::fractional && !(below > 0.0 && std::isfinite(below)))
      return at_node(node, "a row without a value would go nowhere: the children weigh nothing");
    if (default_branch[node] < 0 || default_branch[node] >= count) return at_node(node, "default branch out of range");
    problem = check_test(tests, node, n_features, n_children[node]);
    if (problem.empty()) problem = check_surrogates(*this, node);
    if (!problem.empty()) return at_node(node, problem);
  }
  if (parent[0] != kNoNode) return at_node(0, "the root has a parent");
  if (next_child != n_nodes()) return "some nodes have no parent";
  return "";
}

Tree empty_like(const Tree& tree) {
  Tree out;
  out.n_features = tree.n_features;
  out.n_classes = tree.n_classes;
  out.missing = tree.missing;
  out.cost = tree.cost;
  out.objective = tree.objective;
  out.monotone = tree.monotone;
  return out;
}

Tree collapse(const Tree& tree, const std::vector<std::uint8_t>& make_leaf) {
  Tree out = empty_like(tree);
  std::vector<NodeId> new_id(tree.n_nodes(), kNoNode);
  // Pass 1 gives each surviving node its new number: children follow parents, so one forward loop does it.
  std::vector<NodeId> old_id = {0};
  new_id[0] = 0;
  for (std::size_t old = 0; old < tree.n_nodes(); ++old) {
    if (new_id[old] == kNoNode || tree.is_leaf(static_cast<NodeId>(old)) || make_leaf[old]) continue;
    for (std::int32_t c = 0; c < tree.n_children[old]; ++c) {
      new_id[tree.first_child[old] + c] = static_cast<NodeId>(old_id.size());
      old_id.push_back(tree.first_child[old] + c);
    }
  }
  // Pass 2 copies them in the new order.
  for (const NodeId old : old_id) {
    const bool leaf = tree.is_leaf(old) || make_leaf[old];
    const NodeId old_parent = tree.parent[old];
    out.tests.append(leaf ? Test{} : tree.tests.get(old));
    for (std::int64_t s = tree.surrogates.lists.begin(old); !leaf && s < tree.surrogates.lists.end(old); ++s) {
      out.surrogates.append(tree.surrogates.get(s));
    }
    out.surrogates.close_node();
    out.first_child.push_back(leaf ? kNoNode : new_id[tree.first_child[old]]);
    out.n_children.push_back(leaf ? 0 : tree.n_children[old]);
    out.parent.push_back(old_parent == kNoNode ? kNoNode : new_id[old_parent]);
    out.default_branch.push_back(leaf ? 0 : tree.default_branch[old]);
  }
  for_each_field([&](const auto& field) {
    if (field.is_left_out(tree)) return;
    const std::size_t width = field.width(tree);
    auto& to = field.in(out);
    to.reserve(old_id.size() * width);
    for (std::size_t node = 0; node < old_id.size(); ++node) {
      const bool none = field.inner_only && out.is_leaf(static_cast<NodeId>(node));
      const std::size_t from = static_cast<std::size_t>(old_id[node]) * width;
      for (std::size_t i = 0; i < width; ++i) to.push_back(none ? 0 : field.in(tree)[from + i]);
    }
  });
  return out;
}

}  // namespace spinney
