#include "spinney/objective/judge.hpp"

#include <charconv>
#include <locale>
#include <sstream>

#include "spinney/objective/registry.hpp"

namespace spinney {

namespace {

/// The shortest digits that read back as the number.
std::string digits(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

/// The number that a text begins with; std::from_chars is missing from some libraries.
double number_in(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double number = 0.0;
  stream >> number;
  return number;
}

std::string name_with(std::string_view name, double parameter) {
  return std::string(name) + "(" + digits(parameter) + ")";
}

}  // namespace

/// Objectives of classes that judge by costs of labels are one and the same to a judge.
ObjectiveChoice judge_choice(const std::string& name, std::int32_t n_classes) {
  ObjectiveChoice choice;
  choice.name = !name.empty() ? name : n_classes > 0 ? Gini::kName : SquaredError::kName;
  const std::size_t open = choice.name.find('(');
  if (open == std::string::npos) return choice;
  choice.parameter = number_in(choice.name.substr(open + 1));
  choice.name.resize(open);
  return choice;
}

std::string judge_name(const ObjectiveChoice& choice, std::int32_t n_classes) {
  const auto name = [&]<class O>(const O&) {
    if constexpr (HasParameter<O>) return name_with(O::kName, choice.parameter);
    return O::kDefaultCost ? std::string() : std::string(O::kName);
  };
  return n_classes > 0 ? with_class_objective(choice, {n_classes}, name) : with_number_objective(choice, name);
}

bool is_judge_name(const std::string& name, std::int32_t n_classes) {
  bool known = name.empty();
  const ObjectiveChoice choice = judge_choice(name, n_classes);
  const auto look = [&]<class O>(std::type_identity<O>) {
    if (O::kDefaultCost || choice.name != O::kName) return;
    known = name == O::kName;
    if constexpr (HasParameter<O>) known = name == name_with(O::kName, choice.parameter) && O::allows(choice.parameter);
  };
  if (n_classes > 0) {
    for_each_objective<Task::classes>(look);
  } else {
    for_each_objective<Task::numbers>(look);
  }
  return known;
}

Judge::Judge(const std::string& objective, const Classes& classes)
    : classes_(classes), choice_(judge_choice(objective, classes.n)) {
  if (classes.n > 0) {
    with_class_objective(choice_, classes, [&]<class O>(const O&) {
      point_ = [](const Judge& self, const double* value) { return O{{self.classes_}}.point(value); };
      cost_ = [](const Judge& self, double point, const Row& row) { return O{{self.classes_}}.cost(point, row); };
    });
  } else {
    with_number_objective(choice_, [&]<class O>(const O&) {
      point_ = [](const Judge&, const double* value) { return O{}.point(value); };
      cost_ = [](const Judge& self, double point, const Row& row) { return O::make(self.choice_).cost(point, row); };
      if constexpr (requires { O::rules_out(0.0, Row{}); }) rules_out_ = O::rules_out;
    });
  }
}

}  // namespace spinney
