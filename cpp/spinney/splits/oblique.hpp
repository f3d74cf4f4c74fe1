#pragma once
// Linear tests: a sum of numeric columns, each times a coefficient, above a cut.
//
// Coefficients are improved one at a time, as in OC1 (Murthy, Kasif and Salzberg 1994): with all others fixed, each row
// says at which value of this one it changes sides, and the best cut of the rows in that order is the best value.

#include "spinney/random.hpp"
#include "spinney/splits/scan.hpp"

namespace spinney {

struct ObliqueTask {
  const Dataset& data;
  const Samples& samples;
  const Scan& scan;
  const Totals& totals;
  const Limits& limits;
  std::span<const SampleIndex> group;      // of the node, ascending
  std::span<const FeatureIndex> features;  // that may be asked
};

/// The best linear test that was found, if it is better than `axis`, the best one of a single column. Short tests come
/// first: a column is left out where nothing is lost by it.
Split best_oblique(const ObliqueTask& task, const Split& axis, RandomStream& random, Scratch& scratch);

}  // namespace spinney
