#pragma once
// Any tree as steps to one of two places, for machines that go down without asking what kind of test they meet.
//
// The first steps have the numbers of the tree's nodes, so that a leaf is found by its own number. Behind them stand
// steps that the tree has not: a test with many branches is several tests of two, and a test with surrogates first
// asks whether its own value is there:
//
//   node 3: x in {a, b} | {c} | {d}, else surrogates          3: is x one of a, b, c, d?
//                                                             |- no: trap of node 3
//                                                             '- yes: x in {c, d}?
//                                                                     |- no: its first child
//                                                                     '- yes: x in {d}? no: its second, yes: its third
//
// A *trap* leads back to itself, like a leaf: what is to be done at its node takes the tree itself.

#include <cstdint>
#include <utility>
#include <vector>

#include "spinney/tree/packed.hpp"

namespace spinney {

inline constexpr std::int32_t kWordCategories = 63;  // of a word of 64 bits; the first bit stands for all others

/// What a step asks of a row: with yes it goes to child + 1, with no to child.
enum class Ask : std::uint8_t {
  nothing,           // no: a leaf and a trap lead back to themselves, others on to another step
  above_gap_low,     // value > threshold? Of a gap: no
  above_gap_high,    // value > threshold? Of a gap: yes
  gap,               // is the value missing?
  category_in_word,  // is the bit of its category set? Of a gap and of categories of other words: bit 0
};

struct Step {
  Ask ask = Ask::nothing;
  FeatureIndex feature = 0;
  NodeId child = 0;
  std::int32_t word = 0;         // categories kWordCategories * word and on
  double threshold = kInfinity;  // nothing is above that of a step that asks something else
  std::uint64_t bits = 0;        // none if it does not ask for categories

  bool can_place(double) const { return true; }
  NodeId next(double value) const {
    const int above = value > threshold ? 1 : 0;
    const int gap = value != value && (ask == Ask::above_gap_high || ask == Ask::gap) ? 1 : 0;
    const double place = value - kWordCategories * word;
    const bool in_word = place >= 0.0 && place < kWordCategories;
    const int bit = static_cast<int>(in_word ? place : -1.0) + 1;
    return child + (above | gap | static_cast<int>(bits >> bit & 1));
  }
};

/// The steps of a tree that are traps.
class Traps {
 public:
  bool empty() const { return traps_.empty(); }
  /// The node of a trap; kNoNode for another step.
  NodeId node_at(NodeId step) const;
  void add(NodeId step, NodeId node) { traps_.emplace_back(step, node); }
  void sort();

 private:
  std::vector<std::pair<NodeId, NodeId>> traps_;  // (step, node), ascending
};

struct Steps {
  std::vector<Step> steps;
  Traps traps;
  bool has_bits = false;

  /// Makes them those of a tree.
  void take(const Tree& tree);
  void take(const PackedTree& tree);

 private:
  struct Fan;
  void start(std::size_t n_nodes);
  void take_node(const Tree& tree, NodeId node);
  void take_fan(const Fan& fan, NodeId at, std::int32_t low, std::int32_t high);
  void ask_categories(const Fan& fan, NodeId at, std::int32_t middle, NodeId child);
  void ask_listed(FeatureIndex feature, NodeId at, const std::vector<std::int32_t>& listed, bool to_second,
                  NodeId child);
  void set_trap(NodeId at, NodeId node);
  NodeId add_pair();
};

}  // namespace spinney
