#include "spinney/tree/packed.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/data/target.hpp"

namespace spinney {

namespace {

bool can_be_packed(const Tree& tree) {
  if (tree.missing == MissingRule::fractional || tree.surrogates.tests.size() > 0) return false;
  return std::all_of(tree.tests.kind.begin(), tree.tests.kind.end(),
                     [](TestKind kind) { return kind == TestKind::leaf || kind == TestKind::threshold; });
}

double sum_of(const Tree& tree, NodeId node) {
  const double* value = tree.values(node);
  return std::accumulate(value, value + tree.n_outputs(), 0.0);
}

double least_cost_of(const Tree& tree, NodeId node) {
  return least_cost(tree.cost, {tree.values(node), tree.n_outputs()});
}

/// An array without what it does not need.
template <class T>
std::vector<T> copy_of(const std::vector<T>& array) {
  return {array.begin(), array.end()};
}

}  // namespace

PackedTree::PackedTree(const Tree& tree) : nodes_(route_nodes(tree)) {
  const auto n = static_cast<NodeId>(tree.n_nodes());
  for (NodeId node = 0; tree.n_classes > 0 && node < n; ++node)
    label_.push_back(static_cast<std::uint16_t>(tree.label(node)));
  label_.shrink_to_fit();
  if (!can_be_packed(tree)) {
    whole_ = tree;
    return;
  }
  whole_ = empty_like(tree);
  default_branch_.assign(tree.default_branch.begin(), tree.default_branch.end());
  n_samples_.assign(tree.n_samples.begin(), tree.n_samples.end());
  impurity_ = copy_of(tree.impurity);
  gain_.reserve(tree.n_nodes() / 2);
  for (NodeId node = 0; node < n; ++node) {
    if (!tree.is_leaf(node)) gain_.push_back(tree.gain[node]);
  }
  const bool small = std::all_of(tree.value.begin(), tree.value.end(),
                                 [](double v) { return static_cast<double>(static_cast<float>(v)) == v; });
  if (small) {
    small_value_.assign(tree.value.begin(), tree.value.end());
  } else {
    value_ = copy_of(tree.value);
  }
  bool weight_told = tree.n_classes > 0, risk_told = tree.n_classes > 0;
  for (NodeId node = 0; node < n && (weight_told || risk_told); ++node) {
    weight_told = weight_told && tree.weight[node] == sum_of(tree, node);
    risk_told = risk_told && tree.risk[node] == least_cost_of(tree, node);
  }
  if (!weight_told) weight_ = copy_of(tree.weight);
  if (!risk_told) risk_ = copy_of(tree.risk);
}

Tree PackedTree::unpack() const {
  Tree tree;
  unpack_into(tree);
  return tree;
}

void PackedTree::unpack_into(Tree& tree) const {
  if (!is_packed()) {
    tree = whole_;
    return;
  }
  tree.n_features = whole_.n_features;
  tree.n_classes = whole_.n_classes;
  tree.missing = whole_.missing;
  tree.cost = whole_.cost;
  const auto n = static_cast<NodeId>(n_nodes());
  tree.parent.assign(n, kNoNode);
  tree.default_branch.assign(default_branch_.begin(), default_branch_.end());
  tree.n_samples.assign(n_samples_.begin(), n_samples_.end());
  tree.impurity = impurity_;
  tree.value = value_;
  if (value_.empty()) tree.value.assign(small_value_.begin(), small_value_.end());
  tree.weight = weight_;
  tree.risk = risk_;
  // Filled in place: a forest is unpacked whole when it is stored.
  tree.tests.kind.assign(n, TestKind::leaf);
  tree.tests.feature.assign(n, -1);
  tree.tests.threshold.assign(n, kNaN);
  for (auto* begin : {&tree.tests.code_begin, &tree.tests.cut_begin, &tree.tests.token_begin, &tree.surrogates.begin})
    begin->assign(n + std::size_t{1}, 0);
  tree.first_child.assign(n, kNoNode);
  tree.n_children.assign(n, 0);
  tree.gain.assign(n, 0.0);
  std::size_t n_divided = 0;
  for (NodeId node = 0; node < n; ++node) {
    if (is_leaf(node)) continue;
    const RouteNode& from = nodes_[node];
    tree.tests.kind[node] = TestKind::threshold;
    tree.tests.feature[node] = from.feature;
    tree.tests.threshold[node] = from.threshold;
    tree.first_child[node] = from.child;
    tree.n_children[node] = 2;
    tree.gain[node] = gain_[n_divided++];
    tree.parent[from.child] = tree.parent[from.child + 1] = node;
  }
  if (weight_.empty()) {
    tree.weight.resize(n);
    for (NodeId node = 0; node < n; ++node) tree.weight[node] = sum_of(tree, node);
  }
  if (risk_.empty()) {
    tree.risk.resize(n);
    for (NodeId node = 0; node < n; ++node) tree.risk[node] = least_cost_of(tree, node);
  }
}

NodeId PackedTree::walk(NodeId node, const Matrix& x, std::size_t row) const {
  if (!is_packed()) return spinney::walk(whole_, node, x, row);
  while (!is_leaf(node)) {
    const double value = x.at(row, nodes_[node].feature);
    const bool right = value == value ? value > nodes_[node].threshold : default_branch_[node] == 1;
    node = nodes_[node].child + (right ? 1 : 0);
  }
  return node;
}

void PackedTree::add_answer(NodeId node, double weight, double* out) const {
  if (n_classes() == 0) {
    out[0] += weight * value(node, 0);
    return;
  }
  const std::size_t k = n_outputs();
  double total = 0.0;
  for (std::size_t c = 0; c < k; ++c) total += value(node, c);
  for (std::size_t c = 0; c < k; ++c)
    out[c] += weight * (total > 0.0 ? value(node, c) / total : 1.0 / static_cast<double>(k));
}

}  // namespace spinney
