#include "spinney/tree/packed.hpp"

#include <algorithm>

namespace spinney {

namespace {

bool can_be_packed(const Tree& tree) {
  if (tree.missing == MissingRule::fractional || tree.surrogates.tests.size() > 0) return false;
  return std::all_of(tree.tests.kind.begin(), tree.tests.kind.end(),
                     [](TestKind kind) { return kind == TestKind::leaf || kind == TestKind::threshold; });
}

/// An array without what it does not need.
template <class T>
std::vector<T> copy_of(const std::vector<T>& array) {
  return {array.begin(), array.end()};
}

}  // namespace

PackedTree::PackedTree() {
  static const auto kNothing = std::make_shared<const Tree>();
  whole_ = kNothing;
}

PackedTree::PackedTree(const Tree& tree) {
  if (!pack(tree)) whole_ = std::make_shared<const Tree>(tree);
}

PackedTree::PackedTree(Tree&& tree) {
  if (!pack(tree)) whole_ = std::make_shared<const Tree>(std::move(tree));
}

bool PackedTree::pack(const Tree& tree) {
  arrays_.nodes = route_nodes(tree);
  const auto n = static_cast<NodeId>(tree.n_nodes());
  label_.resize(tree.n_classes > 0 ? tree.n_nodes() : 0);
  for (std::size_t node = 0; node < label_.size(); ++node)
    label_[node] = static_cast<std::uint16_t>(tree.label(static_cast<NodeId>(node)));
  if (!can_be_packed(tree)) return false;
  whole_ = std::make_shared<const Tree>(empty_like(tree));
  arrays_.default_branch =
      tree.default_branch.visit([](const auto& kept) { return std::vector<std::uint8_t>(kept.begin(), kept.end()); });
  arrays_.n_samples = copy_of(tree.n_samples);
  arrays_.impurity = of_nodes(tree, &Tree::impurity);
  arrays_.gain.reserve(tree.n_nodes() / 2);
  for (NodeId node = 0; node < n; ++node) {
    if (!tree.is_leaf(node)) arrays_.gain.push_back(tree.gain[node]);
  }
  const bool small = std::all_of(tree.value.begin(), tree.value.end(),
                                 [](double v) { return static_cast<double>(static_cast<float>(v)) == v; });
  if (small) {
    arrays_.small_value.assign(tree.value.begin(), tree.value.end());
  } else {
    arrays_.value = copy_of(tree.value);
  }
  bool weight_told = tree.n_classes > 0, risk_told = tree.n_classes > 0;
  for (NodeId node = 0; node < n && (weight_told || risk_told); ++node) {
    weight_told = weight_told && same_bits(tree.weight(node), tree.told_weight(node));
    risk_told = risk_told && same_bits(tree.risk(node), tree.told_risk(node));
  }
  if (!weight_told) arrays_.weight = of_nodes(tree, &Tree::weight);
  if (!risk_told) arrays_.risk = of_nodes(tree, &Tree::risk);
  return true;
}

PackedTree::PackedTree(std::shared_ptr<const Tree> like, PackedArrays arrays)
    : whole_(std::move(like)), arrays_(std::move(arrays)) {
  if (whole_->n_classes == 0) return;
  const std::size_t n = n_nodes(), k = n_outputs();
  std::vector<double> weights(k);
  label_.resize(n);
  for (std::size_t node = 0; node < n; ++node) {
    for (std::size_t c = 0; c < k; ++c) weights[c] = value(static_cast<NodeId>(node), c);
    label_[node] = static_cast<std::uint16_t>(whole_->cheapest(weights.data()));
  }
}

namespace {

constexpr double kLargest = 1e300;  // sums of a few are finite

template <class T, class Fits>
bool all_fit(const std::vector<T>& values, const Fits& fits) {
  bool all = true;  // no way out: the loop is as wide as the machine
  for (const T v : values) all &= fits(v);
  return all;
}

}  // namespace

bool PackedTree::is_sound() const {
  const auto n = static_cast<NodeId>(n_nodes());
  const auto known = [](double v) { return v == v; };
  const auto value = [low = whole_->n_classes > 0 ? 0.0 : -kLargest](double v) { return v >= low && v <= kLargest; };
  if (whole_->n_classes > kMostClasses) return false;
  if (!all_fit(arrays_.small_value, value) || !all_fit(arrays_.value, value) ||
      !all_fit(arrays_.weight, [](double v) { return v >= 0.0 && v <= kLargest; }) ||
      !all_fit(arrays_.impurity, known) || !all_fit(arrays_.gain, known) || !all_fit(arrays_.risk, known))
    return false;
  std::vector<std::uint8_t> owned(static_cast<std::size_t>(n), 0);
  NodeId n_children = 0;
  for (NodeId node = 0; node < n; ++node) {
    const RouteNode& at = arrays_.nodes[node];
    if (at.child == node) continue;
    if (at.child < node || at.child >= n - 1 || owned[at.child] || owned[at.child + 1]) return false;
    owned[at.child] = owned[at.child + 1] = 1;
    n_children += 2;
    if (at.feature < 0 || at.feature >= whole_->n_features || at.threshold != at.threshold) return false;
    if (arrays_.default_branch[node] > 1) return false;
  }
  return n_children == n - 1;
}

Tree PackedTree::unpack() const {
  if (!is_packed()) return *whole_;
  Tree tree = empty_like(*whole_);
  const auto n = static_cast<NodeId>(n_nodes());
  tree.parent.assign(n, kNoNode);
  tree.default_branch = NarrowNumbers(arrays_.default_branch);
  tree.n_samples = arrays_.n_samples;
  tree.kept_impurity = arrays_.impurity;
  tree.value = arrays_.value;
  if (arrays_.value.empty()) tree.value.assign(arrays_.small_value.begin(), arrays_.small_value.end());
  tree.kept_weight = NarrowReals(arrays_.weight);
  tree.kept_risk = NarrowReals(arrays_.risk);
  tree.tests.kind.assign(n, TestKind::leaf);
  tree.tests.feature.assign(n, -1);
  tree.tests.threshold.assign(n, kNaN);
  for (Lists* lists : {&tree.tests.code_lists, &tree.tests.cut_lists, &tree.tests.token_lists, &tree.surrogates.lists})
    *lists = Lists(static_cast<std::size_t>(n));
  tree.first_child.assign(n, kNoNode);
  tree.n_children.assign_zeros(n);
  tree.gain.assign(n, 0.0);
  std::size_t n_divided = 0;
  for (NodeId node = 0; node < n; ++node) {
    if (is_leaf(node)) continue;
    const RouteNode& from = arrays_.nodes[node];
    tree.tests.kind[node] = TestKind::threshold;
    tree.tests.feature[node] = from.feature;
    tree.tests.threshold[node] = from.threshold;
    tree.first_child[node] = from.child;
    tree.n_children.set(node, 2);
    tree.gain[node] = arrays_.gain[n_divided++];
    tree.parent[from.child] = tree.parent[from.child + 1] = node;
  }
  return tree;
}

NodeId PackedTree::next(NodeId node, const Matrix& x, std::size_t row) const {
  if (!is_packed()) return next_node(*whole_, node, x, row);
  const RouteNode& from = arrays_.nodes[node];
  const double value = x.at(row, from.feature);
  const bool right = value == value ? value > from.threshold : arrays_.default_branch[node] == 1;
  return from.child + (right ? 1 : 0);
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
