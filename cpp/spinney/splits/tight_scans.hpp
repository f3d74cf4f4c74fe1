#pragma once
// The scans of Gini without costs and of squared error: what MomentScan finds, from the loops of moments.cpp. A test
// holds both equal.

#include <numeric>

#include "spinney/objective/gini.hpp"
#include "spinney/objective/squared_error.hpp"
#include "spinney/splits/lane_drops.hpp"
#include "spinney/splits/moment_scan.hpp"
#include "spinney/splits/moments.hpp"

namespace spinney {

/// Inverses of all the weights that a side can have, counted in units; empty if they are no multiples of one.
inline std::vector<double> unit_inverses(const SampleWeights& weight) {
  if (weight.is_equal()) return make_inverses(weight.size());
  if (weight.times.empty()) return {};
  return make_inverses(std::accumulate(weight.times.begin(), weight.times.end(), std::size_t{0}));
}

/// Two classes and multiples: what a sample adds to both sums, in a byte: 2 * times + label.
inline std::vector<std::uint8_t> tally_bytes(const Samples& samples) {
  const std::vector<std::uint8_t>& times = samples.search_weight().times;
  std::vector<std::uint8_t> tally(times.size());
  for (std::size_t s = 0; s < tally.size(); ++s) tally[s] = static_cast<std::uint8_t>(2 * times[s] + samples.label[s]);
  return tally;
}

/// A sum that divisions part: a side explains scale * sum^2 / weight, and answers sum / weight + shift.
struct PartedSum {
  double sum, weight, shift, scale;
};

/// The best cut that keeps an order, of objectives whose answers are means. add(entry, sum, weight) is what an entry
/// adds to its side. A cut that explains no more than another need not be asked what it answers.
template <class Add>
Cut best_ordered_mean(const PartedSum& all, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                      const Cut& best, const Add& add) {
  const AnswerOrder order = limits.order;
  const double sum = all.sum, weight = all.weight, scale = all.scale;
  const double slack = totals.slack() / scale;
  double left = 0.0, left_weight = 0.0;
  const auto allowed = [&] {
    return order.allows(left / left_weight + all.shift, (all.sum - left) / (all.weight - left_weight) + all.shift);
  };
  for (std::size_t i = 0; i <= best.position; ++i) add(entries[i], left, left_weight);
  if (allowed()) return best;
  left = left_weight = 0.0;
  Cut found;
  for (std::size_t i = 0; i + limits.rows < entries.size(); ++i) {
    add(entries[i], left, left_weight);
    if (entries[i + 1].tied() || i + 1 < limits.rows) continue;
    const double right = sum - left, right_weight = weight - left_weight;
    if (!(right_weight > 0.0) || left_weight < limits.weight || right_weight < limits.weight) continue;
    const double explained = left * left / left_weight + right * right / right_weight;
    if (explained > found.drop + slack && allowed()) found = {explained, static_cast<std::uint32_t>(i)};
  }
  found.drop = scale * (found.drop - sum * sum / weight);
  return found;
}

/// Gini without costs: the same answers as MomentScan<Gini>, from tighter loops.
class GiniScan final : public MomentScan<Gini>, private BlockScan {
 public:
  explicit GiniScan(const Samples& samples)
      : MomentScan(Gini{{{.n = samples.n_classes}}}, samples),
        inverse_(samples.n_classes == 2 ? unit_inverses(weight_) : std::vector<double>{}),
        tally_(samples.n_classes == 2 ? tally_bytes(samples) : std::vector<std::uint8_t>{}) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
               Scratch& scratch) const override {
    if (samples_.n_classes != 2) return many_classes(entries, totals, limits, scratch);
    if (hopeless(totals, limits.order)) return {};
    ScanRange range{entries.data(), entries.size(), limits, totals.slack() / 2.0};
    const double ones = totals.classes[1];
    if (weight_.is_equal() && !class_begin_.empty()) {
      range.slack /= weight_.unit;
      const double n_ones = std::round(ones / weight_.unit);
      const Moment best = scan_two_classes(range, class_begin_[1], n_ones, inverse_.data());
      const double drop = best.score - n_ones * n_ones * inverse_[entries.size()];
      return {2.0 * drop * weight_.unit, best.position};
    }
    if (weight_.form == SampleWeights::Form::multiples && limits.weight == 0.0) {
      range.slack /= weight_.unit;
      const double n_ones = std::round(ones / weight_.unit);
      const auto n_units = static_cast<std::size_t>(std::round(totals.weight / weight_.unit));
      const Moment best = scan_tally(range, tally_.data(), n_ones, n_units, inverse_.data());
      return {2.0 * (best.score - n_ones * n_ones * inverse_[n_units]) * weight_.unit, best.position};
    }
    const Moment best = scan_two_classes(range, samples_.is_one.data(), weight_.values.data(), ones, totals.weight);
    return {2.0 * (best.score - ones * ones / totals.weight), best.position};
  }

