#pragma once
// Columns in bins: a numeric column is cut into bins of about equally many rows, a nominal one keeps its codes.
//
//   borders   the smallest and the largest value of every bin: a function of the values alone, not of their order,
//             so that they can be found once and given to all who hold some of the rows
//   code      the bin of a row in a column; the bin after the last holds the rows without a value
//   cut       between two bins: halfway from the largest value of the lower to the smallest of the upper

#include <span>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/interrupt.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

inline constexpr std::size_t kMostBins = 65535;  // codes have 16 bits, and one of them says that the value is missing

/// The bins of every column, as plain arrays.
struct BinBorders {
  std::vector<std::uint8_t> nominal;  // by column: bins are categories
  std::vector<std::uint32_t> n_bins;  // by column: those with a value; 0 in a column that nobody asks
  std::vector<std::uint64_t> first;   // by column, and one more: where its bins are in low and high
  std::vector<double> low, high;      // of the bins of numeric columns

  std::size_t n_columns() const { return n_bins.size(); }
  std::span<const double> lows(std::size_t f) const { return {low.data() + first[f], low.data() + first[f + 1]}; }
  std::span<const double> highs(std::size_t f) const { return {high.data() + first[f], high.data() + first[f + 1]}; }
  double cut(std::size_t f, std::size_t lower_bin, std::size_t upper_bin) const;
  /// What is wrong with the arrays, for who got them from elsewhere; empty if nothing is.
  const char* check(std::span<const Column> columns) const;
};

/// The rows of a table that take part, and the columns that are asked (ascending; empty: all).
struct BinInput {
  const Dataset& data;
  std::span<const RowIndex> rows;
  std::span<const FeatureIndex> features;
};

/// Exact: a column of at most max_bins values has a bin for each; otherwise a bin ends with the value at which it
/// has its share of the rows that are left.
BinBorders find_borders(const BinInput& input, std::size_t max_bins, ThreadTeam& team, Interrupt& interrupt);

/// Where the values of a part of the rows are among splitters that all parts have: buckets as in border_search.hpp.
/// Counts of all parts together tell which buckets a border of all rows falls into, and only those need be looked at.
struct DealtRows {
  static constexpr std::uint16_t kNoBucket = 65535;  // of a missing value, and of a row that takes no part
  std::vector<std::uint16_t> bucket;                 // by column and row
  std::vector<std::int64_t> count;                   // by column and bucket: 2 n + 1 for n splitters
};
/// splitters: by column, ascending without equals, at most kMostSplitters; nominal columns are passed over.
DealtRows deal_rows(const BinInput& input, const std::vector<std::vector<double>>& splitters, ThreadTeam& team,
                    Interrupt& interrupt);
/// The values in some buckets of each column, ascending. bucket: as of DealtRows; wanted: by column.
std::vector<std::vector<double>> take_dealt(const Dataset& data, const std::uint16_t* bucket,
                                            const std::vector<std::vector<std::uint16_t>>& wanted,
                                            Interrupt& interrupt);

/// The codes of some columns, row by row.
template <class Code>
struct CodeBlock {
  std::vector<FeatureIndex> columns;
  std::vector<Code> own;
  const Code* codes = nullptr;  // its own, or those of somebody else
  const Code* of(std::size_t row) const { return codes + row * columns.size(); }
};

/// Rows in bins, in the order in which they were given. Codes have 8 bits in the columns in which they fit.
class BinnedRows {
 public:
  BinnedRows(const BinInput& input, const BinBorders& borders, ThreadTeam& team, Interrupt& interrupt);
  /// The codes of all columns that were made before, and are kept elsewhere.
  BinnedRows(const BinBorders& borders, const std::uint8_t* narrow, const std::uint16_t* wide);
  BinnedRows(const BinnedRows&) = delete;
  BinnedRows& operator=(const BinnedRows&) = delete;

  const CodeBlock<std::uint8_t>& narrow() const { return narrow_; }
  const CodeBlock<std::uint16_t>& wide() const { return wide_; }
  /// The codes themselves, for who keeps them longer.
  CodeBlock<std::uint8_t> take_narrow() && { return std::move(narrow_); }
  CodeBlock<std::uint16_t> take_wide() && { return std::move(wide_); }
  /// The bin of a row in one column.
  std::size_t code(std::size_t row, std::size_t f) const {
    return place_[f].wide ? wide_.of(row)[place_[f].index] : narrow_.of(row)[place_[f].index];
  }
  /// Calls body(block, index): the codes of the column are block.of(row)[index].
  template <class Body>
  void with_column(std::size_t f, const Body& body) const {
    place_[f].wide ? body(wide_, place_[f].index) : body(narrow_, place_[f].index);
  }

 private:
  struct Place {
    bool wide;
    std::size_t index;
  };
  void place(std::span<const FeatureIndex> columns, const BinBorders& borders);

  std::vector<Place> place_;  // by column
  CodeBlock<std::uint8_t> narrow_;
  CodeBlock<std::uint16_t> wide_;
};

}  // namespace spinney
