#pragma once
// A tree in less room, for forests: the same tree again when it is unpacked, to the last bit. What follows from the
// rest is left out, and whole numbers are kept small.

#include <cstdint>
#include <vector>

#include "spinney/tree/route.hpp"

namespace spinney {

class PackedTree {
 public:
  PackedTree() = default;
  explicit PackedTree(const Tree& tree);
  /// Whether the tree was packed: only threshold tests without stand-ins are. Others are kept as they are.
  bool is_packed() const { return whole_.n_nodes() == 0; }
  Tree unpack() const;
  /// The same into a new tree, or one that a packed tree was unpacked into before: its memory is used again.
  void unpack_into(Tree& tree) const;

  std::size_t n_nodes() const { return nodes_.size(); }
  std::int32_t n_classes() const { return whole_.n_classes; }
  std::int32_t n_features() const { return whole_.n_features; }
  std::size_t n_outputs() const { return whole_.n_outputs(); }
  bool is_fractional() const { return whole_.missing == MissingRule::fractional; }
  const RouteNode* nodes() const { return nodes_.data(); }
  /// The tree itself if it is not packed.
  const Tree& tree() const { return whole_; }

  bool is_leaf(NodeId node) const { return nodes_[node].child == node; }
  /// The leaf of a row, step by step.
  NodeId walk(NodeId node, const Matrix& x, std::size_t row) const;
  /// The label of a node; classes only.
  ClassCode label(NodeId node) const { return label_[node]; }
  double value(NodeId node, std::size_t output) const {
    const std::size_t place = static_cast<std::size_t>(node) * n_outputs() + output;
    if (!is_packed()) return whole_.value[place];
    return value_.empty() ? static_cast<double>(small_value_[place]) : value_[place];
  }
  /// Adds the class shares of a node, or its mean, times a weight.
  void add_answer(NodeId node, double weight, double* out) const;

 private:
  Tree whole_;  // without nodes if they are packed
  std::vector<RouteNode> nodes_;
  std::vector<std::uint8_t> default_branch_;
  std::vector<std::uint16_t> label_;
  std::vector<float> small_value_;                        // where no value loses anything by it
  std::vector<double> value_, weight_, impurity_, risk_;  // weight and risk are empty if values tell them
  std::vector<double> gain_;                              // of the nodes that are no leaves
  std::vector<std::uint32_t> n_samples_;
};

}  // namespace spinney
