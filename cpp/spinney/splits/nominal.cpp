// Tests "category in S" of nominal columns.

#include <algorithm>
#include <numeric>

#include "spinney/multiversion.hpp"
#include "spinney/splits/scan.hpp"

namespace spinney {

SPINNEY_TWO_VERSIONS(std::size_t, count_from, (std::span<const Entry> entries, SampleIndex first), (entries, first)) {
  const Entry* const e = entries.data();
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) n += e[i].is_from(first);
  return n;
}

std::vector<Run>& find_runs(std::span<const Entry> entries, std::vector<Run>& runs) {
  runs.clear();
  const auto n = static_cast<std::uint32_t>(entries.size());
  for (std::uint32_t begin = 0, end; begin < n; begin = end) {
    end = begin + 1 + static_cast<std::uint32_t>(count_tied(entries.subspan(begin + 1)));
    runs.push_back({begin, end});
  }
  return runs;
}

namespace {

/// The test "category in S" from the ranks on each side; branch 0 holds the first category of the vocabulary.
template <class GoesLeft>
Split make_subset(FeatureIndex feature, double drop, std::span<const std::uint32_t> ranks, GoesLeft&& goes_left) {
  Split split;
  split.drop = drop;
  split.test.kind = TestKind::subset;
  split.test.feature = feature;
  for (std::size_t g = 0; g < ranks.size(); ++g) {
    split.test.codes.emplace_back(static_cast<std::int32_t>(ranks[g]), goes_left(g) ? 0 : 1);
  }
  std::sort(split.test.codes.begin(), split.test.codes.end());
  if (split.test.codes.front().second == 1) {
    for (auto& [code, branch] : split.test.codes) branch = 1 - branch;
  }
  return split;
}

}  // namespace

Split best_by_keys(const Scan& scan, FeatureIndex feature, std::span<const Entry> entries, std::span<const Run> runs,
                   std::span<const double> keys, const Totals& totals, const Limits& limits, Scratch& s) {
  std::vector<std::uint32_t> order(runs.size()), ranks, ends;
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Entry> ordered;
  for (const std::uint32_t r : order) {
    const Run& run = runs[r];
    ranks.push_back(run.begin);
    for (std::uint32_t i = run.begin; i < run.end; ++i) ordered.emplace_back(entries[i].sample(), i > run.begin);
    ends.push_back(static_cast<std::uint32_t>(ordered.size()));
  }
  const Cut cut = scan.best_cut(ordered, totals, limits, s);
  if (!cut.found()) return {};
  return make_subset(feature, cut.drop, ranks, [&](std::size_t g) { return ends[g] <= cut.position + 1; });
}

Split best_subset_test(const GroupScan& scan, FeatureIndex feature, const Totals& totals, const Limits& limits,
                       Scratch& s) {
  if (s.groups.size() < 2) return {};
  if (scan.needs_subsets() && s.groups.size() <= kMaxExhaustive) {
    const Subset best = scan.best_subset(s.groups, totals, limits, s);
    if (!(best.drop > -kInfinity)) return {};
    return make_subset(feature, best.drop, s.groups.rank, [&](std::size_t g) { return best.mask >> g & 1; });
  }
  scan.order_groups(s.groups, s.keys);
  s.groups.sort_by(s.keys, Limits{});
  Cut cut = scan.best_group_cut(s.groups, totals, limits, s);
  if (!cut.found()) {  // perhaps because of how equal categories happen to be called
    scan.order_groups(s.groups, s.keys);
    s.groups.sort_by(s.keys, limits);
    cut = scan.best_group_cut(s.groups, totals, limits, s);
  }
  if (!cut.found()) return {};
  return make_subset(feature, cut.drop, s.groups.rank, [&](std::size_t g) { return g <= cut.position; });
}

Split best_by_groups(const GroupScan& scan, FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                     const Limits& limits, Scratch& s) {
  s.groups.clear(scan.n_moments());
  for (const Run& run : find_runs(entries, s.runs)) {
    s.groups.rank.push_back(run.begin);
    s.groups.rows.push_back(run.end - run.begin);
    s.groups.moments.resize(s.groups.moments.size() + s.groups.k, 0.0);
    double* moments = s.groups.moments.data() + s.groups.moments.size() - s.groups.k;
    double weight = 0.0;
    scan.add_run(entries.subspan(run.begin, run.end - run.begin), totals, moments, weight);
    s.groups.weight.push_back(weight);
  }
  return best_subset_test(scan, feature, totals, limits, s);
}

}  // namespace spinney
