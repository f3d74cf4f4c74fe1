#pragma once
// Absolute error: a leaf answers with the median.

#include "spinney/objective/pinball.hpp"

namespace spinney {

struct AbsoluteError : Pinball {
  static constexpr std::string_view kName = "absolute_error";
  static AbsoluteError make(const ObjectiveChoice&) { return {}; }
};

}  // namespace spinney
