#include "spinney/splits/count_scan.hpp"

#include <cmath>

#include "spinney/tolerance.hpp"

namespace spinney {

namespace {

/// What a division takes off the deviance lies between these.
struct Bounds {
  double low, high;
};

/// Divisions of a group in two by what stands left. With x how far a side is off the rate of both, as a share of it, a
/// side adds its expected count times h(x) = (1 + x) log(1 + x) - x to the drop. Bounds of h without a logarithm:
///   x >= 0   x^2 / (2 + 2x/3) <= h <= x^2 (3 + x) / (6 + 4x)            Bernstein; log's Pade approximant
///   x <= 0   x^2 (1/2 + |x|/6) <= h <= x^2 (1/2 + |x|/6 + x^2/3)       its series: the rest adds up to 1/3 at -1
class CountDrop {
 public:
  CountDrop(double count, double time, double slack)
      : count_(count), time_(time), rate_(count / time), rate_by_time_(rate_ / time), slack_(slack) {}

  /// By how much the left side is off its expected count, and what the side that is below it should have.
  struct Place {
    double more, left_time, right_time, below;
  };
  Place place(double left, double left_time) const {
    const double more = left - rate_ * left_time, right_time = time_ - left_time;
    return {more, left_time, right_time, rate_ * (more < 0.0 ? left_time : right_time)};
  }
  /// Whether a division can come to a drop, by h <= x^2 (1 + max(0, -x)) / 2 and without a quotient.
  bool reaches(const Place& at, double least) const {
    return at.more * at.more * time_ * (at.below + std::abs(at.more)) * kHalf >
           least * rate_ * at.left_time * at.right_time * at.below;
  }
  Bounds bounds(const Place& at) const {
    const double low_side = at.below, high_side = rate_ * time_ - low_side;
    const double quotient = std::abs(at.more) / (low_side * high_side);  // divisions are what this costs
    const double x = quotient * high_side, z = quotient * low_side;
    const double common = low_side * x * x * (1.0 / 2 + x * (1.0 / 6)), x4 = x * x * (x * x);
    const double least = 2.0 + z * (2.0 / 3), most = 6.0 + 4.0 * z, part = high_side * z * z / (least * most);
    return {(common + part * most) * kBelow, (common + low_side * x4 * (1.0 / 3) + part * (3.0 + z) * least) * kAbove};
  }
  double operator()(double left, double left_time) const {
    return Poisson{}.drop_of(left, left_time, count_ - left, time_ - left_time);
  }
  double limit(double least) const { return least * rate_by_time_ * (1.0 - tolerance::kBound); }
  double slack() const { return slack_; }
  double rate() const { return rate_; }
  double time() const { return time_; }

 private:
  static constexpr double kAbove = 1.0 + tolerance::kBound, kBelow = 1.0 - tolerance::kBound, kHalf = kAbove / 2.0;

  double count_, time_, rate_, rate_by_time_, slack_;
};

/// The divisions that may be the best: those whose upper bound comes to the highest lower bound so far.
class Rivals {
 public:
  Rivals(const CountDrop& drop, Scratch& scratch) : drop_(drop), s_(scratch) {
    s_.buffer.clear();
    s_.tags.clear();
  }
  /// What the square of left - expected must exceed, by left time times right time: h <= x^2.
  double limit() const { return limit_; }
  /// Some division, which is still to be met, comes to these: the best is no worse.
  void raise(const Bounds& bounds) {
    const double low = bounds.low - 4.0 * drop_.slack();
    if (!(low > least_)) return;
    least_ = low;
    limit_ = drop_.limit(low);
  }
  /// Takes a division whose bounds are known.
  void take(const Bounds& bounds, double left, double left_time, std::uint32_t position) {
    if (bounds.high < least_) return;
    s_.buffer.insert(s_.buffer.end(), {bounds.high, left, left_time});
    s_.tags.push_back(position);
  }
  /// Most divisions get no further than this.
  [[gnu::always_inline]] void meet(double left, double left_time, std::uint32_t position) {
    const CountDrop::Place at = drop_.place(left, left_time);
    if (drop_.reaches(at, least_)) keep(left, at, position);
  }
  /// The first of the best.
  Moment best() const {
    Moment best;
    for (std::size_t i = 0; i < s_.tags.size(); ++i) {
      const double* const rival = s_.buffer.data() + 3 * i;
      if (rival[0] < least_) continue;
      const double found = drop_(rival[1], rival[2]);
      if (found > best.score + drop_.slack()) best = {found, s_.tags[i]};
    }
    return best;
  }

