#include "spinney/splits/logrank_scan.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace spinney {

namespace {

constexpr double kNoVariance = 1e-10;  // of the first part of V: the difference from it is of rounding

/// A division that compares nobody, as all at risk are on one side, has no statistic.
double statistic(double u, double linear, double square) {
  const double variance = linear - square;
  return variance > kNoVariance * linear ? u * u / variance : -kInfinity;
}

}  // namespace

/// What a row of a node needs to know of the times with events, of which it is at risk at the first k: entry k.
struct LogRankScan::RiskSets {
  const double* hazard;  // H_k
  const double* linear;  // the sum of a_j Y_j over j <= k
  const double* square;  // B_k
  std::size_t n;         // times
};

/// One side of a division, which rows join one by one.
struct LogRankScan::Side {
  const RiskSets& sets;
  std::vector<double>& sums;  // a Fenwick tree of pairs: weights, and weights times B, by k
  double u = 0.0, linear = 0.0, square = 0.0, weight = 0.0;
  double count = 0.0, time = 0.0;  // for the rate

  Side(const RiskSets& given, std::vector<double>& room) : sets(given), sums(room) {
    sums.assign(2 * (sets.n + 1), 0.0);
  }

  void add(std::size_t k, double w, bool event) {
    u += w * ((event ? 1.0 : 0.0) - sets.hazard[k]);
    linear += w * sets.linear[k];
    if (k == 0) return;  // never at risk
    double below = 0.0, below_b = 0.0;
    for (std::size_t i = k; i > 0; i &= i - 1) {
      below += sums[2 * i];
      below_b += sums[2 * i + 1];
    }
    const double b = sets.square[k];
    square += w * (2.0 * (below_b + b * (weight - below)) + w * b);
    weight += w;
    for (std::size_t i = k; i <= sets.n; i += i & (~i + 1)) {
      sums[2 * i] += w;
      sums[2 * i + 1] += w * b;
    }
  }
  double value() const { return statistic(u, linear, square); }
};

LogRankScan::LogRankScan(const LogRank& objective, const Samples& samples) : objective_(objective), samples_(samples) {
  const std::size_t n = samples.size();
  std::vector<SampleIndex> order(n);
  std::iota(order.begin(), order.end(), SampleIndex{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](SampleIndex a, SampleIndex b) { return samples.exposure_of(a) < samples.exposure_of(b); });
  time_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && samples.exposure_of(order[i]) > samples.exposure_of(order[i - 1])) ++n_times_;
    time_[order[i]] = static_cast<std::uint32_t>(n_times_);
  }
  ++n_times_;
  const SampleWeights& weight = samples.weight;
  unit_ = weight.unit;
  if (weight.form == SampleWeights::Form::real)
    unit_ = std::accumulate(weight.values.begin(), weight.values.end(), 0.0) / static_cast<double>(n);
  for (SampleIndex s = 0; s < n; ++s) {
    weight_.push_back(weight[s] / unit_);
    event_.push_back(samples.y[s] + samples.y_shift > 0.0 ? 1 : 0);
  }
}

/// Places of entries by ascending time: by counting where that is less work than sorting.
void LogRankScan::order_by_time(std::span<const Entry> entries, std::vector<std::uint32_t>& order, Scratch& s) const {
  const std::size_t n = entries.size();
  order.resize(n);
  if (n * std::bit_width(n) < n_times_) {
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t one = time_[entries[a].sample()], other = time_[entries[b].sample()];
      return one != other ? one < other : a < b;
    });
    return;
  }
  s.samples.assign(n_times_ + 1, 0);
  for (const Entry& entry : entries) ++s.samples[time_[entry.sample()] + 1];
  for (std::size_t t = 1; t < s.samples.size(); ++t) s.samples[t] += s.samples[t - 1];
  for (std::uint32_t i = 0; i < n; ++i) order[s.samples[time_[entries[i].sample()]]++] = i;
}

