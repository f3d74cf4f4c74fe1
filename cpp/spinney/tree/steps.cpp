#include "spinney/tree/steps.hpp"

#include <algorithm>

namespace spinney {

namespace {

constexpr std::int32_t kMostWords = 8;  // of categories that a test is divided by: with more it is a trap

}  // namespace

NodeId Traps::node_at(NodeId step) const {
  const auto found = std::lower_bound(traps_.begin(), traps_.end(), std::pair{step, NodeId{0}});
  return found == traps_.end() || found->first != step ? kNoNode : found->second;
}

void Traps::sort() { std::sort(traps_.begin(), traps_.end()); }

/// A test on one column, with all its branches.
struct Steps::Fan {
  Test test;
  NodeId first_child;
  std::int32_t default_branch;

  bool asks_categories() const { return test.kind != TestKind::threshold && test.cuts.empty(); }
  double cut(std::int32_t branch) const { return test.cuts.empty() ? test.threshold : test.cuts[branch]; }
};

void Steps::start(std::size_t n_nodes) {
  steps.assign(n_nodes, {});
  traps = {};
  has_bits = false;
}

void Steps::take(const Tree& tree) {
  start(tree.n_nodes());
  for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) take_node(tree, node);
  traps.sort();
}

void Steps::take(const PackedTree& tree) {
  if (!tree.is_packed()) return take(tree.tree());
  start(tree.n_nodes());
  for (NodeId node = 0; node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    const RouteNode& from = tree.nodes()[node];
    Step& step = steps[node];
    step.child = from.child;
    if (tree.is_leaf(node)) continue;
    step.ask = tree.default_branch(node) == 1 ? Ask::above_gap_high : Ask::above_gap_low;
    step.feature = from.feature;
    step.threshold = from.threshold;
  }
}

void Steps::take_node(const Tree& tree, NodeId node) {
  NodeId at = node;
  if (tree.is_leaf(node)) {
    steps[at].child = at;
    return;
  }
  const Fan fan{tree.tests.get(static_cast<std::size_t>(node)), tree.first_child[node], tree.default_branch[node]};
  const auto& codes = fan.test.codes;
  const bool large = !codes.empty() && codes.back().first >= kMostWords * kWordCategories;
  if (fan.test.kind == TestKind::expression || large) return set_trap(at, node);
  if (tree.surrogates.lists.length(static_cast<std::size_t>(node)) > 0) {
    const NodeId pair = add_pair();
    std::vector<std::int32_t> known;
    for (const auto& [code, branch] : codes) known.push_back(code);
    if (fan.asks_categories()) {
      ask_listed(fan.test.feature, at, known, false, pair);
    } else {
      steps[at] = {Ask::gap, fan.test.feature, pair};
    }
    set_trap(pair + 1, node);
    at = pair;
  }
  take_fan(fan, at, 0, tree.n_children[node]);
}

/// At a step, the part of a test that leads to its branches low .. high - 1.
void Steps::take_fan(const Fan& fan, NodeId at, std::int32_t low, std::int32_t high) {
  if (high - low == 1) {
    steps[at].child = fan.first_child + low;
    return;
  }
  const std::int32_t middle = low + (high - low) / 2;
  const bool both_are_children = high - low == 2;
  const NodeId child = both_are_children ? fan.first_child + low : add_pair();
  if (fan.asks_categories()) {
    ask_categories(fan, at, middle, child);
  } else {
    const Ask ask = fan.default_branch >= middle ? Ask::above_gap_high : Ask::above_gap_low;
    steps[at] = {ask, fan.test.feature, child, 0, fan.cut(middle - 1), 0};
  }
  if (both_are_children) return;
  take_fan(fan, child, low, middle);
  take_fan(fan, child + 1, middle, high);
}

/// Whether a category leads to branch middle or beyond. The others, and gaps, are on the side of the default branch.
void Steps::ask_categories(const Fan& fan, NodeId at, std::int32_t middle, NodeId child) {
  const bool list_second = fan.default_branch < middle;
  std::vector<std::int32_t> listed;
  for (const auto& [code, branch] : fan.test.codes) {
    if ((branch >= middle) == list_second) listed.push_back(code);
  }
  ask_listed(fan.test.feature, at, listed, list_second, child);
}

/// Sends listed categories one way and all others, and gaps, the other, word by word: those found in one word
/// need not be asked for in the next.
void Steps::ask_listed(FeatureIndex feature, NodeId at, const std::vector<std::int32_t>& listed, bool to_second,
                       NodeId child) {
  has_bits = true;
  for (std::size_t i = 0; i < listed.size() || i == 0;) {
    const std::int32_t word = listed.empty() ? 0 : listed[i] / kWordCategories;
    std::uint64_t bits = 0;
    for (; i < listed.size() && listed[i] / kWordCategories == word; ++i)
      bits |= std::uint64_t{2} << (listed[i] % kWordCategories);
    if (i >= listed.size()) {
      steps[at] = {Ask::category_in_word, feature, child, word, kInfinity, to_second ? bits : ~bits};
      return;
    }
    const NodeId pair = add_pair();
    steps[at] = {Ask::category_in_word, feature, pair, word, kInfinity, bits};
    steps[pair + 1].child = child + (to_second ? 1 : 0);
    at = pair;
  }
}

void Steps::set_trap(NodeId at, NodeId node) {
  steps[at].child = at;
  traps.add(at, node);
}

NodeId Steps::add_pair() {
  const auto at = static_cast<NodeId>(steps.size());
  steps.resize(steps.size() + 2);
  return at;
}

}  // namespace spinney
