#pragma once
// Cuts for objectives that need the rows themselves, such as medians.

#include <algorithm>
#include <utility>

#include "spinney/splits/scan.hpp"

namespace spinney {

/// The loss of a group that rows join one by one, by asking the objective anew for all of them: O(n) a row. An
/// objective that can do better has a type Running of its own.
template <RowObjective O>
class NaiveRunning {
 public:
  NaiveRunning(const O& objective, std::span<const double> y_by_place) : objective_(objective) {
    samples_.y.assign(y_by_place.begin(), y_by_place.end());
    samples_.weight.form = SampleWeights::Form::real;
    samples_.weight.values.resize(y_by_place.size());
  }
  void add(std::size_t place, double weight) {
    const auto at = static_cast<SampleIndex>(place);
    samples_.weight.values[at] = weight;
    group_.insert(std::upper_bound(group_.begin(), group_.end(), at), at);
  }
  double loss() const { return objective_.leaf({samples_, group_}).loss; }
  double answer() const { return objective_.leaf({samples_, group_}).answer; }

 private:
  const O& objective_;
  Samples samples_;                 // by place
  std::vector<SampleIndex> group_;  // ascending
};

template <class O>
struct RunningOf {
  using type = NaiveRunning<O>;
};
template <class O>
  requires requires { typename O::Running; }
struct RunningOf<O> {
  using type = typename O::Running;
};

template <RowObjective O>
class RowScan final : public Scan {
 public:
  RowScan(O objective, const Samples& samples)
      : objective_(objective), samples_(samples), weight_(samples.search_weight()) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const override {
    return best_of<false>(entries, totals, limits, s);
  }

  Cut best_ordered_cut(const Cut&, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                       Scratch& s) const override {
    return best_of<true>(entries, totals, limits, s);
  }

  /// Categories in the order of their answers, cut like numbers: a heuristic.
  Split best_nominal(FeatureIndex feature, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                     Scratch& s) const override {
    const std::vector<Run> runs = find_runs(entries, s.runs);
    std::vector<double> keys;
    for (const Run& run : runs) {
      s.samples.clear();
      for (std::uint32_t i = run.begin; i < run.end; ++i) s.samples.push_back(entries[i].sample());
      std::stable_sort(s.samples.begin(), s.samples.end(),
                       [&](SampleIndex a, SampleIndex b) { return samples_.y[a] < samples_.y[b]; });
      keys.push_back(objective_.leaf({samples_, s.samples, O::kShiftInvariant ? 0.0 : totals.origin}).answer);
    }
    return best_by_keys(*this, feature, entries, runs, keys, totals, limits, s);
  }

  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override {
    Totals totals{.classes = {}, .origin = node.origin, .loss = node.loss};
    for (const Entry& entry : entries) totals.weight += weight_[entry.sample()];
    return totals;
  }

 private:
  /// ordered: only cuts that keep the order of the limits.
  template <bool ordered>
  Cut best_of(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const {
    const std::size_t n = entries.size();
    if (n < 2 * limits.rows) return {};
    std::vector<std::uint32_t> place(n);
    double origin = 0.0;
    const std::vector<double> y_by_place = place_by_y(entries, totals, place, origin);
    const double shift = O::kShiftInvariant ? origin + samples_.y_shift : 0.0;
    const auto add_entry = [&](auto& side, std::size_t i) { side.add(place[i], weight_[entries[i].sample()]); };
    // Losses of every prefix, then of every suffix.
    s.scores.assign(n, 0.0);
    s.numbers.assign(ordered ? n : 0, 0.0);  // answers of every prefix
    typename RunningOf<O>::type left(objective_, y_by_place), right(objective_, y_by_place);
    for (std::size_t i = 0; i < n; ++i) {
      if (i % kCheckEvery == 0) s.interrupt->check();
      add_entry(left, i);
      s.scores[i] = left.loss();
      if constexpr (ordered) s.numbers[i] = left.answer() + shift;
    }
    const double parent = s.scores[n - 1];
    Cut best;
    double right_weight = 0.0;
    for (std::size_t i = n - 1; i-- > 0;) {
      if (i % kCheckEvery == 0) s.interrupt->check();
      add_entry(right, i + 1);
      right_weight += weight_[entries[i + 1].sample()];
      if (entries[i + 1].tied() || i + 1 < limits.rows || n - i - 1 < limits.rows) continue;
      if (right_weight < limits.weight || totals.weight - right_weight < limits.weight) continue;
      if constexpr (ordered) {
        if (!limits.order.allows(s.numbers[i], right.answer() + shift)) continue;
      }
      const double drop = parent - s.scores[i] - right.loss();
      if (drop >= best.drop - totals.slack()) {  // backwards: the lowest of equals wins
        best = {std::max(drop, best.drop), static_cast<std::uint32_t>(i)};
      }
    }
    return best;
  }

  // A row costs O(n) where the objective has no Running of its own.
  static constexpr std::size_t kCheckEvery = requires { typename O::Running; } ? 65536 : 256;

  /// The place of every entry in the order of y, and y by place, less an origin.
  std::vector<double> place_by_y(std::span<const Entry> entries, const Totals& totals,
                                 std::vector<std::uint32_t>& place, double& origin) const {
    std::vector<std::pair<double, std::uint32_t>> by_y(entries.size());  // y and entry: equal targets keep their order
    for (std::uint32_t i = 0; i < by_y.size(); ++i) by_y[i] = {samples_.y[entries[i].sample()], i};
    std::sort(by_y.begin(), by_y.end());
    const double middle = by_y[by_y.size() / 2].first;  // keeps sums of large targets exact
    origin = O::kShiftInvariant ? middle : totals.origin;
    std::vector<double> y(by_y.size());
    for (std::uint32_t p = 0; p < by_y.size(); ++p) {
      place[by_y[p].second] = p;
      y[p] = by_y[p].first - origin;
    }
    return y;
  }

  O objective_;
  const Samples& samples_;
  const SampleWeights& weight_;
};

}  // namespace spinney
