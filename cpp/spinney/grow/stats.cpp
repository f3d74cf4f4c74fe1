#include "spinney/grow/stats.hpp"

#include <algorithm>

#include "spinney/splits/absolute_scan.hpp"

namespace spinney {

bool may_divide(const GrowParams& params, const Summary& summary, std::int64_t depth) {
  const std::int64_t n = summary.stats.n_samples;
  return !summary.pure && n >= params.min_samples_split && n / 2 >= params.min_samples_leaf && depth < params.max_depth;
}

Summary Summarizer::from_moments(const NodeMoments& moments) const {
  if (target_.n_classes > 0) return from_classes(moments.classes, moments.n_rows);
  Summary summary;
  summary.pure = moments.pure;
  summary.totals.weight = moments.weight;
  summary.totals.mean = moments.mean;
  summary.totals.centred = true;
  summary.stats.n_samples = moments.n_rows;
  finish_regression(summary, moments.mean, moments.loss);
  return summary;
}

Summary Summarizer::summarize(std::span<const SampleIndex> group) const {
  if (target_.n_classes > 0) return classes(group);
  return criterion_.kind == CriterionKind::absolute_error ? median(group) : mean(group);
}

Summary Summarizer::classes(std::span<const SampleIndex> group) const {
  std::vector<double> sums(target_.n_outputs(), 0.0);
  const auto n = static_cast<std::int64_t>(group.size());
  if (!samples_.counts_units()) {
    for (const SampleIndex s : group) sums[samples_.label[s]] += samples_.weight[s];
    return from_classes(std::move(sums), n);
  }
  if (samples_.times.empty()) {
    for (const SampleIndex s : group) sums[samples_.label[s]] += 1.0;
  } else {
    for (const SampleIndex s : group) sums[samples_.label[s]] += samples_.times[s];
  }
  return from_units(std::move(sums), n);
}

Summary Summarizer::rest(const std::vector<double>& parent_units, const Summary& sibling,
                         std::int64_t n_samples) const {
  std::vector<double> units = parent_units;
  for (std::size_t c = 0; c < units.size(); ++c) units[c] -= sibling.units[c];
  return from_units(std::move(units), n_samples);
}

Summary Summarizer::from_units(std::vector<double> units, std::int64_t n_samples) const {
  std::vector<double> raw = units;
  for (double& w : raw) w *= samples_.own_unit;
  Summary summary = from_classes(std::move(raw), n_samples);
  summary.units = std::move(units);
  return summary;
}

Summary Summarizer::from_classes(std::vector<double> raw, std::int64_t n_samples) const {
  const std::size_t k = raw.size();
  Summary summary;
  NodeStats& stats = summary.stats;
  stats.value = raw;
  summary.totals.classes = raw;
  const auto& split_scale = target_.split_scale.empty() ? target_.class_scale : target_.split_scale;
  for (std::size_t c = 0; c < k; ++c) {
    if (!target_.class_scale.empty()) stats.value[c] *= target_.class_scale[c];
    if (!split_scale.empty()) summary.totals.classes[c] *= split_scale[c];
    stats.weight += stats.value[c];
    summary.totals.weight += summary.totals.classes[c];
  }
  stats.n_samples = n_samples;
  const double loss = with_class_criterion(criterion_, [&](const auto& criterion) {
    return criterion.loss(stats.value.data(), stats.weight, target_.n_classes);
  });
  summary.totals.loss = summary.totals.weight;
  summary.pure = std::count_if(raw.begin(), raw.end(), [](double w) { return w > 0.0; }) < 2;
  stats.impurity = summary.pure ? 0.0 : std::max(0.0, loss / stats.weight);
  stats.risk = target_.least_cost(stats.value);
  return summary;
}

void Summarizer::finish_regression(Summary& summary, double centre, double loss) const {
  NodeStats& stats = summary.stats;
  stats.weight = summary.totals.weight;
  summary.totals.loss = loss;
  stats.value = {centre + samples_.y_shift};
  stats.risk = summary.pure ? 0.0 : loss;
  stats.impurity = stats.risk / stats.weight;
}

Summary Summarizer::mean(std::span<const SampleIndex> group) const {
  Summary summary;
  const double origin = samples_.y[group[0]];  // makes the mean of equal targets exact
  double sum = 0.0, loss = 0.0, total = 0.0;
  summary.pure = true;
  for (const SampleIndex s : group) {
    const double w = samples_.weight[s];
    total += w;
    sum += w * (samples_.y[s] - origin);
    summary.pure = summary.pure && samples_.y[s] == origin;
  }
  const double centre = origin + sum / total;
  for (const SampleIndex s : group) {
    const double d = samples_.y[s] - centre;
    loss += samples_.weight[s] * d * d;
  }
  summary.totals.weight = total;
  summary.totals.mean = centre;
  summary.totals.centred = true;
  summary.stats.n_samples = static_cast<std::int64_t>(group.size());
  finish_regression(summary, centre, loss);
  return summary;
}

Summary Summarizer::median(std::span<const SampleIndex> group) const {
  std::vector<SampleIndex> by_y(group.begin(), group.end());
  std::stable_sort(by_y.begin(), by_y.end(),
                   [&](SampleIndex a, SampleIndex b) { return samples_.y[a] < samples_.y[b]; });
  const MedianLoss middle = median_loss(by_y, samples_);
  Summary summary;
  summary.pure = samples_.y[by_y.front()] == samples_.y[by_y.back()];
  for (const SampleIndex s : group) summary.totals.weight += samples_.split_weight_of(s);
  summary.totals.mean = middle.median;
  summary.stats.n_samples = static_cast<std::int64_t>(group.size());
  finish_regression(summary, middle.median, middle.loss);
  return summary;
}

}  // namespace spinney
