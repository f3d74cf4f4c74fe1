#pragma once
// What an answer costs a row, for every stage that judges rows: pruning, cross-validation, stopping early, out of bag,
// choosing members. Which objective judges is known at run time only.

#include <memory>
#include <string>

#include "spinney/objective/classes.hpp"

namespace spinney {

/// The name that a tree keeps to know how rows are judged: none where it is by costs of labels, or by squared error.
/// One with a parameter has it in brackets: tweedie(1.5).
std::string judge_name(const ObjectiveChoice& choice, std::int32_t n_classes);
/// The objective of such a name.
ObjectiveChoice judge_choice(const std::string& name, std::int32_t n_classes);
/// Whether judge_name can have given it.
bool is_judge_name(const std::string& name, std::int32_t n_classes);

class Judge {
 public:
  /// objective: a judge_name. Rows of some classes are judged by their costs and scales, of none (n = 0) as numbers.
  Judge(const std::string& objective, const Classes& classes);

  /// The answer that is judged, from what a node keeps: the label of least cost, or the number.
  double point(const double* value) const { return point_(*this, value); }
  /// Of one row, whatever its weight.
  double cost(double point, const Row& row) const { return cost_(*this, point, row); }
  /// Whether the definition of the cost is infinite where `cost` is not: something happened that has a rate of 0.
  bool rules_out(double point, const Row& row) const { return rules_out_ != nullptr && rules_out_(point, row); }
  /// Of row i of a target.
  double cost(double point, const Target& target, std::size_t i) const { return cost(point, target_row(target, i)); }

  static Row target_row(const Target& target, std::size_t i) {
    return target.n_classes > 0 ? Row{target.codes[i], 0.0, target.weight[i]}
                                : Row{0, target.y[i], target.weight[i], target.exposure_of(i)};
  }

 private:
  Classes classes_;
  ObjectiveChoice choice_;
  double (*point_)(const Judge&, const double*) = nullptr;
  double (*cost_)(const Judge&, double, const Row&) = nullptr;
  bool (*rules_out_)(double, const Row&) = nullptr;
};

}  // namespace spinney
