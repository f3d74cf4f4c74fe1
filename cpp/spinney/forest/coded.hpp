#pragma once
// A forest of threshold tests for many rows: every value of a row is turned once into its rank among the thresholds
// of its column, and the trees compare small whole numbers instead of doubles.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/tree/packed.hpp"

namespace spinney {

class CodedForest {
 public:
  /// Nothing if some tree is not packed, or a column has too many of them.
  static std::optional<CodedForest> of(std::span<const PackedTree* const> trees, std::size_t n_columns);

  /// The ranks of rows begin .. end - 1, in groups of rows that go down side by side, column by column; whole[i] is 0
  /// for a row with a missing value.
  void encode(const Matrix& x, std::size_t begin, std::size_t end, std::vector<std::uint16_t>& codes,
              std::vector<std::uint8_t>& whole) const;
  /// leaf[i] of tree t for the rows encoded.
  void route(std::size_t t, std::span<const std::uint16_t> codes, std::size_t n_rows, NodeId* leaf) const;

 private:
  struct Node {  // a leaf leads back to itself
    std::uint16_t code;
    std::uint16_t column;  // where its ranks begin in a group
    std::uint32_t child;   // counted from the root of its tree
  };
  std::size_t n_columns_ = 0;
  std::vector<std::vector<double>> thresholds_;  // by column, ascending
  std::vector<Node> nodes_;
  std::vector<std::size_t> root_;
};

}  // namespace spinney
