#pragma once
// The only list of objectives. The core, the bindings and Python take names and types from here.

#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "spinney/objective/absolute_error.hpp"
#include "spinney/objective/callable.hpp"
#include "spinney/objective/entropy.hpp"
#include "spinney/objective/exponent.hpp"
#include "spinney/objective/gamma.hpp"
#include "spinney/objective/gini.hpp"
#include "spinney/objective/logrank.hpp"
#include "spinney/objective/misclassification.hpp"
#include "spinney/objective/poisson.hpp"
#include "spinney/objective/quantile.hpp"
#include "spinney/objective/squared_error.hpp"
#include "spinney/objective/tweedie.hpp"
#include "spinney/objective/twoing.hpp"
#ifdef SPINNEY_TOY_OBJECTIVES  // of the C++ tests, which show that this is all it takes
#include "tests/toy_objectives.hpp"
#endif

namespace spinney {

/// In the order in which users read the names.
using Objectives = std::tuple<CallableImpurity,   //
                              Gini,               //
                              CostGini,           //
                              Entropy,            //
                              Misclassification,  //
                              Exponent,           //
                              Twoing,             //
                              SquaredError,       //
#ifdef SPINNEY_TOY_OBJECTIVES
                              ToyPoisson,  //
                              ToySquares,  //
                              ToyHuber,    //
#endif
                              AbsoluteError,  //
                              Quantile,       //
                              Poisson,        //
                              Gamma,          //
                              Tweedie,        //
                              LogRank>;

/// Calls body(type) for every objective of a task.
template <Task kTask, class Body>
void for_each_objective(Body&& body) {
  const auto one = [&]<class O>(std::type_identity<O> type) {
    static_assert(AdditiveObjective<O> || RowObjective<O>);
    if constexpr (O::kTask == kTask) body(type);
  };
  [&]<class... O>(std::type_identity<std::tuple<O...>>) {
    (one(std::type_identity<O>{}), ...);
  }(std::type_identity<Objectives>{});
}

template <class O>
bool fits(const ObjectiveChoice& choice) {
  if constexpr (requires { O::fits(choice); }) {
    return O::fits(choice);
  } else if constexpr (requires { O::kOtherName; }) {
    return choice.name == O::kName || choice.name == O::kOtherName;
  } else {
    return choice.name == O::kName;
  }
}

namespace detail {

template <class O>
O make_objective(const ObjectiveChoice& choice, const Classes& classes) {
  if constexpr (O::kTask == Task::classes) {
    return O::make(choice, classes);
  } else {
    return O::make(choice);
  }
}

template <Task kTask, std::size_t kPlace, class Result, class Body>
Result pick(const ObjectiveChoice& choice, const Classes& classes, Body& body) {
  if constexpr (kPlace == std::tuple_size_v<Objectives>) {
    throw std::invalid_argument("'" + choice.name + "' is no criterion " +
                                (kTask == Task::classes ? "of classes" : "of numbers"));
  } else {
    using O = std::tuple_element_t<kPlace, Objectives>;
    if constexpr (O::kTask == kTask) {
      if (fits<O>(choice)) return body(make_objective<O>(choice, classes));
    }
    return pick<kTask, kPlace + 1, Result>(choice, classes, body);
  }
}

}  // namespace detail

/// Calls body(objective) with the concrete type of an objective of classes, so that everything below is inlined.
template <class Body>
auto with_class_objective(const ObjectiveChoice& choice, const Classes& classes, Body&& body) {
  return detail::pick<Task::classes, 0, std::invoke_result_t<Body&, Gini>>(choice, classes, body);
}

/// The same of numbers.
template <class Body>
auto with_number_objective(const ObjectiveChoice& choice, Body&& body) {
  return detail::pick<Task::numbers, 0, std::invoke_result_t<Body&, SquaredError>>(choice, {}, body);
}

/// The names of a task that users choose from, in order; those of lifetimes are no regression.
template <Task kTask>
std::vector<std::string> objective_names() {
  std::vector<std::string> names;
  for_each_objective<kTask>([&]<class O>(std::type_identity<O>) {
    if constexpr (kTask == Task::numbers) {
      if (O::kOfLifetimes) return;
    }
    const std::string name(O::kName);
    if (!name.empty() && (names.empty() || names.back() != name)) names.push_back(name);
    if constexpr (requires { O::kOtherName; }) names.emplace_back(O::kOtherName);
  });
  return names;
}

}  // namespace spinney
