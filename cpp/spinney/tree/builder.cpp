#include "spinney/tree/builder.hpp"

namespace spinney {

TreeBuilder TreeBuilder::from(const Tree& tree) {
  TreeBuilder builder(tree);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    builder.tests_.push_back(tree.tests.get(node));
    auto& surrogates = builder.surrogates_.emplace_back();
    for (std::int64_t s = tree.surrogates.begin[node]; s < tree.surrogates.begin[node + 1]; ++s) {
      surrogates.push_back(tree.surrogates.get(s));
    }
  }
  builder.tree_.tests = {};
  builder.tree_.surrogates = {};
  return builder;
}

NodeId TreeBuilder::add_node(NodeId parent, const NodeStats& stats) {
  const auto id = static_cast<NodeId>(tree_.n_nodes());
  tree_.first_child.push_back(kNoNode);
  tree_.n_children.push_back(0);
  tree_.parent.push_back(parent);
  tree_.default_branch.push_back(0);
  tree_.value.insert(tree_.value.end(), stats.value.begin(), stats.value.end());
  tree_.weight.push_back(stats.weight);
  tree_.impurity.push_back(stats.impurity);
  tree_.gain.push_back(0.0);
  tree_.risk.push_back(stats.risk);
  tree_.n_samples.push_back(stats.n_samples);
  tests_.emplace_back();
  surrogates_.emplace_back();
  return id;
}

NodeId TreeBuilder::divide(NodeId node, Division division, std::span<const NodeStats> children) {
  const auto first = static_cast<NodeId>(tree_.n_nodes());
  for (const NodeStats& child : children) add_node(node, child);
  tree_.first_child[node] = first;
  tree_.n_children[node] = static_cast<std::int32_t>(children.size());
  tree_.default_branch[node] = division.default_branch;
  tree_.gain[node] = division.gain;
  tests_[node] = std::move(division.test);
  surrogates_[node] = std::move(division.surrogates);
  return first;
}

Tree TreeBuilder::finish() && {
  for (std::size_t node = 0; node < tests_.size(); ++node) {
    tree_.tests.append(tests_[node]);
    for (const Surrogate& surrogate : surrogates_[node]) tree_.surrogates.append(surrogate);
    tree_.surrogates.close_node();
  }
  return std::move(tree_);
}

}  // namespace spinney