 private:
  [[gnu::noinline]] void keep(double left, const CountDrop::Place& at, std::uint32_t position) {
    const Bounds bounds = drop_.bounds(at);
    raise(bounds);
    take(bounds, left, at.left_time, position);
  }

  const CountDrop& drop_;
  Scratch& s_;
  double least_ = -kInfinity, limit_ = -kInfinity;
};

/// add(i): what entry i adds to (left, left time). A first pass adds up, and finds the division whose sides are
/// furthest off: a drop that the best comes to. Few others are then met in a second one.
template <class Add>
[[gnu::always_inline]] inline Moment scan_by(const ScanRange& range, const CountDrop& drop, Scratch& scratch,
                                             const Add& add) {
  const Entry* const e = range.entries;
  const std::size_t first = range.limits.rows - 1, last = range.n - range.limits.rows;
  const double rate = drop.rate(), time = drop.time();
  scratch.run.resize(std::max(scratch.run.size(), last));
  scratch.previous.resize(std::max(scratch.previous.size(), last));
  double *const counts = scratch.run.data(), *const times = scratch.previous.data();
  double left = 0.0, left_time = 0.0, square = -1.0, product = 1.0;
  std::size_t furthest = last;
  for (std::size_t i = 0; i < first; ++i) add(i, left, left_time);
  for (std::size_t i = first; i < last; ++i) {
    add(i, left, left_time);
    counts[i] = left;
    times[i] = left_time;
    const double more = left - rate * left_time, own = left_time * (time - left_time);
    if (more * more * product <= square * own || e[i + 1].tied()) continue;
    square = more * more;
    product = own;
    furthest = i;
  }
  if (furthest == last) return {};
  Rivals rivals(drop, scratch);
  const Bounds known = drop.bounds(drop.place(counts[furthest], times[furthest]));
  rivals.raise(known);
  double limit = rivals.limit();
  for (std::size_t i = first; i < last; ++i) {
    const double more = counts[i] - rate * times[i];
    if (more * more < limit * (times[i] * (time - times[i])) || e[i + 1].tied()) continue;
    if (i == furthest) {
      rivals.take(known, counts[i], times[i], static_cast<std::uint32_t>(i));
      continue;
    }
    rivals.meet(counts[i], times[i], static_cast<std::uint32_t>(i));
    limit = rivals.limit();
  }
  return rivals.best();
}

}  // namespace

Moment scan_counts(ScanRange range, const CountTerms& terms, double count, double time, Scratch& scratch) {
  if (range.n < 2 * range.limits.rows) return {};
  const Entry* const e = range.entries;
  const CountDrop drop(count, time, range.slack);
  const double* const y = terms.count;
  if (terms.both == nullptr) {
    const double origin = terms.origin;
    return scan_by(range, drop, scratch, [&](std::size_t i, double& left, double& left_time) {
      left += y[e[i].sample()] - origin;
      left_time += 1.0;
    });
  }
  const CountTerm* const both = terms.both;
  return scan_by(range, drop, scratch, [&](std::size_t i, double& left, double& left_time) {
    const CountTerm& own = both[e[i].sample()];
    left += own.count;
    left_time += own.time;
  });
}

WholeCounts::WholeCounts(const Samples& samples) {
  constexpr double kMostPerSample = 64.0;
  const SampleWeights& weight = samples.search_weight();
  if (!samples.exposure.empty() || weight.form == SampleWeights::Form::real) return;
  double total = 0.0, units = 0.0;
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    const double y = samples.y[s] + samples.y_shift, n = weight.is_equal() ? 1.0 : weight.times[s];
    if (y < 0.0 || y != std::floor(y)) return;
    total += n * y;
    units += n;
  }
  if (total > kMostPerSample * static_cast<double>(samples.size())) return;
  times = weight.is_equal() ? nullptr : weight.times.data();
  for (SampleIndex s = 0; s < samples.size(); ++s)
    count.push_back(static_cast<std::uint32_t>((times ? times[s] : 1) * (samples.y[s] + samples.y_shift)));
  log.assign(static_cast<std::size_t>(units) + 1, 0.0);
  count_log.assign(static_cast<std::size_t>(total) + 1, 0.0);
  for (std::size_t i = 2; i < std::max(log.size(), count_log.size()); ++i) {
    const double one = std::log(static_cast<double>(i));
    if (i < log.size()) log[i] = one;
    if (i < count_log.size()) count_log[i] = static_cast<double>(i) * one;
  }
}

