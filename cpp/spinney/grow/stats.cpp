#include "spinney/grow/stats.hpp"

#include <algorithm>

#include "spinney/objective/registry.hpp"

namespace spinney {

Summary Summarizer::from_moments(const NodeMoments& moments) const {
  if (target_.n_classes > 0) return from_classes(moments.classes, moments.n_rows);
  Summary summary;
  summary.pure = moments.pure;
  summary.totals = {.classes = {},
                    .weight = moments.weight,
                    .origin = moments.centred ? moments.answer : 0.0,
                    .centred = moments.centred,
                    .loss = moments.loss};
  summary.stats.n_samples = moments.n_rows;
  keep_answer(summary, moments.answer + samples_.y_shift);
  return summary;
}

Summary Summarizer::summarize(std::span<const SampleIndex> group) const {
  return target_.n_classes > 0 ? classes(group) : numbers(group);
}

Summary Summarizer::classes(std::span<const SampleIndex> group) const {
  Numbers sums(target_.n_outputs());
  const auto n = static_cast<std::int64_t>(group.size());
  const SampleWeights& weight = samples_.weight;
  switch (weight.form) {
    case SampleWeights::Form::equal:
      if (sums.size() == 2) {  // no row waits for the sum of the one before
        std::size_t n_ones = 0;
        for (const SampleIndex s : group) n_ones += samples_.is_one[s];
        sums = {static_cast<double>(group.size() - n_ones), static_cast<double>(n_ones)};
        return from_units(std::move(sums), n);
      }
      for (const SampleIndex s : group) sums[samples_.label[s]] += 1.0;
      return from_units(std::move(sums), n);
    case SampleWeights::Form::multiples:
      for (const SampleIndex s : group) sums[samples_.label[s]] += weight.times[s];
      return from_units(std::move(sums), n);
    case SampleWeights::Form::real:
      if (sums.size() == 2) {  // by two sums that stay in registers
        double zeros = 0.0, ones = 0.0;
        for (const SampleIndex s : group) {
          const double w = weight.values[s], one = samples_.is_one[s];
          zeros += w * (1.0 - one);
          ones += w * one;
        }
        return from_classes({zeros, ones}, n);
      }
      for (const SampleIndex s : group) sums[samples_.label[s]] += weight.values[s];
  }
  return from_classes(sums, n);
}

Summary Summarizer::rest(const Numbers& parent_units, const Summary& sibling, std::int64_t n_samples) const {
  Numbers units = parent_units;
  for (std::size_t c = 0; c < units.size(); ++c) units[c] -= sibling.units[c];
  return from_units(std::move(units), n_samples);
}

Summary Summarizer::from_units(Numbers units, std::int64_t n_samples) const {
  Numbers raw = units;
  for (double& w : raw) w *= samples_.weight.unit;
  Summary summary = from_classes(raw, n_samples);
  summary.units = std::move(units);
  return summary;
}

Summary Summarizer::from_classes(const Numbers& raw, std::int64_t n_samples) const {
  Summary summary;
  NodeStats& stats = summary.stats;
  stats.value = raw;
  summary.totals.classes = raw;
  const auto scale = [](Numbers& classes, const std::vector<double>& by, double& sum) {
    for (std::size_t c = 0; c < by.size(); ++c) classes[c] *= by[c];
    for (const double w : classes) sum += w;
  };
  scale(stats.value, target_.class_scale, stats.weight);
  scale(summary.totals.classes, target_.search_scale(), summary.totals.weight);
  stats.n_samples = n_samples;
  const double loss = with_class_objective(criterion_, {.n = target_.n_classes}, [&](const auto& objective) {
    return objective.loss(stats.value.data(), stats.weight);
  });
  summary.totals.loss = summary.totals.weight;
  summary.pure = std::count_if(raw.begin(), raw.end(), [](double w) { return w > 0.0; }) < 2;
  stats.impurity = summary.pure ? 0.0 : std::max(0.0, loss / stats.weight);
  stats.risk = target_.least_cost(stats.value);
  return summary;
}

Summary Summarizer::numbers(std::span<const SampleIndex> group) const {
  Summary summary;
  Totals& totals = summary.totals;
  summary.pure = is_pure(group);
  double answer = 0.0, magnitude = 1.0;
  with_number_objective(criterion_, [&]<class O>(const O& objective) {
    if constexpr (requires { objective.cancelled(); }) magnitude = objective.cancelled();
    const double origin = O::kShiftInvariant ? 0.0 : -samples_.y_shift;  // these see the true y
    Leaf leaf;
    if constexpr (O::kNeedsRows) {
      std::vector<SampleIndex> by_y(group.begin(), group.end());
      std::stable_sort(by_y.begin(), by_y.end(),
                       [&](SampleIndex a, SampleIndex b) { return samples_.y[a] < samples_.y[b]; });
      leaf = objective.leaf({samples_, by_y, origin});
      leaf.weight = 0.0;  // of the node's rows in its own order
      for (const SampleIndex s : group) leaf.weight += samples_.weight[s];
    } else {
      leaf = leaf_of(objective, {samples_, group, origin});
    }
    totals.weight = leaf.weight;
    totals.loss = leaf.loss;
    totals.count = leaf.count;
    totals.time = leaf.time;
    totals.origin = O::kShiftInvariant ? leaf.answer : origin;
    totals.centred = O::kCentres;
    answer = O::kShiftInvariant ? leaf.answer + samples_.y_shift : leaf.answer;
  });
  summary.stats.n_samples = static_cast<std::int64_t>(group.size());
  keep_answer(summary, answer);
  totals.loss *= magnitude;
  return summary;
}

/// Whether all targets, or rates, are the same.
bool Summarizer::is_pure(std::span<const SampleIndex> group) const {
  const std::vector<double>& y = samples_.y;
  if (samples_.exposure.empty())
    return std::all_of(group.begin(), group.end(), [&](SampleIndex s) { return y[s] == y[group[0]]; });
  const auto rate = [&](SampleIndex s) { return (y[s] + samples_.y_shift) / samples_.exposure[s]; };
  return std::all_of(group.begin(), group.end(), [&](SampleIndex s) { return rate(s) == rate(group[0]); });
}

/// Rows that are all alike cost nothing, unless a prior takes the answer away from them.
void Summarizer::keep_answer(Summary& summary, double answer) const {
  NodeStats& stats = summary.stats;
  stats.value = {answer};
  stats.weight = summary.totals.weight;
  stats.risk = summary.pure && criterion_.prior_cv == 0.0 ? 0.0 : summary.totals.loss;
  stats.impurity = stats.risk / stats.weight;
}

double Summarizer::drop(const Totals& both, const Totals& left, const Totals& right) const {
  if (!(left.weight > 0.0) || !(right.weight > 0.0)) return 0.0;
  if (target_.n_classes == 0) return drop_of_numbers(both, left, right);
  return with_class_objective(criterion_, {.n = target_.n_classes}, [&]<class O>(const O& objective) {
    const auto loss = [&](const Totals& t) { return objective.loss(t.classes.data(), t.weight); };
    if constexpr (HasDrop<O>) {
      return std::max(0.0, objective.drop(left.classes.data(), left.weight, right.classes.data(), right.weight));
    } else {
      return std::max(0.0, loss(both) - loss(left) - loss(right));
    }
  });
}

/// Deviances may have a prior in the loss, which the search does without.
double Summarizer::drop_of_numbers(const Totals& both, const Totals& left, const Totals& right) const {
  return with_number_objective(criterion_, [&]<class O>(const O& objective) {
    if constexpr (O::kExposed) {
      return std::max(0.0, objective.drop_of(left.count, left.time, right.count, right.time));
    } else {
      return std::max(0.0, both.loss - left.loss - right.loss);
    }
  });
}

}  // namespace spinney
