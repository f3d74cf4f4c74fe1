#pragma once
// A forest for many rows: every value of a row is turned once into a small whole number, and the trees compare those.
//
// Codes have 16 bits, so the trees are coded in *chunks*: one is closed before a column has more thresholds than there
// are ranks. Trees of 23,000 nodes on 20 columns fill a chunk with some 60. In memory a step takes 8 bytes (16 in
// trees that ask for categories), and a chunk mostly less than a megabyte a column, of thresholds and a table to find
// them by: together about half of what the packed trees take.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "spinney/forest/codes.hpp"
#include "spinney/interrupt.hpp"

namespace spinney {

class CodedForest {
 public:
  /// The codes of a block of rows, by chunk, each made when it is first asked for.
  struct Codes {
    std::vector<std::vector<std::uint16_t>> of_chunk;
    std::vector<std::uint8_t> made;
    /// Other rows come: the memory stays.
    void forget() { made.assign(made.size(), 0); }
  };

  CodedForest(std::span<const PackedTree* const> trees, std::size_t n_columns, Interrupt& interrupt);

  /// False for a tree that has more thresholds in one column than there are ranks.
  bool has(std::size_t t) const { return trees_[t].chunk != kNone; }
  std::size_t n_chunks() const { return chunks_.size(); }
  /// That the codes of a row take in all chunks.
  std::size_t bytes_a_row() const;
  /// leaf[i] of tree t for rows.begin + i. The tree itself is needed for steps that have no codes.
  void route(std::size_t t, const PackedTree& tree, const RowRange& rows, Codes& codes, NodeId* leaf) const;

 private:
  /// The step from a threshold, or from nothing: a leaf leads back to itself. One word, so that it is loaded once:
  ///
  ///   child, counted from the root of its tree | complement of the code | place of the codes it asks
  ///
  /// A code above its own, added to the complement, carries into the child.
  struct Node {
    std::uint64_t word;

    Node(std::uint16_t code, std::uint16_t place, NodeId child)
        : word(std::uint64_t{static_cast<std::uint32_t>(child)} << 32 | std::uint64_t{0xffffU - code} << 16 | place) {}
    /// From the codes of a row, the first of which are those of its lane.
    std::uint64_t next(const std::uint16_t* codes) const { return (word + (own(codes) << 16)) >> 32; }
    std::uint64_t own(const std::uint16_t* codes) const { return codes[(word & 0xffff) * (kLanes / kPlacesASlot)]; }
  };
  struct BitNode {  // the same, or from a word of categories
    Node node;
    std::uint64_t bits;

    std::uint64_t next(const std::uint16_t* codes) const {
      return node.next(codes) + (bits >> (node.own(codes) % 64) & 1);
    }
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct CodedTree {
    std::size_t chunk = kNone;
    std::size_t root = 0;  // in nodes_, or in bit_nodes_
    std::size_t n_steps = 0;
    bool has_bits = false;
    Traps traps;
  };
  void close_chunk(std::span<const PackedTree* const> trees, std::size_t first, std::size_t last);
  template <class AnyNode>
  void route_from(const CodedTree& coded, const AnyNode* nodes, const PackedTree& tree, const RowRange& rows,
                  const std::uint16_t* codes, NodeId* leaf) const;

  std::vector<CodeTable> chunks_;
  std::vector<CodedTree> trees_;
  std::vector<Node> nodes_;
  std::vector<BitNode> bit_nodes_;
};

}  // namespace spinney
