#pragma once
// The search of one node by histograms: the best test of a column, and the best stand-in for a test.

#include <array>
#include <memory>
#include <optional>

#include "spinney/grow/choose.hpp"
#include "spinney/grow/histogram.hpp"
#include "spinney/splits/gaps.hpp"
#include "spinney/splits/surrogate.hpp"

namespace spinney {

/// The side of every bin of a test's column, the last that of missing values: unknown, as are categories that the test
/// does not list.
std::vector<std::uint8_t> sides_of_bins(const Test& test, const BinBorders& borders);

class BinSearch {
 public:
  BinSearch(const BinBorders& borders, const MomentLayout& layout, const Target& target, const GrowParams& params);

  /// Thresholds lie halfway between the values of neighbouring bins that hold rows.
  ColumnResult search(const Histogram& histogram, FeatureIndex feature, const Totals& node, const Limits& limits,
                      Scratch& scratch) const;
  /// The same of one division drawn at random: a threshold anywhere between the first and the last bin that hold rows,
  /// then moved halfway between its neighbouring bins; or a side for each category.
  ColumnResult draw(const Histogram& histogram, FeatureIndex feature, PathKey path, const Totals& node,
                    const Limits& limits, Scratch& scratch) const;
  /// Makes the cut that was found the best of those that keep the order of the limits.
  void reorder(const Histogram& histogram, const Totals& node, const Limits& limits, ColumnResult& result,
               Scratch& scratch) const;
  /// What a test sends left and right; rows without a value are in neither.
  struct Sides {
    std::array<double, 2> weight{};  // the rows' own
    std::array<std::int64_t, 2> n_rows{};
  };
  Sides sides(const Histogram& histogram, const Test& test) const;
  /// From a histogram whose classes are the sides of a test.
  std::optional<Surrogate> surrogate(const Histogram& tally, FeatureIndex feature, const PrimaryWeights& primary) const;

 private:
  ColumnResult result_of(FeatureIndex feature, const Cut& cut, const Limits& limits, const Groups& groups) const;
  /// The cut of a numeric column in scratch.groups, the last of which are rows without a value.
  ColumnResult cut_with_gaps(FeatureIndex feature, const Totals& totals, const Limits& limits, bool ordered,
                             Scratch& scratch) const;
  /// The bins of a column that hold rows, in scratch.groups; returns their totals. Rows without a value are a bin, if
  /// tests place them.
  bool has_gaps(std::size_t f, const Groups& groups) const {
    return !groups.rank.empty() && groups.rank.back() == borders_.n_bins[f];
  }
  /// What a division of the groups gains: those of side 0 go left.
  double drop_of(const Groups& groups, std::span<const std::int32_t> side, const Totals& totals, const Limits& limits,
                 Scratch& scratch) const;
  Totals read_groups(const Histogram& histogram, std::size_t f, const Totals& node, Scratch& scratch) const;

  const BinBorders& borders_;
  MissingRule missing_;
  std::uint64_t seed_;
  MomentLayout layout_, tally_layout_;
  std::vector<double> scale_;  // of the classes in the search; empty: all 1
  Samples nobody_;             // groups of rows say enough
  std::unique_ptr<Scan> scan_;
};

}  // namespace spinney
