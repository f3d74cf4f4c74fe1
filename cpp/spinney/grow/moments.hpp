#pragma once
// What rows are added up to, in integers: the one place that knows what a histogram's bin and a node's sums hold.
//
//   bin   classes: the rows of each class; if rows differ in weight: rows, then the weight of each class
//         numbers: rows, (weight if rows differ,) the moments of the objective
//   node  the same, real numbers as fine pairs
//
// Squared error has the sum of w (y - origin); nodes also have that of w (y - origin)^2, which bins do without: no
// division changes it. Other objectives say what they add up, of the true y.
//
// Weights are the rows' own: what classes count for in the search is put on when sums are read. Where all rows have one
// weight, sums of classes and of squared error are of rows, and the weight is put on likewise.

#include <array>
#include <bit>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "spinney/data/target.hpp"
#include "spinney/grow/fixed_point.hpp"
#include "spinney/objective/objective.hpp"

namespace spinney {

/// What an additive objective of numbers makes of rows, and of sums over them.
struct NumberMoments {
  std::size_t n_in_bins = 1, n_in_nodes = 2;        // bins have the first of those that nodes have
  std::function<void(const Row&, double*)> add;     // all but squared error, which has scales of its own
  std::function<Leaf(const double*, double)> leaf;  // of moments and weight; likewise

  NumberMoments() = default;
  /// Throws std::invalid_argument if the objective needs rows.
  explicit NumberMoments(const ObjectiveChoice& choice);
  bool squared_error() const { return !add; }
};

/// Weights of rows: where few differ, such as counts of a bootstrap, a byte a row says which; otherwise a number a row.
class RowWeights {
 public:
  RowWeights() = default;
  RowWeights(const std::vector<double>& weights)
      : RowWeights(weights.size(), [&](std::size_t row) { return weights[row]; }) {}
  /// weight_of: of a row.
  template <class WeightOf>
  RowWeights(std::size_t n_rows, const WeightOf& weight_of);

  std::size_t size() const { return coded_ ? code_.size() : value_.size(); }
  /// Where the weight of a row is among the values.
  std::size_t place(std::size_t row) const { return coded_ ? code_[row] : row; }
  double operator[](std::size_t row) const { return value_[place(row)]; }
  std::span<const double> values() const { return value_; }
  /// By row: places, or null if every row has a value of its own.
  const std::uint8_t* codes() const { return coded_ ? code_.data() : nullptr; }

 private:
  class Distinct;
  static constexpr std::size_t kMostDistinct = 256;

  bool coded_ = true;
  std::vector<double> value_;
  std::vector<std::uint8_t> code_;
};

/// The places of distinct values: those of a row like the one before at once, others by a table.
class RowWeights::Distinct {
 public:
  explicit Distinct(std::vector<double>& values) : values_(values) {}
  /// kMostDistinct if there are more.
  std::size_t place(double value) {
    if (last_ < values_.size() && values_[last_] == value) return last_;
    std::size_t slot = static_cast<std::size_t>((std::bit_cast<std::uint64_t>(value) * kOdd) >> (64 - kSlotBits));
    while (slots_[slot] != 0 && values_[slots_[slot] - 1] != value) slot = (slot + 1) % slots_.size();
    if (slots_[slot] == 0) {
      if (values_.size() == kMostDistinct) return kMostDistinct;
      values_.push_back(value);
      slots_[slot] = static_cast<std::uint16_t>(values_.size());
    }
    return last_ = slots_[slot] - std::size_t{1};
  }

 private:
  static constexpr int kSlotBits = 10;
  static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::vector<double>& values_;
  std::array<std::uint16_t, 1 << kSlotBits> slots_{};  // places, from 1 on
  std::size_t last_ = 0;
};

template <class WeightOf>
RowWeights::RowWeights(std::size_t n_rows, const WeightOf& weight_of) {
  code_.reserve(n_rows);
  Distinct distinct(value_);
  for (std::size_t row = 0; row < n_rows && coded_; ++row) {
    const std::size_t place = distinct.place(weight_of(row));
    coded_ = place < kMostDistinct;
    code_.push_back(static_cast<std::uint8_t>(place));
  }
  if (coded_) return;
  code_ = {};
  value_.resize(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) value_[row] = weight_of(row);
}

/// Rows as they come: targets and weights.
struct RowTargets {
  std::vector<std::uint16_t> label;  // classification
  std::vector<double> y;             // regression
  RowWeights weight;
  std::vector<double> exposure = {};  // regression, if rows have any

