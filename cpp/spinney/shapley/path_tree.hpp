#pragma once
// A tree as Shapley values need it: nodes in the order of a walk down every path, each with the share of its parent's
// weight, and what the leaves add to the answer of the model.

#include <span>
#include <vector>

#include "spinney/shapley/players.hpp"

namespace spinney {

/// What the leaves of a tree count in a model, as Forest::add_answers does it: class shares or votes, or the number,
/// times a weight. Groups are those of regrouped targets.
struct LeafRule {
  bool vote = false;
  double weight = 1.0;
  std::span<const std::int32_t> groups = {};
};

struct PathNode {
  double threshold = kNaN;  // of a threshold test
  double share = 1.0;       // of the weight of its parent's children
  NodeId node = 0;          // of the tree
  FeatureIndex feature = -1;
  std::int32_t player = kNoPlayer;  // of its test
  std::int32_t depth = 0;
  std::int32_t branch = 0;   // among its parent's children
  std::int32_t n_below = 0;  // nodes below it, which follow it; 0 in a leaf
  std::int32_t leaf = 0;     // place among the leaves
  bool is_threshold = false;
};

class PathTree {
 public:
  /// The tree outlives it. n_outputs: those of the model.
  PathTree(const Tree& tree, const LeafRule& rule, std::size_t n_outputs);

  const Tree& tree() const { return tree_; }
  const Players& players() const { return players_; }
  std::span<const PathNode> nodes() const { return nodes_; }
  std::size_t n_outputs() const { return n_outputs_; }
  /// How many of the outputs are worth working out: if they always add up to the weight, the last follows.
  std::size_t n_worked_out() const { return adds_up_ ? n_outputs_ - 1 : n_outputs_; }
  bool adds_up() const { return adds_up_; }
  std::size_t depth() const { return depth_; }
  /// The most players that speak on one path.
  std::size_t most_players() const { return most_players_; }
  /// What a leaf adds to the outputs.
  const double* values(const PathNode& leaf) const { return values_.data() + leaf.leaf * n_outputs_; }
  const double* values(NodeId leaf) const { return values_.data() + leaf_of_[leaf] * n_outputs_; }
  double share(NodeId node) const { return share_[node]; }
  /// The mean answer, leaves by their shares, added to out.
  void add_expected(double* out) const;

 private:
  void set_shares();
  void set_nodes();
  void set_most_players();
  void set_values(const LeafRule& rule);

  const Tree& tree_;
  Players players_;
  std::size_t n_outputs_, depth_ = 0, most_players_ = 0;
  bool adds_up_;
  std::vector<double> share_;  // by node of the tree
  std::vector<PathNode> nodes_;
  std::vector<std::int32_t> leaf_of_;  // by node of the tree
  std::vector<double> values_;         // n_outputs_ a leaf
};

}  // namespace spinney
