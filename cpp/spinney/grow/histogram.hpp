#pragma once
// Histograms: what the rows of a node add up to in every bin of every column. A value: layout, sums, differences, and
// an array of integers that can be sent and saved.

#include <memory>
#include <span>
#include <vector>

#include "spinney/data/bins.hpp"
#include "spinney/grow/moments.hpp"

namespace spinney {

/// Where the numbers of a column's bins are. Columns that nobody asks have none.
struct HistogramLayout {
  std::vector<std::uint64_t> first;  // by column, and one more; the last bin of a column is that of missing values
  std::size_t width = 0;             // numbers a bin

  HistogramLayout() = default;
  HistogramLayout(const BinBorders& borders, std::span<const FeatureIndex> columns, std::size_t numbers_a_bin);
  std::size_t size() const { return first.empty() ? 0 : first.back(); }
  bool operator==(const HistogramLayout&) const = default;
};

using HistogramLayoutPtr = std::shared_ptr<const HistogramLayout>;

class Histogram {
 public:
  Histogram() = default;
  explicit Histogram(HistogramLayoutPtr layout) : layout_(std::move(layout)), numbers_(layout_->size(), 0) {}
  /// From an array that was saved: throws if it does not fit the layout.
  Histogram(HistogramLayoutPtr layout, std::vector<std::int64_t> numbers);

  Histogram& operator+=(const Histogram& other);
  /// What is left of a node when some of its rows are gone.
  Histogram& operator-=(const Histogram& other);

  bool empty() const { return numbers_.empty(); }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  std::vector<std::int64_t>& numbers() { return numbers_; }
  const HistogramLayout& layout() const { return *layout_; }
  const std::int64_t* bin(std::size_t f, std::size_t b) const {
    return numbers_.data() + layout_->first[f] + b * layout_->width;
  }

 private:
  void require_same_layout(const Histogram& other) const;

  HistogramLayoutPtr layout_;
  std::vector<std::int64_t> numbers_;
};

/// What rows add to a bin: classes with or without weights, or moments of numbers.
struct Terms {
  const std::uint16_t* label = nullptr;   // by row: the class; null: numbers
  const std::int64_t* weight = nullptr;   // by row, or by the row's code if there are any; null if all are equal
  std::size_t n_moments = 0;              // of numbers
  const std::int64_t* moments = nullptr;  // row by row
  const std::uint8_t* weight_code = nullptr;

  std::int64_t weight_of(std::uint32_t row) const { return weight[weight_code ? weight_code[row] : row]; }
};

/// Adds rows to a histogram, with memory of its own.
class Accumulator {
 public:
  void add(const BinnedRows& bins, const Terms& terms, std::span<const std::uint32_t> rows, Histogram& histogram);

 private:
  template <class Code>
  void add_block(const CodeBlock<Code>& block, const Terms& terms, std::span<const std::uint32_t> rows,
                 Histogram& histogram);

  std::vector<std::uint32_t> counts_;  // 32 bits hold the rows of one call
  std::vector<std::uint64_t> first_;   // by column of a block
};

}  // namespace spinney
