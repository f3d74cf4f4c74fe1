#pragma once
// What a tree must be, told once more and in other words than Tree::check, so that a check that is lost is noticed.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "spinney/tree/tree.hpp"

namespace spinney_fuzz {

using namespace spinney;

inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FOUND: %s\n", what);
  std::abort();
}

inline bool is_amount(double v) { return v >= 0.0 && v <= 1.7976931348623157e308; }

/// Operands are there, of the right kind, and one truth value is left.
inline void demand_expression(std::span<const Token> tokens, std::int32_t n_features) {
  std::vector<bool> truths;
  for (const Token& token : tokens) {
    demand(token.op >= Op::column && token.op < Op::call, "an operation is unknown");
    if (token.op == Op::column) demand(token.arg >= 0 && token.arg < n_features, "a token asks no column");
    if (token.op == Op::constant) demand(token.value == token.value, "a constant is NaN");
    for (int i = 0; i < arity(token.op); ++i) {
      demand(!truths.empty() && truths.back() == takes_truth(token.op), "an operand is missing or of another kind");
      truths.pop_back();
    }
    truths.push_back(gives_truth(token.op));
    demand(truths.size() <= kMaxOperands, "too many operands wait");
  }
  demand(truths.size() == 1 && truths[0], "an expression is not one truth value");
}

inline void demand_test(const TestTable& tests, std::size_t i, std::int32_t n_features, std::int32_t n_branches) {
  const TestKind kind = tests.kind[i];
  demand(kind >= TestKind::threshold && kind <= TestKind::expression, "a test is of no kind");
  if (kind == TestKind::expression) return demand_expression(tests.tokens(i), n_features);
  demand(tests.feature[i] >= 0 && tests.feature[i] < n_features, "a test asks no column");
  if (kind == TestKind::threshold) demand(tests.threshold[i] == tests.threshold[i], "a threshold is NaN");
  std::int64_t before = -1;
  for (std::int64_t c = tests.code_lists.begin(i); c < tests.code_lists.end(i); before = tests.code[c++]) {
    demand(tests.code[c] > before, "codes do not ascend");
    demand(tests.branch[c] >= 0 && tests.branch[c] < n_branches, "a code has no branch");
  }
  const std::int64_t begin = tests.cut_lists.begin(i), end = tests.cut_lists.end(i);
  for (std::int64_t c = begin; c < end; ++c) {
    demand(tests.cut[c] == tests.cut[c] && (c == begin || tests.cut[c] > tests.cut[c - 1]), "cuts do not ascend");
  }
  if (begin == end) return;
  demand(tests.code_lists.length(i) == 0, "a test has codes and cuts");
  demand(end - begin == n_branches - 1, "cuts do not fit the branches");
}

/// What a node predicts where that is not its value.
inline void demand_answer(const Tree& tree, std::size_t node) {
  if (tree.answer.empty()) return;
  double most = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < tree.n_outputs(); ++k) {
    const double v = tree.answer.at(node * tree.n_outputs() + k);
    demand(tree.n_classes == 0 ? std::isfinite(v) : is_amount(v), "an answer is no share, or not finite");
    most = std::max(most, v);
    sum += v;
  }
  demand(tree.n_classes == 0 || (most > 0.0 && std::isfinite(sum)), "an answer has no share");
}

inline void demand_counts(const Tree& tree, std::size_t node) {
  double sum = 0.0;
  for (std::size_t k = 0; k < tree.n_outputs(); ++k) {
    const double v = tree.value[node * tree.n_outputs() + k];
    demand(std::isfinite(v) && (v >= 0.0 || tree.n_classes == 0), "a value is no weight, or not finite");
    sum += v;
  }
  demand(std::isfinite(sum), "values have no sum");
  demand_answer(tree, node);
  demand(is_amount(tree.weight(node)), "a weight is none");
  const double impurity = tree.impurity(node), gain = tree.gain[node], risk = tree.risk(node);
  demand(impurity == impurity && gain == gain && risk == risk, "impurity, gain or risk is NaN");
}

inline void demand_tree(const Tree& tree) {
  demand(tree.n_nodes() > 0 && tree.n_classes <= kMostClasses, "no nodes, or too many classes");
  for (const double cost : tree.cost) demand(is_amount(cost), "a cost is none");
  std::vector<int> n_parents(tree.n_nodes(), 0);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    demand_counts(tree, node);
    if (tree.tests.kind[node] == TestKind::leaf) {
      demand(tree.n_children[node] == 0, "a leaf has children");
      continue;
    }
    const std::int32_t n = tree.n_children[node];
    demand(n > 0 && tree.first_child[node] > static_cast<NodeId>(node), "a node has no children behind it");
    for (std::int32_t c = 0; c < n; ++c) ++n_parents.at(static_cast<std::size_t>(tree.first_child[node] + c));
    demand(tree.default_branch[node] >= 0 && tree.default_branch[node] < n, "a default branch is none");
    demand_test(tree.tests, node, tree.n_features, n);
    for (std::int64_t s = tree.surrogates.lists.begin(node); s < tree.surrogates.lists.end(node); ++s) {
      demand_test(tree.surrogates.tests, s, tree.n_features, n);
      demand(tree.surrogates.reversed[s] == 0 || n == 2, "a surrogate is reversed");
      demand(!std::isnan(tree.surrogates.agreement[s]) && !std::isnan(tree.surrogates.adjusted[s]), "agreement is NaN");
    }
  }
  for (std::size_t node = 0; node < tree.n_nodes(); ++node)
    demand(n_parents[node] == (node > 0 ? 1 : 0), "a node has no parent, or several");
}

}  // namespace spinney_fuzz
