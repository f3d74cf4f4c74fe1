#include "spinney/splits/absolute_scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace spinney {

namespace {

/// Weights and weighted targets over positions in y order, added one by one; the median and the loss in O(log n).
class RunningMedian {
 public:
  explicit RunningMedian(std::size_t n) : n_(n), top_(std::bit_floor(n)), weight_(n + 1, 0.0), sum_(n + 1, 0.0) {}

  void add(std::size_t place, double w, double y) {
    total_ += w;
    total_sum_ += w * y;
    for (std::size_t i = place + 1; i <= n_; i += i & (~i + 1)) {
      weight_[i] += w;
      sum_[i] += w * y;
    }
  }
  /// sum of w |y - m| = (sum above - sum below) + m (weight below - weight above), m the y at the median's place.
  double loss(const std::vector<double>& y_by_place) const {
    std::size_t at = 0;
    double below = 0.0, below_sum = 0.0;
    for (std::size_t step = top_; step > 0; step /= 2) {
      if (at + step <= n_ && below + weight_[at + step] < total_ / 2.0) {
        at += step;
        below += weight_[at];
        below_sum += sum_[at];
      }
    }
    const double median = y_by_place[std::min(at, n_ - 1)];
    return std::max(0.0, total_sum_ - 2.0 * below_sum + median * (2.0 * below - total_));
  }

 private:
  std::size_t n_, top_;
  std::vector<double> weight_, sum_;
  double total_ = 0.0, total_sum_ = 0.0;
};

}  // namespace

MedianLoss median_loss(std::span<const SampleIndex> by_y, const Samples& samples) {
  double total = 0.0;
  for (const SampleIndex s : by_y) total += samples.split_weight_of(s);
  double below = 0.0;
  MedianLoss result{0.0, 0.0};
  for (std::size_t i = 0; i < by_y.size(); ++i) {
    below += samples.split_weight_of(by_y[i]);
    result.median = samples.y[by_y[i]];
    if (std::abs(below - total / 2.0) <= 1e-12 * total &&
        i + 1 < by_y.size()) {  // between two values: halfway, as statistics does
      result.median = samples.y[by_y[i]] / 2.0 + samples.y[by_y[i + 1]] / 2.0;
    }
    if (below >= total / 2.0 * (1.0 - 1e-12)) break;
  }
  for (const SampleIndex s : by_y) result.loss += samples.split_weight_of(s) * std::abs(samples.y[s] - result.median);
  return result;
}

Cut AbsoluteErrorScan::best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                                Scratch& s) const {
  const std::size_t n = entries.size();
  if (n < 2 * limits.rows) return {};
  // Place of every entry in y order.
  std::vector<std::uint32_t> by_y(n), place(n);
  for (std::uint32_t i = 0; i < n; ++i) by_y[i] = i;
  std::stable_sort(by_y.begin(), by_y.end(), [&](std::uint32_t a, std::uint32_t b) {
    return samples_.y[entries[a].sample] < samples_.y[entries[b].sample];
  });
  const double origin = samples_.y[entries[by_y[n / 2]].sample];  // keeps sums of large targets exact
  std::vector<double> y_by_place(n);
  for (std::uint32_t p = 0; p < n; ++p) {
    place[by_y[p]] = p;
    y_by_place[p] = samples_.y[entries[by_y[p]].sample] - origin;
  }
  // Losses of every prefix, then of every suffix.
  s.scores.assign(n, 0.0);
  const auto add_entry = [&](RunningMedian& side, std::size_t i) {
    side.add(place[i], samples_.split_weight_of(entries[i].sample), y_by_place[place[i]]);
  };
  RunningMedian left(n), right(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 65536 == 0) s.interrupt->check();
    add_entry(left, i);
    s.scores[i] = left.loss(y_by_place);
  }
  const double parent = s.scores[n - 1];
  Cut best;
  double right_weight = 0.0;
  for (std::size_t i = n - 1; i-- > 0;) {
    if (i % 65536 == 0) s.interrupt->check();
    add_entry(right, i + 1);
    right_weight += samples_.split_weight_of(entries[i + 1].sample);
    if (entries[i].rank == entries[i + 1].rank || i + 1 < limits.rows || n - i - 1 < limits.rows) continue;
    if (right_weight < limits.weight || totals.weight - right_weight < limits.weight) continue;
    const double drop = parent - s.scores[i] - right.loss(y_by_place);
    if (drop >= best.drop - totals.slack()) {  // backwards: the lowest of equals wins
      best = {std::max(drop, best.drop), static_cast<std::uint32_t>(i)};
    }
  }
  return best;
}

void AbsoluteErrorScan::order_runs(std::span<const Entry> entries, std::span<const Run> runs, std::vector<double>& keys,
                                   Scratch& s) const {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    s.samples.clear();
    for (std::uint32_t i = runs[r].begin; i < runs[r].end; ++i) s.samples.push_back(entries[i].sample);
    std::stable_sort(s.samples.begin(), s.samples.end(),
                     [&](SampleIndex a, SampleIndex b) { return samples_.y[a] < samples_.y[b]; });
    keys[r] = median_loss(s.samples, samples_).median;
  }
}

}  // namespace spinney
