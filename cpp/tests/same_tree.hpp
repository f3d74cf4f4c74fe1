#pragma once
// Whether two trees are the same in every array, to the last bit.

#include <vector>

#include "spinney/tree/tree.hpp"

namespace problem {

inline bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = spinney::same_bits(a[i], b[i]);
  return same;
}

inline bool same_tests(const spinney::TestTable& a, const spinney::TestTable& b) {
  bool same = a.kind == b.kind && a.feature == b.feature && same_numbers(a.threshold, b.threshold) &&
              a.code == b.code && a.branch == b.branch && same_numbers(a.cut, b.cut);
  for (std::size_t i = 0; same && i < a.size(); ++i) same = a.get(i).codes == b.get(i).codes;
  return same;
}

inline bool same_tree(const spinney::Tree& a, const spinney::Tree& b) {
  using spinney::Tree;
  bool same = a.n_features == b.n_features && a.n_classes == b.n_classes && a.missing == b.missing &&
              a.n_nodes() == b.n_nodes() && same_numbers(a.cost, b.cost) && same_tests(a.tests, b.tests) &&
              a.first_child == b.first_child && a.n_children == b.n_children && a.parent == b.parent &&
              a.default_branch == b.default_branch && same_numbers(a.value, b.value) &&
              same_numbers(a.answer, b.answer) && a.monotone == b.monotone && same_numbers(a.gain, b.gain) &&
              a.n_samples == b.n_samples && same_tests(a.surrogates.tests, b.surrogates.tests) &&
              a.surrogates.reversed == b.surrogates.reversed &&
              same_numbers(a.surrogates.agreement, b.surrogates.agreement) &&
              same_numbers(a.surrogates.adjusted, b.surrogates.adjusted);
  for (std::size_t node = 0; same && node < a.n_nodes(); ++node)
    same = a.surrogates.lists.end(node) == b.surrogates.lists.end(node);
  for (const auto number : {&Tree::weight, &Tree::impurity, &Tree::risk})
    same = same && same_numbers(of_nodes(a, number), of_nodes(b, number));
  return same;
}

}  // namespace problem
