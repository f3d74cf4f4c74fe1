#pragma once
// A tree in less room, for forests: the same tree again when it is unpacked, to the last bit. What follows from the
// rest is left out, and whole numbers are kept small.

#include <cstdint>
#include <memory>
#include <vector>

#include "spinney/tree/route.hpp"

namespace spinney {

/// The arrays of a packed tree.
struct PackedArrays {
  std::vector<RouteNode> nodes;
  std::vector<std::uint8_t> default_branch;
  std::vector<float> small_value;                     // where no value loses anything by it
  std::vector<double> value, weight, impurity, risk;  // weight and risk are empty if values tell them
  std::vector<double> gain;                           // of the nodes that are no leaves
  std::vector<std::uint32_t> n_samples;

  bool is_leaf(NodeId node) const { return nodes[node].child == node; }
};

class PackedTree {
 public:
  PackedTree();
  explicit PackedTree(const Tree& tree);
  explicit PackedTree(Tree&& tree);  // which is not copied if it cannot be packed
  /// From arrays; `like` has the columns, classes and costs, and no nodes. Many trees may share it.
  PackedTree(std::shared_ptr<const Tree> like, PackedArrays arrays);
  /// Whether the tree was packed: only threshold tests without stand-ins are. Others are kept as they are.
  bool is_packed() const { return whole_->n_nodes() == 0; }
  Tree unpack() const;

  std::size_t n_nodes() const { return arrays_.nodes.size(); }
  std::int32_t n_classes() const { return whole_->n_classes; }
  std::int32_t n_features() const { return whole_->n_features; }
  std::size_t n_outputs() const { return whole_->n_outputs(); }
  bool is_fractional() const { return whole_->missing == MissingRule::fractional; }
  const RouteNode* nodes() const { return arrays_.nodes.data(); }
  const PackedArrays& arrays() const { return arrays_; }
  /// Whether the arrays are certainly those of a tree. If not, Tree::check has the last word, and the words.
  bool is_sound() const;
  /// The tree itself if it is not packed; otherwise without nodes.
  const Tree& tree() const { return *whole_; }

  bool is_leaf(NodeId node) const {
    return is_packed() ? arrays_.is_leaf(node) : whole_->is_leaf(node);  // a test that is no threshold leads nowhere
  }
  std::int32_t default_branch(NodeId node) const {
    return is_packed() ? arrays_.default_branch[node] : whole_->default_branch[node];
  }
  /// The child that a row goes to, whole, from an inner node.
  NodeId next(NodeId node, const Matrix& x, std::size_t row) const;
  /// The label of a node; classes only.
  ClassCode label(NodeId node) const { return label_[node]; }
  double value(NodeId node, std::size_t output) const {
    const std::size_t place = static_cast<std::size_t>(node) * n_outputs() + output;
    if (!is_packed()) return whole_->value[place];
    return arrays_.value.empty() ? static_cast<double>(arrays_.small_value[place]) : arrays_.value[place];
  }
  /// Calls use(values) with those of all nodes, as n_outputs() numbers each, of the type that they are kept in.
  template <class Use>
  void with_values(const Use& use) const {
    if (!is_packed()) return use(whole_->value.data());
    if (arrays_.value.empty()) return use(arrays_.small_value.data());
    use(arrays_.value.data());
  }
  /// Adds the class shares of a node, or its mean, times a weight.
  void add_answer(NodeId node, double weight, double* out) const;

 private:
  /// Returns false if the tree needs to be kept as it is.
  bool pack(const Tree& tree);

  std::shared_ptr<const Tree> whole_;  // without nodes if they are packed
  PackedArrays arrays_;                // of a tree that is not packed the nodes only
  std::vector<std::uint16_t> label_;
};

}  // namespace spinney
