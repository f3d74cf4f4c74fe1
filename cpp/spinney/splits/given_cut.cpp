#include "spinney/splits/given_cut.hpp"

#include <algorithm>

#include "spinney/multiversion.hpp"

namespace spinney {

namespace {

/// Extremes of some of the values. Lanes are locals, not an array: most nodes have a few rows, and would wait for it.
struct Lane {
  double low = kInfinity, high = -kInfinity;
  bool missing = false;
  void add(double value) {
    low = value < low ? value : low;  // false for a missing one
    high = value > high ? value : high;
    missing |= value != value;
  }
};

}  // namespace

ValueRange gather_values(const double* column, std::size_t stride, std::span<const SampleIndex> members, double* out) {
  Lane a, b, c, d;  // they do not wait for each other
  const std::size_t n = members.size();
  const SampleIndex* const sample = members.data();
  const auto take = [&](std::size_t i, Lane& lane) {
    out[i] = column[sample[i] * stride];
    lane.add(out[i]);
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    take(i, a);
    take(i + 1, b);
    take(i + 2, c);
    take(i + 3, d);
  }
  for (; i < n; ++i) take(i, a);
  ValueRange range{std::min(std::min(a.low, b.low), std::min(c.low, d.low)),
                   std::max(std::max(a.high, b.high), std::max(c.high, d.high))};
  if (a.missing || b.missing || c.missing || d.missing)
    range.n_missing = static_cast<std::size_t>(std::count_if(out, out + n, [](double x) { return x != x; }));
  return range;
}

// Every lane adds up its rows one by one, in their order: sums do not depend on which columns stand beside them.

/// Extremes of every other row: two of them do not wait for each other.
struct LaneEnds {
  Four low = {kInfinity, kInfinity, kInfinity, kInfinity}, high = -low;
};

/// Copies the values of a sample, and takes note of them.
SPINNEY_INLINED void take_lanes(const double* row, const std::array<FeatureIndex, kRowLanes>& columns, Four* to,
                                LaneEnds& ends) {
  const Four value = {row[columns[0]], row[columns[1]], row[columns[2]], row[columns[3]]};
  *to = value;
  ends.low = value < ends.low ? value : ends.low;
  ends.high = value > ends.high ? value : ends.high;
}

SPINNEY_TWO_VERSIONS(LaneRanges, gather_lanes,
                     (const double* rows, std::size_t stride, std::span<const SampleIndex> members,
                      const std::array<FeatureIndex, kRowLanes>& columns, double* out),
                     (rows, stride, members, columns, out)) {
  const std::array<FeatureIndex, kRowLanes> own = columns;
  const SampleIndex* const sample = members.data();
  const std::size_t n = members.size();
  Four* const to = reinterpret_cast<Four*>(out);
  LaneEnds ends, others;
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    take_lanes(rows + sample[i] * stride, own, to + i, ends);
    take_lanes(rows + sample[i + 1] * stride, own, to + i + 1, others);
  }
  if (i < n) take_lanes(rows + sample[i] * stride, own, to + i, ends);
  const Four low = others.low < ends.low ? others.low : ends.low;
  const Four high = others.high > ends.high ? others.high : ends.high;
  return {{low[0], low[1], low[2], low[3]}, {high[0], high[1], high[2], high[3]}};
}

SPINNEY_TWO_VERSIONS(LaneCounts, count_left, (const GivenCuts& cuts, std::size_t begin, std::size_t end),
                     (cuts, begin, end)) {
  const Four* const value = reinterpret_cast<const Four*>(cuts.value);
  const auto [a, b, c, d] = cuts.threshold;
  const Four threshold = {a, b, c, d};
  FourMasks count = {0, 0, 0, 0}, other = count;
  std::size_t i = begin;
  for (; i + 2 <= end; i += 2) {
    count -= value[i] <= threshold;
    other -= value[i + 1] <= threshold;
  }
  if (i < end) count -= value[i] <= threshold;
  count += other;
  return {static_cast<double>(count[0]), static_cast<double>(count[1]), static_cast<double>(count[2]),
          static_cast<double>(count[3])};
}

SPINNEY_TWO_VERSIONS(LaneSums, sum_left, (const GivenCuts& cuts, const double* y, double origin), (cuts, y, origin)) {
  const Four* const value = reinterpret_cast<const Four*>(cuts.value);
  const SampleIndex* const sample = cuts.members.data();
  const auto [a, b, c, d] = cuts.threshold;
  const Four threshold = {a, b, c, d};
  FourMasks count = {0, 0, 0, 0};
  Four sum = {0.0, 0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double distance = y[sample[i]] - origin;
    const Four all = {distance, distance, distance, distance};
    const FourMasks left = value[i] <= threshold;
    count -= left;
    sum += reinterpret_cast<Four>(reinterpret_cast<FourMasks>(all) & left);
  }
  return {{static_cast<double>(count[0]), static_cast<double>(count[1]), static_cast<double>(count[2]),
           static_cast<double>(count[3])},
          {sum[0], sum[1], sum[2], sum[3]}};
}

SPINNEY_TWO_VERSIONS(std::size_t, count_left, (const double* value, std::size_t n, double threshold),
                     (value, n, threshold)) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += value[i] <= threshold ? 1 : 0;
  return count;
}

double sum_left(const GivenCut& cut, const double* y, double origin) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;  // sums that do not wait for each other
  const std::size_t n = cut.size();
  const SampleIndex* const sample = cut.members.data();
  const double* const value = cut.value;
  const double threshold = cut.threshold;
  const auto own = [&](std::size_t i) {
    const double distance = y[sample[i]] - origin;
    return value[i] <= threshold ? distance : 0.0;
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a += own(i);
    b += own(i + 1);
    c += own(i + 2);
    d += own(i + 3);
  }
  for (; i < n; ++i) a += own(i);
  return (a + b) + (c + d);
}

std::size_t part_samples(const GivenCut& cut, SampleIndex* left, SampleIndex* right) {
  std::size_t n_left = 0, n_right = 0;
  const SampleIndex* const sample = cut.members.data();
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const std::size_t goes_left = cut.value[i] <= cut.threshold ? 1 : 0;
    left[n_left] = sample[i];
    right[n_right] = sample[i];
    n_left += goes_left;
    n_right += 1 - goes_left;
  }
  return n_left;
}

namespace {

/// value(i): that of members[i], which is read before anything is written there.
template <class Value>
SPINNEY_INLINED std::size_t part_by(std::span<SampleIndex> members, SampleIndex* spare, double threshold,
                                    const Value& value) {
  std::size_t n_left = 0;
  SampleIndex* const to = members.data();
  const std::size_t n = members.size();
  for (std::size_t i = 0; i < n; ++i) {
    const SampleIndex sample = to[i];
    const bool goes_left = value(i, sample) <= threshold;
    to[n_left] = sample;
    spare[i - n_left] = sample;
    n_left += goes_left ? 1 : 0;
  }
  std::copy(spare, spare + (n - n_left), to + n_left);
  return n_left;
}

}  // namespace

std::size_t part_in_place(const double* column, std::size_t stride, double threshold, std::span<SampleIndex> members,
                          SampleIndex* spare) {
  return part_by(members, spare, threshold, [=](std::size_t, SampleIndex sample) { return column[sample * stride]; });
}

std::size_t part_by_lane(const GivenCuts& cuts, std::size_t lane, std::span<SampleIndex> members, SampleIndex* spare) {
  const double* const value = cuts.value + lane;
  return part_by(members, spare, cuts.threshold[lane],
                 [=](std::size_t i, SampleIndex) { return value[kRowLanes * i]; });
}

}  // namespace spinney
