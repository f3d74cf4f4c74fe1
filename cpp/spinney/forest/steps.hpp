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
  FeatureIndex feature = -1;
  std::uint32_t child = 0;
  std::int32_t word = 0;  // categories kWordCategories * word and on
  double threshold = 0.0;
  std::uint64_t bits = 0;
};

struct Steps {
  std::vector<Step> steps;
  std::vector<std::pair<std::uint32_t, NodeId>> traps;  // (step, node), ascending
  bool has_bits = false;

  /// Makes them those of a tree.
  void take(const PackedTree& tree);

 private:
  struct Fan;
  void take_node(const Tree& tree, NodeId node);
  void take_fan(const Fan& fan, std::uint32_t at, std::int32_t low, std::int32_t high);
  void ask_categories(const Fan& fan, std::uint32_t at, std::int32_t middle, std::uint32_t child);
  void ask_listed(FeatureIndex feature, std::uint32_t at, const std::vector<std::int32_t>& listed, bool to_second,
                  std::uint32_t child);
  void set_trap(std::uint32_t at, NodeId node);
  std::uint32_t add_pair();
};

}  // namespace spinney
