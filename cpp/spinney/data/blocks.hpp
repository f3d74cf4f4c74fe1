#pragma once
// Blocks of neighbouring entries of sorted columns, by sample: their sums are found in a few passes over the samples in
// order, without jumping about in memory. For boosting, which searches the same columns with other weights.

#include <cstdint>
#include <vector>

#include "spinney/data/sorted.hpp"

namespace spinney {

/// Up to 256 blocks of `size` entries in each column.
struct BlockCodes {
  std::size_t n_columns = 0, n_samples = 0, size = 0;
  std::vector<std::uint8_t> code;  // column by column: the block that each sample is in

  static constexpr std::size_t kBlocks = 256;
  explicit BlockCodes(const SortedColumns& sorted);
};

/// The weight of every block, and of its samples of the second class. Those of a block are added up in their order.
struct BlockSums {
  std::size_t size = 0;  // entries in a block
  std::vector<double> weight, ones;

  BlockSums() = default;
  BlockSums(const BlockCodes& codes, const Samples& samples);
};

}  // namespace spinney