  std::array<double, kRowLanes> drops_of(const GivenCuts& cuts, const Totals& totals, const Limits& limits,
                                         Scratch& s) const override {
    if (samples_.n_classes != 2 || !counts_classes() || limits.weight > 0.0)
      return MomentScan::drops_of(cuts, totals, limits, s);
    const auto n_ones = static_cast<std::size_t>(std::round(totals.classes[1] / weight_.unit));
    return drops_of_classes(cuts, n_ones, {inverse_.data(), weight_.unit, limits.rows}).drops;
  }

  Cut best_ordered_cut(const Cut& best, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                       Scratch& s) const override {
    if (samples_.n_classes != 2) return MomentScan::best_ordered_cut(best, entries, totals, limits, s);
    const auto search = [&](const auto& add) {
      return best_ordered_mean({totals.classes[1], totals.weight, 0.0, 2.0}, entries, totals, limits, best, add);
    };
    const std::uint8_t* const is_one = samples_.is_one.data();
    const double unit = weight_.unit, *const own = weight_.values.data();
    if (weight_.is_equal()) {
      return search([=](const Entry& entry, double& ones, double& weight) {
        ones += unit * is_one[entry.sample()];
        weight += unit;
      });
    }
    return search([=](const Entry& entry, double& ones, double& weight) {
      ones += own[entry.sample()] * is_one[entry.sample()];
      weight += own[entry.sample()];
    });
  }

  const BlockScan* blocks() const override {
    return samples_.n_classes == 2 && weight_.form == SampleWeights::Form::real ? this : nullptr;
  }

 private:
  double best_between_blocks(std::span<const Entry> entries, const BlockView& blocks, const Totals& totals,
                             const Limits& limits) const override {
    const ScanRange range{entries.data(), entries.size(), limits, 0.0};
    return spinney::best_between_blocks(range, totals.classes[1], totals.weight, blocks);
  }

  Cut best_cut_by_blocks(std::span<const Entry> entries, const BlockView& blocks, const Totals& totals,
                         const Limits& limits) const override {
    const ScanRange range{entries.data(), entries.size(), limits, totals.slack() / 2.0};
    const double ones = totals.classes[1];
    const Moment best =
        scan_two_classes(range, samples_.is_one.data(), weight_.values.data(), ones, totals.weight, blocks);
    return {2.0 * (best.score - ones * ones / totals.weight), best.position};
  }