  /// A row of numbers as an objective sees it.
  Row number(std::size_t row) const { return {0, y[row], weight[row], exposure.empty() ? 1.0 : exposure[row]}; }
};

/// What is known of all rows without an order: of parts of them, and so of the whole.
struct RowBounds {
  std::uint64_t n_rows = 0;
  double weight_low = kInfinity, weight_high = 0.0;
  double y_low = kInfinity, y_high = -kInfinity;  // regression
  std::vector<double> moment_high;                // of the objective's moments: the largest magnitudes

  RowBounds() = default;
  RowBounds(const RowTargets& rows, const NumberMoments& objective);
  /// Adds a row of positive weight; classes need no more than that weight.
  void add(const Row& row, const NumberMoments& objective);
  void add_weight(double weight);
  void merge(const RowBounds& other);
};

struct MomentLayout {
  std::int32_t n_classes = 0;  // 0: regression
  bool equal_weights = true;
  double weight = 1.0;                // of every row, if they are equal
  int weight_power = 0, y_power = 0;  // no weight, and no |y - origin|, exceeds these powers of two
  FixedPoint weights;
  NumberMoments objective;          // the rest: regression
  double origin = 0.0;              // squared error: what is taken off y
  double unit = 1.0;                // what sums of moments are of: a weight that all rows have, or 1
  std::vector<FixedPoint> moments;  // of a node

  MomentLayout() = default;
  /// taken_off: what squared error takes off y; by default what all y have in common. Members of an ensemble have it
  /// from all rows.
  MomentLayout(const RowBounds& bounds, std::int32_t n_classes, NumberMoments objective,
               std::optional<double> taken_off = std::nullopt);

  /// The moments of a bin, and all the numbers of a bin and of a node.
  std::size_t n_moments() const { return n_classes > 0 ? static_cast<std::size_t>(n_classes) : objective.n_in_bins; }
  std::size_t bin_width() const;
  std::size_t node_width() const;
  /// The moments of a row of numbers, each divided by its power of two.
  void take_terms(const Row& row, double* terms) const;
};

/// Sums of some nodes: node_width() numbers each, and the range of y, or of y by exposure.
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

/// The moments of rows, row by row.
struct RowMoments {
  RowMoments() = default;
  RowMoments(const MomentLayout& layout, RowTargets rows);

  RowTargets targets;
  std::vector<double> rate;           // y by exposure, if rows have any
  std::vector<std::int64_t> weight;   // by place of the weight, as histograms add it up; if rows differ in it
  std::vector<std::int64_t> moments;  // as histograms add them up
  std::size_t fine_width = 0;
  /// As nodes add them up: of numbers pairs of weight, if rows differ in it, and of moments; of classes pairs of
  /// weight, by its place.
  std::vector<std::int64_t> fine;
};

/// Adds rows to the sums of a node.
void add_rows(const MomentLayout& layout, const RowMoments& rows, std::span<const std::uint32_t> group, NodeSums& sums,
              std::size_t node);

/// What the sums of a node say.
struct NodeMoments {
  std::int64_t n_rows = 0;
  std::vector<double> classes;  // own weight of each class
  double weight = 0.0;
  double answer = 0.0, loss = 0.0;  // regression: for y - origin, and what it costs
  bool centred = false;             // the answer is the mean, which the search may take off
  bool pure = false;
};
NodeMoments read_sums(const MomentLayout& layout, const NodeSums& sums, std::size_t node);

/// What a bin says besides its moments.
struct BinMoments {
  std::int64_t n_rows = 0;
  double weight = 0.0;
};
/// Fills in the n_moments() moments: own weights of the classes, or those of numbers.
BinMoments read_bin(const MomentLayout& layout, const std::int64_t* bin, double* moments);

}  // namespace spinney
