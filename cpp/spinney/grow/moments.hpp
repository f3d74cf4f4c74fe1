#pragma once
// What rows are added up to, in integers: the one place that knows what a histogram's bin and a node's sums hold.
//
//   bin   classes: the rows of each class; if rows differ in weight: rows, then the weight of each class
//         numbers: rows, (weight if rows differ,) the sum of w (y - origin)
//   node  the same, real numbers as fine pairs, and of numbers also the sum of w (y - origin)^2
//
// Weights are the rows' own: what classes count for in the search is put on when sums are read. Where all rows have one
// weight, sums are of rows and the weight is put on likewise.

#include <optional>
#include <span>
#include <vector>

#include "spinney/data/target.hpp"
#include "spinney/grow/fixed_point.hpp"

namespace spinney {

/// What is known of all rows without an order: of parts of them, and so of the whole.
struct RowBounds {
  std::uint64_t n_rows = 0;
  double weight_low = kInfinity, weight_high = 0.0;
  double y_low = kInfinity, y_high = -kInfinity;  // regression

  void merge(const RowBounds& other);
};

struct MomentLayout {
  std::int32_t n_classes = 0;  // 0: regression
  bool equal_weights = true;
  double weight = 1.0;                  // of every row, if they are equal
  double origin = 0.0;                  // regression
  int weight_power = 0, y_power = 0;    // no weight, and no |y - origin|, exceeds these powers of two
  FixedPoint weights, sums, squares{};  // of w, w d and w d^2, where d = y - origin; w is 1 if weights are equal

  MomentLayout() = default;
  /// taken_off: what is taken off y; by default what all y have in common. Members of an ensemble have it from all
  /// rows.
  MomentLayout(const RowBounds& bounds, std::int32_t n_classes, std::optional<double> taken_off = std::nullopt);

  /// Numbers of a bin, and of a node.
  std::size_t bin_width() const;
  std::size_t node_width() const;
};

/// Sums of some nodes: node_width() numbers each, and the range of y.
struct NodeSums {
  std::size_t width = 0;
  std::vector<std::int64_t> numbers;
  std::vector<double> y_low, y_high;

  NodeSums() = default;
  NodeSums(const MomentLayout& layout, std::size_t n_nodes);
  std::size_t size() const { return width == 0 ? 0 : numbers.size() / width; }
  std::int64_t* of(std::size_t node) { return numbers.data() + node * width; }
  const std::int64_t* of(std::size_t node) const { return numbers.data() + node * width; }
  /// Adds what other workers found for the same nodes.
  NodeSums& operator+=(const NodeSums& other);
  /// All the nodes in one.
  NodeSums total() const;
};

/// Rows as they come: targets and weights.
struct RowTargets {
  std::vector<std::uint16_t> label;  // classification
  std::vector<double> y;             // regression
  std::vector<double> weight;
};

/// The moments of rows, row by row.
struct RowMoments {
  RowMoments() = default;
  RowMoments(const MomentLayout& layout, RowTargets rows);

  RowTargets targets;
  std::vector<std::int64_t> weight, sum;  // as histograms add them up; weight only if rows differ in it
  std::size_t fine_width = 0;
  std::vector<std::int64_t> fine;  // as nodes add them up: pairs of weight, if rows differ in it, and of numbers
};

/// Adds rows to the sums of a node.
void add_rows(const MomentLayout& layout, const RowMoments& rows, std::span<const std::uint32_t> group, NodeSums& sums,
              std::size_t node);

/// What the sums of a node say.
struct NodeMoments {
  std::int64_t n_rows = 0;
  std::vector<double> classes;  // own weight of each class
  double weight = 0.0;
  double mean = 0.0, loss = 0.0;  // regression: of y - origin, and the sum of squares about it
  bool pure = false;
};
NodeMoments read_sums(const MomentLayout& layout, const NodeSums& sums, std::size_t node);

/// What a bin says: rows, and own weights of the classes or (weight, sum of w (y - origin)).
struct BinMoments {
  std::int64_t n_rows = 0;
  double weight = 0.0;
};
/// Returns rows and weight; fills in the weight of each class, or the sum.
BinMoments read_bin(const MomentLayout& layout, const std::int64_t* bin, double* moments);

}  // namespace spinney