  /// Sums of squares kept up to date row by row: exact for whole-number weights.
  Cut many_classes(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const {
    double left_squares = 0.0, right_squares = 0.0, left_weight = 0.0;
    s.left.assign(totals.classes.size(), 0.0);
    for (const double w : totals.classes) right_squares += w * w;
    const double parent = right_squares / totals.weight;
    Cut best;
    for (std::size_t i = 0; i + limits.rows < entries.size(); ++i) {
      const double w = weight_[entries[i].sample()];
      const std::size_t c = samples_.label[entries[i].sample()];
      left_squares += w * (2.0 * s.left[c] + w);
      right_squares -= w * (2.0 * (totals.classes[c] - s.left[c]) - w);
      s.left[c] += w;
      left_weight += w;
      if (entries[i + 1].tied() || i + 1 < limits.rows) continue;
      const double right_weight = totals.weight - left_weight;
      if (!(right_weight > 0.0) || left_weight < limits.weight || right_weight < limits.weight) continue;
      const double drop = left_squares / left_weight + right_squares / right_weight - parent;
      if (drop > best.drop + totals.slack()) best = {drop, static_cast<std::uint32_t>(i)};
    }
    return best;
  }

  std::vector<double> inverse_;
  std::vector<std::uint8_t> tally_;
};

/// Squared error: the same answers as MomentScan<SquaredError>, from tighter loops.
class SquaredErrorScan final : public MomentScan<SquaredError> {
 public:
  explicit SquaredErrorScan(const Samples& samples)
      : MomentScan(SquaredError{}, samples), inverse_(unit_inverses(weight_)) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch&) const override {
    if (hopeless(totals, limits.order)) return {};
    ScanRange range{entries.data(), entries.size(), limits, totals.slack()};
    if (weight_.is_equal()) {
      range.slack /= weight_.unit;
      const Moment best = scan_mean(range, samples_.y.data(), totals.origin, totals.centred, inverse_.data());
      return {best.score * weight_.unit, best.position};
    }
    if (weight_.form == SampleWeights::Form::multiples && limits.weight == 0.0) {
      range.slack /= weight_.unit;
      const auto n_units = static_cast<std::size_t>(std::round(totals.weight / weight_.unit));
      const Moment best = scan_mean(range, samples_.y.data(), totals.origin, totals.centred, weight_.times.data(),
                                    n_units, inverse_.data());
      return {best.score * weight_.unit, best.position};
    }
    const Moment best =
        scan_mean(range, samples_.y.data(), totals.origin, totals.centred, weight_.values.data(), totals.weight);
    return {best.score, best.position};
  }

  Cut best_ordered_cut(const Cut& best, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                       Scratch&) const override {
    const double *const y = samples_.y.data(), origin = totals.origin;
    double sum = 0.0;
    const auto search = [&](const auto& add) {
      double weight = 0.0;
      for (const Entry& entry : entries) add(entry, sum, weight);
      return best_ordered_mean({sum, totals.weight, shift(totals), 1.0}, entries, totals, limits, best, add);
    };
    const double unit = weight_.unit, *const own = weight_.values.data();
    if (weight_.is_equal()) {
      return search([=](const Entry& entry, double& left, double& weight) {
        left += unit * (y[entry.sample()] - origin);
        weight += unit;
      });
    }
    return search([=](const Entry& entry, double& left, double& weight) {
      left += own[entry.sample()] * (y[entry.sample()] - origin);
      weight += own[entry.sample()];
    });
  }

  double drop_of(const GivenCut& cut, const Totals& totals, const Limits& limits, Scratch& s) const override {
    if (!weight_.is_equal() || !totals.centred || limits.order.active())
      return MomentScan::drop_of(cut, totals, limits, s);
    const std::size_t n = cut.size(), n_left = count_left(cut.value, n, cut.threshold);
    if (n_left < limits.rows || n - n_left < limits.rows) return -kInfinity;
    const double sum = sum_left(cut, samples_.y.data(), totals.origin);  // that of the right side is its opposite
    return sum * sum * (inverse_[n_left] + inverse_[n - n_left]) * weight_.unit;
  }

  std::array<double, kRowLanes> drops_of(const GivenCuts& cuts, const Totals& totals, const Limits& limits,
                                         Scratch& s) const override {
    if (!weight_.is_equal() || !totals.centred) return MomentScan::drops_of(cuts, totals, limits, s);
    return drops_of_numbers(cuts, samples_.y.data(), totals.origin, {inverse_.data(), weight_.unit, limits.rows});
  }

  Cut best_group_cut(const Groups& groups, const Totals& totals, const Limits& limits, Scratch&) const override {
    double all_rows = 0.0, sum = 0.0, rows = 0.0, weight = 0.0, left = 0.0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      all_rows += groups.rows[g];
      sum += groups.moments[g];
    }
    Cut best;
    const auto least = static_cast<double>(limits.rows);
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      rows += groups.rows[g];
      weight += groups.weight[g];
      left += groups.moments[g];
      const double right_weight = totals.weight - weight, right = sum - left;
      if (rows < least || all_rows - rows < least || !(right_weight > 0.0)) continue;
      if (weight < limits.weight || right_weight < limits.weight) continue;
      const double drop = left * left / weight + right * right / right_weight - sum * sum / totals.weight;
      if (drop > best.drop + totals.slack()) best = {drop, static_cast<std::uint32_t>(g)};
    }
    return best;
  }

 private:
  std::vector<double> inverse_;
};

}  // namespace spinney