/// Fills s.tags with k of every entry, and s.previous, s.parent and s.buffer with what RiskSets has; returns how many
/// times with events there are.
std::size_t LogRankScan::fill(std::span<const Entry> entries, Scratch& s) const {
  const std::size_t n = entries.size();
  std::vector<std::uint32_t>& order = s.order;
  order_by_time(entries, order, s);
  const auto time_at = [&](std::size_t i) { return time_[entries[order[i]].sample()]; };
  s.numbers.clear();  // d and Y of each time with events, the last first: sums of few rows are exact
  double at_risk = 0.0;
  for (std::size_t end = n; end > 0;) {
    double events = 0.0;
    const std::uint32_t time = time_at(end - 1);
    for (; end > 0 && time_at(end - 1) == time; --end) {
      const SampleIndex sample = entries[order[end - 1]].sample();
      at_risk += weight_[sample];
      if (event_[sample]) events += weight_[sample];
    }
    if (events > 0.0) s.numbers.insert(s.numbers.end(), {events, at_risk});
  }
  const std::size_t n_sets = s.numbers.size() / 2;
  for (std::vector<double>* sums : {&s.previous, &s.parent, &s.buffer}) sums->assign(n_sets + 1, 0.0);
  for (std::size_t k = 1; k <= n_sets; ++k) {
    const double d = s.numbers[2 * (n_sets - k)], y = s.numbers[2 * (n_sets - k) + 1];
    const double ties = y > 1.0 ? std::clamp((y - d) / (y - 1.0), 0.0, 1.0) : 0.0;
    s.previous[k] = s.previous[k - 1] + d / y;
    s.parent[k] = s.parent[k - 1] + d * ties / y;
    s.buffer[k] = s.buffer[k - 1] + d * ties / (y * y);
  }
  s.tags.resize(n);
  std::uint32_t k = 0;
  for (std::size_t i = 0; i < n;) {
    const std::uint32_t time = time_at(i);
    std::size_t end = i;
    bool happens = false;
    for (; end < n && time_at(end) == time; ++end) happens = happens || event_[entries[order[end]].sample()];
    if (happens) ++k;
    for (; i < end; ++i) s.tags[order[i]] = k;
  }
  return n_sets;
}

/// From both ends to the middle, so that no difference is taken of sums over almost all rows.
template <bool ordered>
Cut LogRankScan::best_of(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const {
  const std::size_t n = entries.size();
  if (n < 2 * limits.rows || n < 2) return {};
  s.interrupt->check();
  const std::size_t n_sets = fill(entries, s);
  if (n_sets == 0) return {};
  const RiskSets sets{s.previous.data(), s.parent.data(), s.buffer.data(), n_sets};
  double count = 0.0, time = 0.0;
  for (std::size_t i = 0; i < n && ordered; ++i) {
    const SampleIndex sample = entries[i].sample();
    count += samples_.weight[sample] * event_[sample];
    time += samples_.weight[sample] * samples_.exposure_of(sample);
  }
  double weight = 0.0;  // of the side, in the units of the limits
  const auto join = [&](Side& side, std::size_t i) {
    const SampleIndex sample = entries[i].sample();
    side.add(s.tags[i], weight_[sample], event_[sample]);
    weight += samples_.weight[sample];
    if constexpr (ordered) {
      side.count += samples_.weight[sample] * event_[sample];
      side.time += samples_.weight[sample] * samples_.exposure_of(sample);
    }
  };
  /// Whether a cut behind entry i is allowed, `side` being the left one or the right one.
  const auto allowed = [&](const Side& side, std::size_t i, bool is_left) {
    if (entries[i + 1].tied() || i + 1 < limits.rows || n - i - 1 < limits.rows) return false;
    if (weight < limits.weight || totals.weight - weight < limits.weight) return false;
    if constexpr (ordered) {
      const double own[2] = {side.count, side.time}, other[2] = {count - side.count, time - side.time};
      const double one = objective_.answer(own, 0.0), two = objective_.answer(other, 0.0);
      return limits.order.allows(is_left ? one : two, is_left ? two : one);
    }
    return true;
  };
  const double slack = totals.slack();
  Cut low, high;
  const std::size_t middle = n / 2;
  Side left(sets, s.scores);
  for (std::size_t i = 0; i < middle; ++i) {
    join(left, i);
    if (!allowed(left, i, true)) continue;
    const double drop = left.value() * unit_;
    if (drop > low.drop + slack) low = {drop, static_cast<std::uint32_t>(i)};
  }
  weight = 0.0;
  Side right(sets, s.scores);
  for (std::size_t i = n - 1; i-- > middle;) {
    join(right, i + 1);
    if (!allowed(right, i, false)) continue;
    const double drop = right.value() * unit_;
    if (drop > -kInfinity && drop >= high.drop - slack)
      high = {std::max(drop, high.drop), static_cast<std::uint32_t>(i)};
  }
  return high.drop > low.drop + slack ? high : low;
}

Split LogRankScan::best_nominal(FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                                const Limits& limits, Scratch& s) const {
  const std::vector<Run> runs = find_runs(entries, s.runs);
  std::vector<double> keys;
  for (const Run& run : runs) {
    double moments[2] = {0.0, 0.0};
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const SampleIndex sample = entries[i].sample();
      moments[0] += samples_.weight[sample] * event_[sample];
      moments[1] += samples_.weight[sample] * samples_.exposure_of(sample);
    }
    keys.push_back(-moments[0] / moments[1]);
  }
  return best_by_keys(*this, feature, entries, runs, keys, totals, limits, s);
}

Totals LogRankScan::totals_of(std::span<const Entry> entries, const Totals& node) const {
  Totals totals{.classes = {}, .origin = node.origin, .loss = node.loss};
  for (const Entry& entry : entries) totals.weight += samples_.weight[entry.sample()];
  return totals;
}

}  // namespace spinney
