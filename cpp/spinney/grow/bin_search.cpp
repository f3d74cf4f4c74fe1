#include "spinney/grow/bin_search.hpp"

#include <algorithm>

#include "spinney/splits/random_cut.hpp"

namespace spinney {

std::vector<std::uint8_t> sides_of_bins(const Test& test, const BinBorders& borders) {
  const auto f = static_cast<std::size_t>(test.feature);
  std::vector<std::uint8_t> side(borders.n_bins[f] + 1, kUnknown);
  if (test.kind == TestKind::threshold) {
    const auto high = borders.highs(f);
    for (std::size_t b = 0; b < high.size(); ++b) side[b] = high[b] <= test.threshold ? kLeft : kRight;
  } else {
    for (const auto& [code, branch] : test.codes) side[code] = static_cast<std::uint8_t>(branch);
  }
  return side;
}

BinSearch::BinSearch(const BinBorders& borders, const MomentLayout& layout, const Target& target,
                     const GrowParams& params)
    : borders_(borders),
      missing_(params.missing),
      seed_(params.seed),
      layout_(layout),
      tally_layout_(layout),
      scale_(target.search_scale()) {
  tally_layout_.n_classes = 2;
  nobody_.n_classes = layout.n_classes;
  nobody_.y_shift = layout.origin;
  scan_ = make_scan(params.criterion, nobody_);
}

Totals BinSearch::read_groups(const Histogram& histogram, std::size_t f, const Totals& node, Scratch& scratch) const {
  Groups& groups = scratch.groups;
  const bool classes = layout_.n_classes > 0;
  groups.clear(layout_.n_moments());
  Totals totals;
  totals.origin = node.origin;
  totals.loss = node.loss;
  if (classes) totals.classes = Numbers(groups.k);
  const std::uint32_t n_bins = borders_.n_bins[f] + (places_gaps(missing_) ? 1 : 0);
  for (std::uint32_t b = 0; b < n_bins; ++b) {
    groups.moments.resize((groups.size() + 1) * groups.k);
    double* const moments = groups.moments.data() + groups.size() * groups.k;
    BinMoments bin = read_bin(layout_, histogram.bin(f, b), moments);
    if (bin.n_rows == 0) continue;
    if (classes) {
      bin.weight = scale_.empty() ? bin.weight : 0.0;
      for (std::size_t c = 0; c < groups.k; ++c) {
        if (!scale_.empty()) bin.weight += moments[c] *= scale_[c];
        totals.classes[c] += moments[c];
      }
    } else if (node.centred) {
      moments[0] -= bin.weight * node.origin;
    }
    groups.rank.push_back(b);
    groups.rows.push_back(static_cast<double>(bin.n_rows));
    groups.weight.push_back(bin.weight);
    totals.weight += bin.weight;
  }
  groups.moments.resize(groups.size() * groups.k);
  return totals;
}

ColumnResult BinSearch::search(const Histogram& histogram, FeatureIndex feature, const Totals& node,
                               const Limits& limits, Scratch& scratch) const {
  const auto f = static_cast<std::size_t>(feature);
  const Totals totals = read_groups(histogram, f, node, scratch);
  ColumnResult result;
  result.constant = scratch.groups.size() < 2;
  if (result.constant) return result;
  if (borders_.nominal[f]) {
    result.split = best_subset_test(*scan_->groups(), feature, totals, limits, scratch);
    take_gaps_out(result.split, static_cast<std::int32_t>(borders_.n_bins[f]));
    return result;
  }
  if (has_gaps(f, scratch.groups)) return cut_with_gaps(feature, totals, limits, false, scratch);
  const Cut cut = scan_->groups()->best_group_cut(scratch.groups, totals, limits, scratch);
  return result_of(feature, cut, limits, scratch.groups);
}

ColumnResult BinSearch::draw(const Histogram& histogram, FeatureIndex feature, PathKey path, const Totals& node,
                             const Limits& limits, Scratch& scratch) const {
  const auto f = static_cast<std::size_t>(feature);
  const Totals totals = read_groups(histogram, f, node, scratch);
  const Groups groups = scratch.groups;
  ColumnResult result;
  result.constant = groups.size() < 2;
  if (result.constant) return result;
  RandomStream random = cut_stream(seed_, path, feature);
  std::vector<std::int32_t> side(groups.size());
  Test& test = result.split.test;
  test.feature = feature;
  if (borders_.nominal[f]) {
    test.kind = TestKind::subset;
    draw_sides(side, random);
    for (std::size_t g = 0; g < side.size(); ++g)
      test.codes.emplace_back(static_cast<std::int32_t>(groups.rank[g]), side[g]);
  } else {
    test.kind = TestKind::threshold;
    const auto high = borders_.highs(f);
    const double drawn = draw_threshold(high[groups.rank.front()], borders_.lows(f)[groups.rank.back()], random);
    std::size_t n_left = 1;  // rounding may not reach the first bin
    while (n_left + 1 < groups.size() && high[groups.rank[n_left]] <= drawn) ++n_left;
    std::fill(side.begin() + static_cast<std::ptrdiff_t>(n_left), side.end(), 1);
    test.threshold = borders_.cut(f, groups.rank[n_left - 1], groups.rank[n_left]);
  }
  result.split.drop = drop_of(groups, side, totals, limits, scratch);
  if (!(result.split.drop > -kInfinity)) result.split.clear();
  return result;
}

double BinSearch::drop_of(const Groups& groups, std::span<const std::int32_t> side, const Totals& totals,
                          const Limits& limits, Scratch& scratch) const {
  const Groups sides = in_sides(groups, side);
  const GroupScan& scan = *scan_->groups();
  Cut cut = scan.best_group_cut(sides, totals, limits, scratch);
  if (cut.found() && limits.order.active()) cut = scan.best_ordered_group_cut(cut, sides, totals, limits, scratch);
  return cut.drop;
}

ColumnResult BinSearch::cut_with_gaps(FeatureIndex feature, const Totals& totals, const Limits& limits, bool ordered,
                                      Scratch& scratch) const {
  const Groups groups = scratch.groups;
  const GapCut found = best_gap_cut(*scan_->groups(), missing_, groups, totals, limits, ordered, scratch);
  ColumnResult result = result_of(feature, found.cut, limits, groups);
  result.split.gap_branch = found.branch;
  return result;
}

ColumnResult BinSearch::result_of(FeatureIndex feature, const Cut& cut, const Limits& limits,
                                  const Groups& groups) const {
  ColumnResult result;
  if (!cut.found()) return result;
  const std::uint32_t lower = groups.rank[cut.position], upper = groups.rank[cut.position + 1];
  result.ordered = !limits.order.active();
  result.split.drop = cut.drop;
  result.split.position = lower;
  const auto f = static_cast<std::size_t>(feature);
  const double threshold = upper == borders_.n_bins[f] ? kInfinity : borders_.cut(f, lower, upper);
  result.split.test = {TestKind::threshold, feature, threshold, {}, {}, {}};
  return result;
}

void BinSearch::reorder(const Histogram& histogram, const Totals& node, const Limits& limits, ColumnResult& result,
                        Scratch& scratch) const {
  const FeatureIndex feature = result.split.test.feature;
  const Totals totals = read_groups(histogram, static_cast<std::size_t>(feature), node, scratch);
  const Groups& groups = scratch.groups;
  if (has_gaps(static_cast<std::size_t>(feature), groups)) {
    result = cut_with_gaps(feature, totals, limits, true, scratch);
    return;
  }
  const auto place = std::ranges::lower_bound(groups.rank, result.split.position) - groups.rank.begin();
  const Cut best{result.split.drop, static_cast<std::uint32_t>(place)};
  result = result_of(feature, scan_->groups()->best_ordered_group_cut(best, groups, totals, limits, scratch), limits,
                     groups);
}

BinSearch::Sides BinSearch::sides(const Histogram& histogram, const Test& test) const {
  const auto f = static_cast<std::size_t>(test.feature);
  std::vector<double> moments(layout_.n_moments());
  Sides out;
  const std::vector<std::uint8_t> side = sides_of_bins(test, borders_);
  for (std::size_t b = 0; b < side.size(); ++b) {
    if (side[b] == kUnknown) continue;
    const BinMoments bin = read_bin(layout_, histogram.bin(f, b), moments.data());
    out.weight[side[b]] += bin.weight;
    out.n_rows[side[b]] += bin.n_rows;
  }
  return out;
}

std::optional<Surrogate> BinSearch::surrogate(const Histogram& tally, FeatureIndex feature,
                                              const PrimaryWeights& primary) const {
  const auto f = static_cast<std::size_t>(feature);
  std::vector<Tally> tallies;
  for (std::uint32_t b = 0; b < borders_.n_bins[f]; ++b) {
    std::array<double, 2> sides{};
    const BinMoments bin = read_bin(tally_layout_, tally.bin(f, b), sides.data());
    if (bin.n_rows > 0) tallies.push_back({b, sides[0], sides[1], static_cast<std::size_t>(bin.n_rows)});
  }
  return surrogate_from_tallies(feature, borders_.nominal[f] != 0, tallies, primary,
                                [&](std::uint32_t low, std::uint32_t high) { return borders_.cut(f, low, high); });
}

}  // namespace spinney
