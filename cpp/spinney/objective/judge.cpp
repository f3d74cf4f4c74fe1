#include "spinney/objective/judge.hpp"

#include "spinney/objective/registry.hpp"

namespace spinney {

namespace {

/// Objectives of classes that judge by costs of labels are one and the same to a judge.
ObjectiveChoice choice_of(const std::string& judge, std::int32_t n_classes) {
  ObjectiveChoice choice;
  choice.name = !judge.empty() ? judge : n_classes > 0 ? Gini::kName : SquaredError::kName;
  return choice;
}

}  // namespace

std::string judge_name(const ObjectiveChoice& choice, std::int32_t n_classes) {
  const auto name = [](const auto& objective) {
    return objective.kDefaultCost ? std::string() : std::string(objective.kName);
  };
  return n_classes > 0 ? with_class_objective(choice, {n_classes}, name) : with_number_objective(choice, name);
}

bool is_judge_name(const std::string& name, std::int32_t n_classes) {
  bool known = name.empty();
  const auto look = [&]<class O>(std::type_identity<O>) { known = known || (!O::kDefaultCost && name == O::kName); };
  if (n_classes > 0) {
    for_each_objective<Task::classes>(look);
  } else {
    for_each_objective<Task::numbers>(look);
  }
  return known;
}

Judge::Judge(const std::string& objective, const Classes& classes) : classes_(classes) {
  const ObjectiveChoice choice = choice_of(objective, classes.n);
  if (classes.n > 0) {
    with_class_objective(choice, classes, [&]<class O>(const O&) {
      point_ = [](const Judge& self, const double* value) { return O{{self.classes_}}.point(value); };
      cost_ = [](const Judge& self, double point, const Row& row) { return O{{self.classes_}}.cost(point, row); };
    });
  } else {
    with_number_objective(choice, [&]<class O>(const O&) {
      point_ = [](const Judge&, const double* value) { return O{}.point(value); };
      cost_ = [](const Judge&, double point, const Row& row) { return O{}.cost(point, row); };
    });
  }
}

}  // namespace spinney
