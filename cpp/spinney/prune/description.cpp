#include "spinney/prune/description.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spinney {

namespace {

double log2_gamma(double x) { return std::lgamma(x) / std::numbers::ln2; }

/// log2 of the number of ways to choose k of n places.
double log2_choices(double n, double k) {
  if (!(n > k)) return 0.0;
  return log2_gamma(n + 1.0) - log2_gamma(k + 1.0) - log2_gamma(n - k + 1.0);
}

double test_bits(const Tree& tree, std::size_t node) {
  const TestTable& tests = tree.tests;
  const double column = std::log2(static_cast<double>(std::max(tree.n_features, 1)));
  const double places = tree.weight(node) - 1.0;
  switch (tests.kind[node]) {
    case TestKind::leaf: return 0.0;
    case TestKind::threshold: return column + std::log2(std::max(1.0, places));
    case TestKind::subset: {
      const auto n_codes = static_cast<double>(tests.code_lists.length(node));
      return column + std::max(0.0, n_codes - 1.0);
    }
    case TestKind::expression: {
      const auto symbols = static_cast<double>(kOps + std::max(tree.n_features, 1));
      return static_cast<double>(tests.tokens(node).size()) * std::log2(symbols);
    }
    default: {
      const auto n_cuts = static_cast<double>(tests.cut_lists.length(node));
      const auto n_codes = static_cast<double>(tests.code_lists.length(node));
      const auto n_branches = static_cast<double>(tree.n_children[node]);
      if (n_cuts > 0.0) return column + std::log2(n_cuts) + log2_choices(places, n_cuts);
      return column + (n_codes > n_branches ? n_codes * std::log2(n_branches) : 0.0);
    }
  }
}

}  // namespace

Description describe(const Tree& tree) {
  Description bits;
  const auto k = static_cast<double>(tree.n_outputs());
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    bits.test.push_back(test_bits(tree, node));
    double classes = 0.0;
    if (tree.weight(node) > 0.0) {
      classes = log2_gamma(tree.weight(node) + k) - log2_gamma(k);
      for (std::size_t c = 0; c < tree.n_outputs(); ++c) {
        classes -= log2_gamma(tree.value[node * tree.n_outputs() + c] + 1.0);
      }
    }
    bits.classes.push_back(std::max(0.0, classes));
  }
  return bits;
}

std::vector<std::uint8_t> shortest(const Tree& tree) {
  const Description bits = describe(tree);
  std::vector<double> length(tree.n_nodes());
  std::vector<std::uint8_t> make_leaf(tree.n_nodes(), 0);
  for (std::size_t node = tree.n_nodes(); node-- > 0;) {
    const double as_leaf = 1.0 + bits.classes[node];
    double as_branch = 1.0 + bits.test[node];
    for (std::int32_t c = 0; c < tree.n_children[node]; ++c) as_branch += length[tree.first_child[node] + c];
    const bool leaf = tree.is_leaf(static_cast<NodeId>(node));
    make_leaf[node] = !leaf && as_leaf <= as_branch;
    length[node] = leaf || make_leaf[node] ? as_leaf : as_branch;
  }
  return make_leaf;
}

}  // namespace spinney
