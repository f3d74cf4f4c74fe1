#include "spinney/grow/small_nodes.hpp"

#include <algorithm>

#include "spinney/objective/gini.hpp"
#include "spinney/objective/squared_error.hpp"

namespace spinney {

bool plain_classes(const Target& target, const Samples& samples) {
  return target.n_classes == 2 && target.class_scale.empty() && target.split_scale.empty() && target.cost.empty() &&
         !samples.scaled_weight;
}

bool only_thresholds(const GrowParams& params, const Limits& limits) {
  return params.interactions.empty() && !params.oblique && params.n_best_splits == 1 && !params.forced &&
         params.max_leaf_nodes == 0 && limits.weight == 0.0;
}

SmallTask small_task(const GrowParams& params, const Target& target, const Samples& samples, const Limits& limits) {
  const bool no_stand_ins = params.missing == MissingRule::majority || places_gaps(params.missing) ||
                            (params.missing == MissingRule::surrogate && params.max_surrogates == 0);
  if (!only_thresholds(params, limits) || !no_stand_ins || samples.weight.form == SampleWeights::Form::real)
    return SmallTask::none;
  if (target.n_classes == 0) return params.criterion.name == SquaredError::kName ? SmallTask::numbers : SmallTask::none;
  const bool gini = plain_classes(target, samples) && params.criterion.name == Gini::kName &&
                    params.criterion.cost.empty() && !params.criterion.callable;
  return gini ? SmallTask::classes : SmallTask::none;
}

bool describe_classes(const Target& target, double zeros, double ones, std::int64_t n_rows, NodeStats& stats) {
  const bool pure = !(zeros > 0.0) || !(ones > 0.0);
  const Gini gini{{{.n = 2}}};
  const double weights[2] = {zeros, ones};
  stats.value.assign(weights, weights + 2);
  stats.weight = zeros + ones;
  stats.impurity = pure ? 0.0 : std::max(0.0, gini.loss(weights, stats.weight) / stats.weight);
  stats.risk = target.least_cost(stats.value);
  stats.n_samples = n_rows;
  return pure;
}

}  // namespace spinney
