#pragma once
// The log-rank test: lifetimes of two groups are compared at every time at which something happened.

#include "spinney/objective/poisson.hpp"

namespace spinney {

/// A division is as good as its log-rank statistic, which needs the rows (splits/logrank_scan.hpp). Leaves answer, and
/// are judged, as by Poisson's deviance: y says whether the event was seen, and exposure is the time until then, on a
/// scale on which the hazard of all rows together is 1.
struct LogRank : Poisson {
  static constexpr std::string_view kName = "logrank";
  static constexpr bool kStrictlyConcave = false, kOrderIsEnough = false, kNeedsRows = true, kOfLifetimes = true;
  static LogRank make(const ObjectiveChoice& choice) { return {Poisson::make(choice)}; }
};

}  // namespace spinney
