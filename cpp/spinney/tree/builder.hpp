#pragma once
// How trees are built. Growers and tests add leaves and divide them; finish() packs the arrays.

#include <map>
#include <span>
#include <vector>

#include "spinney/numbers.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// What a node knows of the rows that reached it.
struct NodeStats {
  Numbers value;  // class weights, or the mean
  double weight = 0.0, impurity = 0.0, risk = 0.0;
  std::int64_t n_samples = 0;
  Numbers answer = {};  // class shares, or the number; empty: the node answers with its value
  const Numbers& predicted() const { return answer.empty() ? value : answer; }
};

/// How a node is divided.
struct Division {
  Test test;
  double gain = 0.0;
  std::vector<Surrogate> surrogates;
  std::int32_t default_branch = 0;
};

NodeStats stats_of(const Tree& tree, NodeId node);
Division division_of(const Tree& tree, NodeId node);
/// Puts what a node knows in place of what a finished tree has there.
void set_stats(Tree& tree, NodeId node, const NodeStats& stats);

class TreeBuilder {
 public:
  explicit TreeBuilder(Tree empty) : tree_(std::move(empty)) {}
  /// Goes on from a finished tree.
  static TreeBuilder from(const Tree& tree);

  NodeId add_root(const NodeStats& stats) { return add_node(kNoNode, stats); }
  /// Turns a leaf into a test with the given children; returns the first child.
  NodeId divide(NodeId node, Division division, std::span<const NodeStats> children);
  /// The threshold of a test that was divided without one.
  void set_threshold(NodeId node, double threshold) { tree_.tests.threshold[node] = threshold; }
  /// Hangs a tree in place of a leaf; the leaf keeps what it knows. Returns the number of the tree's second node, after
  /// which its others follow in their order.
  NodeId append(NodeId leaf, const Tree& subtree);
  Tree finish() &&;

 private:
  NodeId add_node(NodeId parent, const NodeStats& stats);

  void set_division(NodeId node, Division&& division, NodeId first_child, std::int32_t n_children);
  void set_test(NodeId node, Test&& test);

  Tree tree_;                                           // its tests have their offsets from finish()
  std::map<NodeId, Test> listed_;                       // tests with categories, cuts or tokens
  std::map<NodeId, std::vector<Surrogate>> stand_ins_;  // of nodes that have any
};

/// A tree that was grown below a leaf of another one.
struct Subtree {
  NodeId leaf = kNoNode;
  Tree tree;
};

/// The whole of which `top` is the upper part, numbered as if one grower had grown it depth first, left before right.
/// start, if given, is the tree from whose leaves growth went on: its nodes keep their numbers.
Tree join_subtrees(const Tree& top, const Tree* start, std::span<const Subtree> subtrees);

}  // namespace spinney
