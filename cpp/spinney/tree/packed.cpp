#include "spinney/tree/packed.hpp"

#include <algorithm>

#include "spinney/objective/classes.hpp"

namespace spinney {

namespace {

bool can_be_packed(const Tree& tree) {
  if (tree.missing == MissingRule::fractional || tree.surrogates.tests.size() > 0) return false;
  return std::all_of(tree.tests.kind.begin(), tree.tests.kind.end(),
                     [](TestKind kind) { return kind == TestKind::leaf || kind == TestKind::threshold; });
}

/// A plain array of a tree as a packed one has it.
template <class F>
PackedArray<F> packed(const F& field, const Tree& tree) {
  const auto& array = field.in(tree);
  if (field.inner_only) {
    std::vector<typename F::Number> numbers;
    numbers.reserve(array.size() / 2);
    for (std::size_t node = 0; node < array.size(); ++node) {
      if (!tree.is_leaf(static_cast<NodeId>(node))) numbers.push_back(array[node]);
    }
    return PackedArray<F>(std::move(numbers));
  }
  if constexpr (requires { array.wide(); }) {
    return PackedArray<F>(array.wide());
  } else {
    return PackedArray<F>(array);
  }
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
  label_.resize(tree.n_classes > 0 ? tree.n_nodes() : 0);
  for (std::size_t node = 0; node < label_.size(); ++node)
    label_[node] = static_cast<std::uint16_t>(tree.label(static_cast<NodeId>(node)));
  if (!can_be_packed(tree)) return false;
  whole_ = std::make_shared<const Tree>(empty_like(tree));
  arrays_.default_branch =
      tree.default_branch.visit([](const auto& kept) { return std::vector<std::uint8_t>(kept.begin(), kept.end()); });
  for_each_field([&](const auto& field) {
    if (!field.follows(tree)) arrays_.of(field) = packed(field, tree);
  });
  return true;
}

PackedTree::PackedTree(std::shared_ptr<const Tree> like, PackedArrays arrays)
    : whole_(std::move(like)), arrays_(std::move(arrays)) {
  if (whole_->n_classes == 0) return;
  const Classes classes{.n = whole_->n_classes, .cost = whole_->cost};
  const std::size_t k = n_outputs();
  std::vector<double> shares(k);
  label_.resize(n_nodes());
  with_answers([&](const auto* answers) {
    for (std::uint16_t& label : label_) {
      std::copy_n(answers, k, shares.data());
      label = static_cast<std::uint16_t>(classes.cheapest(shares.data()));
      answers += k;
    }
  });
}

namespace {

constexpr double kLargest = 1e300;  // sums of a few are finite

template <class Numbers, class Fits>
bool all_fit(const Numbers& numbers, const Fits& fits) {
  bool all = true;  // no way out: the loop is as wide as the machine
  for (const auto v : numbers) all &= fits(v);
  return all;
}

/// Whether each node has a class share above 0.
bool have_shares(const PackedReals& answers, std::size_t k) {
  return answers.visit([k](const auto& shares) {
    bool all = true;
    for (std::size_t first = 0; first < shares.size(); first += k) {
      double sum = 0.0;
      for (std::size_t c = 0; c < k; ++c) sum += shares[first + c];
      all &= sum > 0.0;
    }
    return all;
  });
}

/// Whether an array certainly holds what it may.
bool is_sound_field(Holds holds, const PackedReals& array, const Tree& like) {
  const double low = holds == Holds::amounts || like.n_classes > 0 ? 0.0 : -kLargest;
  const bool fit = array.visit([&](const auto& numbers) {
    if (holds == Holds::known) return all_fit(numbers, [](double v) { return v == v; });
    return all_fit(numbers, [low](double v) { return v >= low && v <= kLargest; });
  });
  return fit && (holds != Holds::answers || like.n_classes == 0 || have_shares(array, like.n_outputs()));
}

/// Whether each node but the root is the child of one before it. Half of all nodes are leaves, and nobody could guess
/// which: that is not branched on.
bool is_sound_shape(const PackedArrays& arrays, std::int32_t n_features) {
  const auto n = static_cast<NodeId>(arrays.nodes.size());
  std::vector<std::uint8_t> owned(arrays.nodes.size() + 2, 0);
  bool sound = true;
  NodeId n_children = 0;
  for (NodeId node = 0; node < n; ++node) {
    const RouteNode& at = arrays.nodes[node];
    const bool inner = at.child != node;
    const bool fits = (at.child > node) & (at.child < n - 1) & (at.feature >= 0) & (at.feature < n_features) &
                      (at.threshold == at.threshold) & (arrays.default_branch[node] <= 1);
    std::uint8_t* const children = owned.data() + (inner & fits ? at.child : n);
    sound &= (!inner) | (fits & (children[0] + children[1] == 0));
    children[0] = children[1] = inner;
    n_children += inner ? 2 : 0;
  }
  return sound && n_children == n - 1;
}

}  // namespace

bool PackedTree::is_sound() const {
  if (whole_->n_classes > kMostClasses) return false;
  bool sound = true;
  for_each_field([&](const auto& field) {
    const auto& array = arrays_.of(field);
    if constexpr (std::is_same_v<decltype(array), const PackedReals&>)
      sound = sound && is_sound_field(field.holds, array, *whole_);
  });
  if (!sound) return false;
  return is_sound_shape(arrays_, whole_->n_features);
}

void PackedArrays::put_fields(Tree& tree) const {
  for_each_field([&](const auto& field) {
    using Array = typename std::remove_cvref_t<decltype(field)>::Array;
    const auto& array = of(field);
    if constexpr (std::is_same_v<decltype(array), const Array&>) {
      field.in(tree) = array;
    } else {
      field.in(tree) = Array(array.wide());
    }
  });
}

void PackedArrays::leave_out(const Tree& like) {
  bool stored = false;  // something that might be left out
  for_each_field([&](const auto& field) { stored = stored || (field.may_be_left_out(like) && !of(field).empty()); });
  if (!stored) return;
  Tree tree = empty_like(like);
  put_fields(tree);
  for_each_field([&](const auto& field) {
    if (field.follows(tree)) of(field) = {};
  });
}

Tree PackedTree::unpack() const {
  if (!is_packed()) return *whole_;
  Tree tree = empty_like(*whole_);
  const auto n = static_cast<NodeId>(n_nodes());
  tree.parent.assign(n, kNoNode);
  tree.default_branch = NarrowNumbers(arrays_.default_branch);
  arrays_.put_fields(tree);
  tree.tests.kind.assign(n, TestKind::leaf);
  tree.tests.feature.assign(n, -1);
  tree.tests.threshold.assign(n, kNaN);
  for (Lists* lists : {&tree.tests.code_lists, &tree.tests.cut_lists, &tree.tests.token_lists, &tree.surrogates.lists})
    *lists = Lists(static_cast<std::size_t>(n));
  tree.first_child.assign(n, kNoNode);
  tree.n_children.assign_zeros(n);
  for (NodeId node = 0; node < n; ++node) {
    if (is_leaf(node)) continue;
    const RouteNode& from = arrays_.nodes[node];
    tree.tests.kind[node] = TestKind::threshold;
    tree.tests.feature[node] = from.feature;
    tree.tests.threshold[node] = from.threshold;
    tree.first_child[node] = from.child;
    tree.n_children.set(node, 2);
    tree.parent[from.child] = tree.parent[from.child + 1] = node;
  }
  for_each_field([&](const auto& field) {
    if (field.inner_only)
      spread_inner(field.in(tree), n_nodes(), [&](std::size_t node) { return is_leaf(static_cast<NodeId>(node)); });
  });
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
    out[0] += weight * answer(node, 0);
    return;
  }
  const std::size_t k = n_outputs();
  double total = 0.0;
  for (std::size_t c = 0; c < k; ++c) total += answer(node, c);
  for (std::size_t c = 0; c < k; ++c)
    out[c] += weight * (total > 0.0 ? answer(node, c) / total : 1.0 / static_cast<double>(k));
}

}  // namespace spinney
