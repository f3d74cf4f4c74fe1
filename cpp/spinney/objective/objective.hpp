#pragma once
// What a tree is grown, pruned and judged for: the whole contract.
//
// - moments: numbers that a row adds to its group besides its weight; those of groups add up.
// - loss: weight times impurity of a group; losses of groups add up too.
// - drop: what a division takes off the loss, loss(both) - loss(left) - loss(right) unless an objective has its own.
// - leaf: what a leaf answers (of numbers), and what that costs its rows.
// - point: the answer that is judged, the label of least cost or the number.
// - cost: of one row of weight 1 under a point.
//
// To add an objective: a file here with one struct, and its line in registry.hpp.

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spinney/data/target.hpp"

namespace spinney {

enum class Task : std::uint8_t { classes, numbers };

/// A row as an objective sees it.
struct Row {
  std::int32_t code = 0;  // its class
  double y = 0.0;         // its number, less an origin if the objective is shift-invariant
  double weight = 1.0;
  double exposure = 1.0;  // for how much of it y was counted
};

/// Some samples with a target of numbers, each as a Row.
struct Rows {
  const Samples& samples;
  std::span<const SampleIndex> group;
  double origin = 0.0;  // taken off y
  std::size_t size() const { return group.size(); }
  Row operator[](std::size_t i) const {
    const SampleIndex s = group[i];
    return {0, samples.y[s] - origin, samples.weight[s], samples.exposure_of(s)};
  }
};

/// What a leaf answers for its rows, what that costs them all, and their weight, added up in their order.
struct Leaf {
  double answer = 0.0, loss = 0.0, weight = 0.0;
  double count = 0.0, time = 0.0;  // deviances: the sums of weight times y, and times exposure
};

/// Impurities of many groups of classes at once, from their (n_groups, n_classes) shares.
using ImpurityFunction =
    std::function<void(const double* shares, std::size_t n_groups, std::int32_t n_classes, double* impurity)>;

/// The name of an objective, and what it may need besides.
struct ObjectiveChoice {
  std::string name = "gini";
  std::vector<double> cost;   // Gini with costs; empty without
  ImpurityFunction callable;  // a user's impurity
  double parameter = 1.5;     // of an objective that has one: Tweedie's power
  double prior_cv = 0.0;      // Poisson: coefficient of variation of the prior on rates; 0: none
  double centre = 0.0;        // deviances: the rate of all rows, if known
  bool exposed = false;       // deviances: rows have exposures other than 1
};

/// What all objectives have. Flags:
///   kStrictlyConcave  loss is strictly concave in the moments: no cut inside a segment of equal shares is best
///   kOrderIsEnough    of two classes, or of numbers: the best set of categories is found in the order of their answers
///   kShiftInvariant   y may be given less any origin; otherwise it is the true y, as users gave it
///   kNeedsRows        moments do not suffice: leaf() is asked with the rows of a group in ascending order of y
///   kDefaultCost      rows are judged as by default: by costs of labels, or by squared error
template <class O>
concept Objective = requires(const O o, const Row& row, const double* value, double point) {
  { O::kName } -> std::convertible_to<std::string_view>;
  { O::kTask } -> std::convertible_to<Task>;
  { O::kStrictlyConcave } -> std::convertible_to<bool>;
  { O::kOrderIsEnough } -> std::convertible_to<bool>;
  { O::kShiftInvariant } -> std::convertible_to<bool>;
  { O::kNeedsRows } -> std::convertible_to<bool>;
  { O::kDefaultCost } -> std::convertible_to<bool>;
  { o.n_outputs() } -> std::same_as<std::size_t>;
  { o.point(value) } -> std::same_as<double>;
  { o.cost(point, row) } -> std::same_as<double>;
};

template <class O>
concept HasDrop = requires(const O o, const double* moments, double weight) {
  { o.drop(moments, weight, moments, weight) } -> std::same_as<double>;
};

/// A number by which groups are ordered, if it is not their answer.
template <class O>
concept HasKey = requires(const O o, const double* moments, double weight) {
  { o.key(moments, weight) } -> std::same_as<double>;
};

/// Sums that the search can do without, after those that it needs: with them a leaf needs no rows.
template <class O>
concept HasLeafMoments = requires(const O o, const Row& row, double* moments, double weight) {
  { o.n_leaf_moments() } -> std::same_as<std::size_t>;
  { o.leaf(moments, weight) } -> std::same_as<Leaf>;
  o.add_leaf(row, moments);
};

/// A number besides its name, which costs depend on.
template <class O>
concept HasParameter = requires(double parameter) {
  { O::allows(parameter) } -> std::same_as<bool>;
};

template <class O>
concept HasLoss = requires(const O o, const double* moments, double weight) {
  { o.loss(moments, weight) } -> std::same_as<double>;
};

template <class O>
concept HasAnswer = requires(const O o, const double* moments, double weight) {
  { o.answer(moments, weight) } -> std::same_as<double>;
};

/// An objective whose groups say enough by their moments: those of numbers also what they answer.
template <class O>
concept AdditiveObjective =
    Objective<O> && (HasDrop<O> || HasLoss<O>) && !O::kNeedsRows && (O::kTask == Task::classes || HasAnswer<O>) &&
    requires(const O o, const Row& row, double* moments) {
      { o.n_moments() } -> std::same_as<std::size_t>;
      o.add(row, moments);
    };

template <class O>
concept HasLeaf = requires(const O o, const Rows& rows) {
  { o.leaf(rows) } -> std::same_as<Leaf>;
};

template <class O>
concept RowObjective = Objective<O> && O::kNeedsRows && HasLeaf<O>;

/// What objectives of numbers have in common; each says what is otherwise.
struct NumberObjective {
  static constexpr Task kTask = Task::numbers;
  static constexpr bool kStrictlyConcave = false, kOrderIsEnough = true, kShiftInvariant = true, kNeedsRows = false;
  static constexpr bool kDefaultCost = false;
  static constexpr int kDegree = 1;            // costs of targets and answers times c are costs times c^kDegree
  static constexpr bool kCentres = false;      // the answer is the mean: distances from it add up to nothing
  static constexpr bool kExposed = false;      // asks rows for their exposure
  static constexpr bool kOfLifetimes = false;  // y says whether something happened, exposure when: no regression
  std::size_t n_outputs() const { return 1; }
  double point(const double* value) const { return *value; }
};

/// The leaf of some rows: as the objective works it out, or from their moments.
template <class O>
Leaf leaf_of(const O& objective, const Rows& rows) {
  if constexpr (HasLeaf<O>) {
    return objective.leaf(rows);
  } else {
    std::vector<double> moments(objective.n_moments(), 0.0);
    double weight = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      objective.add(rows[i], moments.data());
      weight += rows[i].weight;
    }
    return {objective.answer(moments.data(), weight), objective.loss(moments.data(), weight), weight};
  }
}

}  // namespace spinney
