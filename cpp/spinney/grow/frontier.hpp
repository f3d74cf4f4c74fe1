#pragma once
// The open nodes: depth first (a stack), or the one that gains most first (a heap).

#include <algorithm>
#include <vector>

#include "spinney/grow/constraints.hpp"
#include "spinney/grow/stats.hpp"

namespace spinney {

/// How many divisions, one after the other, left nearly all rows on one side.
class Lopsided {
 public:
  Lopsided below(std::size_t n_rows, std::size_t n_child) const {
    Lopsided child;
    if (n_child * 8 > n_rows * 7) child.count_ = count_ + 1;
    return child;
  }
  /// Whether to expect as many more.
  bool goes_on() const { return count_ >= 32; }

 private:
  std::uint32_t count_ = 0;
};

/// A leaf that will be divided by the split found for it.
template <class Rows>
struct OpenNode {
  NodeId id = 0;
  Origin origin;
  Rows rows;
  ColumnList columns;
  Totals totals;
  Numbers answer, units;
  Split split;
  std::vector<RowIndex> validation;  // rows set aside that reach this node
  NodeId forced = kNoNode;           // its place in the tree of forced tests; none: outside of it
  bool first = false;                // its test is forced: no gain of another node comes before it
  bool few = false;                  // its subtree is grown by itself; it has no split yet
  bool lone = false;                 // the same, as one column is left
  Lopsided lopsided = {};            // the divisions above it
};

/// Nodes have a split, and a number that says which came first; some go before all others.
template <class Node>
class Frontier {
 public:
  explicit Frontier(bool best_first) : best_first_(best_first) {}
  bool best_first() const { return best_first_; }
  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }
  void push(Node&& node) {
    nodes_.push_back(std::move(node));
    if (best_first_) std::push_heap(nodes_.begin(), nodes_.end(), gains_less);
  }
  Node pop() {
    if (best_first_) std::pop_heap(nodes_.begin(), nodes_.end(), gains_less);
    Node node = std::move(nodes_.back());
    nodes_.pop_back();
    return node;
  }

 private:
  static bool gains_less(const Node& a, const Node& b) {
    if constexpr (requires { a.first; }) {
      if (a.first != b.first) return b.first;
    }
    return a.split.drop != b.split.drop ? a.split.drop < b.split.drop : a.id > b.id;
  }
  bool best_first_;
  std::vector<Node> nodes_;
};

}  // namespace spinney