namespace {

/// What stands on one side, in units.
struct Side {
  std::uint32_t count = 0, time = 0;
};

struct WholeBest {
  double score = -kInfinity;
  Side left;
  std::uint32_t position = 0;
};

/// kTimes: whether samples count several times.
template <bool kTimes>
[[gnu::always_inline]] inline WholeBest scan_whole_by(const ScanRange& range, const WholeCounts& whole, Side all) {
  WholeBest best;
  const Entry* const e = range.entries;
  const double *const log = whole.log.data(), *const count_log = whole.count_log.data();
  const auto score = [&](Side side) { return count_log[side.count] - side.count * log[side.time]; };
  Side left;
  for (std::size_t i = 0; i + range.limits.rows < range.n; ++i) {
    left.count += whole.count[e[i].sample()];
    left.time += kTimes ? whole.times[e[i].sample()] : 1;
    if (e[i + 1].tied() || i + 1 < range.limits.rows) continue;
    const double found = score(left) + score({all.count - left.count, all.time - left.time});
    if (found > best.score + range.slack) best = {found, left, static_cast<std::uint32_t>(i)};
  }
  return best;
}

WholeBest scan_whole(ScanRange range, const WholeCounts& whole, Side all) {
  if (range.n < 2 * range.limits.rows) return {};
  return whole.times ? scan_whole_by<true>(range, whole, all) : scan_whole_by<false>(range, whole, all);
}

}  // namespace

Cut PoissonScan::best_whole_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits) const {
  const double unit = weight_.unit;
  Side all{static_cast<std::uint32_t>(std::llround(totals.count / unit)),
           static_cast<std::uint32_t>(std::llround(totals.time / unit))};
  if (all.time == 0) {
    for (const Entry& entry : entries) {
      all.count += whole_.count[entry.sample()];
      all.time += whole_.times ? whole_.times[entry.sample()] : 1;
    }
  }
  const WholeBest best = scan_whole({entries.data(), entries.size(), limits, totals.slack() / unit}, whole_, all);
  if (best.score == -kInfinity) return {};
  const double drop =
      objective_.drop_of(best.left.count, best.left.time, all.count - best.left.count, all.time - best.left.time);
  return {drop * unit, best.position};
}

PoissonScan::PoissonScan(const Poisson& objective, const Samples& samples)
    : MomentScan(objective, samples), n_samples_(samples.size()), whole_(samples) {
  if (!whole_.empty()) return;
  if (weight_.is_equal() && samples.exposure.empty()) return;
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    terms_.push_back({weight_[s] * (samples.y[s] + samples.y_shift), weight_[s] * samples.exposure_of(s)});
  }
}

Cut PoissonScan::best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                          Scratch& scratch) const {
  if (limits.weight > 0.0 || parted()) return MomentScan::best_cut(entries, totals, limits, scratch);
  if (!whole_.empty()) return best_whole_cut(entries, totals, limits);
  const bool alike = terms_.empty();  // time is counted in samples then
  const double unit = alike ? weight_.unit : 1.0;
  const CountTerms terms =
      alike ? CountTerms{samples_.y.data(), nullptr, totals.origin} : CountTerms{nullptr, terms_.data(), 0.0};
  double count = totals.count / unit, time = totals.time / unit;
  if (!(time > 0.0)) {
    for (const Entry& entry : entries) {
      count += alike ? terms.count[entry.sample()] - terms.origin : terms_[entry.sample()].count;
      time += alike ? 1.0 : terms_[entry.sample()].time;
    }
  }
  if (!(count > 0.0)) return MomentScan::best_cut(entries, totals, limits, scratch);
  const ScanRange range{entries.data(), entries.size(), limits, totals.slack() / unit};
  const Moment best = scan_counts(range, terms, count, time, scratch);
  return {best.score * unit, best.position};
}

Cut PoissonScan::best_group_cut(const Groups& groups, const Totals& totals, const Limits& limits,
                                Scratch& scratch) const {
  double all_rows = 0.0, count = 0.0, time = 0.0, rows = 0.0, weight = 0.0, left = 0.0, left_time = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    all_rows += groups.rows[g];
    count += groups.moments_of(g)[0];
    time += objective_.time(groups.moments_of(g), groups.weight[g]);
  }
  if (!(count > 0.0)) return MomentScan::best_group_cut(groups, totals, limits, scratch);
  const CountDrop drop(count, time, totals.slack());
  const auto least = static_cast<double>(limits.rows);
  Rivals rivals(drop, scratch);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    rows += groups.rows[g];
    weight += groups.weight[g];
    left += groups.moments_of(g)[0];
    left_time += objective_.time(groups.moments_of(g), groups.weight[g]);
    if (rows < least || all_rows - rows < least) continue;
    if (weight < limits.weight || totals.weight - weight < limits.weight) continue;
    rivals.meet(left, left_time, static_cast<std::uint32_t>(g));
  }
  const Moment best = rivals.best();
  return {best.score, best.position};
}

}  // namespace spinney
