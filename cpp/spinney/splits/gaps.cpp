#include "spinney/splits/gaps.hpp"

#include <algorithm>

namespace spinney {

namespace {

/// The last `n` of a list come first.
template <class Item>
void turn(std::vector<Item>& items, std::size_t n) {
  std::rotate(items.begin(), items.end() - static_cast<std::ptrdiff_t>(n), items.end());
}

Groups with_gaps_first(Groups groups) {
  turn(groups.rank, 1);
  turn(groups.rows, 1);
  turn(groups.weight, 1);
  turn(groups.moments, groups.k);
  return groups;
}

/// All groups but the last in one.
Groups known_and_gaps(const Groups& groups) {
  std::vector<std::int32_t> side(groups.size(), 0);
  side.back() = 1;
  return in_sides(groups, side);
}

/// Whether there is a value may be asked even where no cut of the values keeps the order.
Limits without_order(Limits limits) {
  limits.order = {};
  return limits;
}

}  // namespace

Groups in_sides(const Groups& groups, std::span<const std::int32_t> side) {
  Groups out;
  out.clear(groups.k);
  out.moments.assign(2 * groups.k, 0.0);
  out.rank = {0, 1};
  out.rows = out.weight = {0.0, 0.0};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto b = static_cast<std::size_t>(side[g]);
    out.rows[b] += groups.rows[g];
    out.weight[b] += groups.weight[g];
    for (std::size_t c = 0; c < groups.k; ++c) out.moments[b * groups.k + c] += groups.moments_of(g)[c];
  }
  return out;
}

GapCut best_gap_cut(const Scan& scan, MissingRule rule, const GapEntries& entries, const Totals& totals,
                    const Limits& limits, bool ordered, Scratch& s) {
  const auto n_known = static_cast<std::uint32_t>(entries.n_known);
  const auto n_gaps = static_cast<std::uint32_t>(entries.all.size() - entries.n_known);
  const Limits free = without_order(limits);
  const auto cut_of = [&](std::span<const Entry> arranged) {
    const Cut best = scan.best_cut(arranged, totals, free, s);
    return ordered && best.found() ? scan.best_ordered_cut(best, arranged, totals, limits, s) : best;
  };
  GapCut best = gaps_behind(cut_of(entries.all), n_known);
  const auto known = entries.all.first(n_known), gaps = entries.all.subspan(n_known);
  if (rule == MissingRule::learned) {
    s.entries.assign(gaps.begin(), gaps.end());
    s.entries.insert(s.entries.end(), known.begin(), known.end());
    if (n_known > 0) s.entries[n_gaps] = known.front().with_tie(false);
    best.challenge(gaps_before(cut_of(s.entries), n_known, n_gaps), totals.slack());
  }
  if (ordered) {
    s.entries.assign(entries.all.begin(), entries.all.end());
    for (std::uint32_t i = 0; i < n_known; ++i) s.entries[i] = s.entries[i].with_tie(true);
    const Cut apart = scan.best_cut(s.entries, totals, free, s);
    if (apart.found()) best.challenge(GapCut::between(apart.drop, n_known), totals.slack());
  }
  return best;
}

GapCut best_gap_cut(const GroupScan& scan, MissingRule rule, const Groups& groups, const Totals& totals,
                    const Limits& limits, bool ordered, Scratch& s) {
  const auto n_known = static_cast<std::uint32_t>(groups.size() - 1);
  const Limits free = without_order(limits);
  const auto cut_of = [&](const Groups& arranged) {
    const Cut best = scan.best_group_cut(arranged, totals, free, s);
    return ordered && best.found() ? scan.best_ordered_group_cut(best, arranged, totals, limits, s) : best;
  };
  GapCut best = gaps_behind(cut_of(groups), n_known);
  if (rule == MissingRule::learned)
    best.challenge(gaps_before(cut_of(with_gaps_first(groups)), n_known, 1), totals.slack());
  if (ordered) {
    const Cut apart = scan.best_group_cut(known_and_gaps(groups), totals, free, s);
    if (apart.found()) best.challenge(GapCut::between(apart.drop, n_known), totals.slack());
  }
  return best;
}

void take_gaps_out(Split& split, std::int32_t gap_code) {
  if (!split.found()) return;
  auto& codes = split.test.codes;
  const auto gap = std::ranges::find(codes, gap_code, [](const auto& pair) { return pair.first; });
  if (gap == codes.end()) return;
  split.gap_branch = gap->second;
  codes.erase(gap);
  if (codes.front().second == 0) return;
  for (auto& [code, branch] : codes) branch = 1 - branch;
  split.gap_branch = 1 - split.gap_branch;
}

}  // namespace spinney
