#pragma once
// A tree in less room, for forests: the same tree again when it is unpacked, to the last bit. What follows from the
// rest is left out, and whole numbers are kept small.

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "spinney/tree/fields.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

/// A plain array in a packed tree. One for inner nodes only has no entries of leaves.
template <class F>
using PackedArray = std::conditional_t<F::kWhole, std::vector<typename F::Number>, PackedReals>;
template <class Fields>
struct PackedArraysOf;
template <class... F>
struct PackedArraysOf<const std::tuple<F...>> {
  using Type = std::tuple<PackedArray<F>...>;
};

/// The arrays of a packed tree. What can be left out without loss is left out.
struct PackedArrays {
  std::vector<RouteNode> nodes;
  std::vector<std::uint8_t> default_branch;
  PackedArraysOf<decltype(kFields)>::Type fields;  // in the order of kFields

  bool is_leaf(NodeId node) const { return nodes[node].child == node; }
  /// One of them, such as of<&Tree::value>().
  template <auto kArray>
  const auto& of() const {
    return std::get<field_place<kArray>>(fields);
  }
  template <class F>
  auto& of(const F&) {
    return std::get<field_place<F::kMember>>(fields);
  }
  template <class F>
  const auto& of(const F&) const {
    return std::get<field_place<F::kMember>>(fields);
  }
  /// The plain arrays put into a tree that has no nodes; those of inner nodes only stay as they are.
  void put_fields(Tree& tree) const;
  /// Leaves out what can be.
  void leave_out(const Tree& like);
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
  /// What a node predicts: class shares, up to a factor, or the number.
  double answer(NodeId node, std::size_t output) const {
    if (!is_packed()) return whole_->answers(node)[output];
    const PackedReals& own = arrays_.of<&Tree::answer>();
    const PackedReals& answers = own.empty() ? arrays_.of<&Tree::value>() : own;
    return answers[static_cast<std::size_t>(node) * n_outputs() + output];
  }
  /// Calls use(answers) with those of all nodes, n_outputs() numbers each, of the type that they are kept in.
  template <class Use>
  void with_answers(const Use& use) const {
    if (!is_packed()) return use(whole_->answers(0));
    const PackedReals& own = arrays_.of<&Tree::answer>();
    (own.empty() ? arrays_.of<&Tree::value>() : own).visit([&](const auto& kept) { use(kept.data()); });
  }
  /// Adds the class shares of a node, or its number, times a weight.
  void add_answer(NodeId node, double weight, double* out) const;

 private:
  /// Returns false if the tree needs to be kept as it is.
  bool pack(const Tree& tree);

  std::shared_ptr<const Tree> whole_;  // without nodes if they are packed
  PackedArrays arrays_;                // of a tree that is not packed the nodes only
  std::vector<std::uint16_t> label_;
};

}  // namespace spinney
