#include "spinney/splits/scan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/splits/absolute_scan.hpp"
#include "spinney/splits/class_scan.hpp"
#include "spinney/splits/moments.hpp"

namespace spinney {

namespace {

/// Inverses of all the weights that a side can have, counted in units; empty if they are no multiples of one.
std::vector<double> unit_inverses(const Samples& samples) {
  if (samples.is_unit()) return make_inverses(samples.size());
  if (samples.times.empty()) return {};
  return make_inverses(std::accumulate(samples.times.begin(), samples.times.end(), std::size_t{0}));
}

/// Gini without costs: the same answers as ClassScan<Gini>, from tighter loops.
class GiniScan final : public ClassScan<Gini> {
 public:
  explicit GiniScan(const Samples& samples)
      : ClassScan(Gini{}, samples), inverse_(samples.n_classes == 2 ? unit_inverses(samples) : std::vector<double>{}) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
               Scratch& scratch) const override {
    if (samples_.n_classes != 2) return many_classes(entries, totals, limits, scratch);
    ScanRange range{entries.data(), entries.size(), limits, totals.slack() / 2.0};
    const double ones = totals.classes[1];
    if (samples_.is_unit()) {
      range.slack /= samples_.unit_weight;
      const double n_ones = std::round(ones / samples_.unit_weight);
      const Moment best = scan_two_classes(range, samples_.is_one.data(), n_ones, inverse_.data());
      const double drop = best.score - n_ones * n_ones * inverse_[entries.size()];
      return {2.0 * drop * samples_.unit_weight, best.position};
    }
    if (!samples_.tally.empty() && limits.weight == 0.0) {
      range.slack /= samples_.unit_weight;
      const double n_ones = std::round(ones / samples_.unit_weight);
      const auto n_units = static_cast<std::size_t>(std::round(totals.weight / samples_.unit_weight));
      const Moment best = scan_tally(range, samples_.tally.data(), n_ones, n_units, inverse_.data());
      return {2.0 * (best.score - n_ones * n_ones * inverse_[n_units]) * samples_.unit_weight, best.position};
    }
    const Moment best =
        scan_two_classes(range, samples_.is_one.data(), samples_.split_weight.data(), ones, totals.weight);
    return {2.0 * (best.score - ones * ones / totals.weight), best.position};
  }

  bool uses_blocks() const override { return samples_.n_classes == 2 && !samples_.is_unit() && samples_.tally.empty(); }

  double best_between_blocks(std::span<const Entry> entries, const BlockView& blocks, const Totals& totals,
                             const Limits& limits) const override {
    const ScanRange range{entries.data(), entries.size(), limits, 0.0};
    return spinney::best_between_blocks(range, totals.classes[1], totals.weight, blocks);
  }

  Cut best_cut_by_blocks(std::span<const Entry> entries, const BlockView& blocks, const Totals& totals,
                         const Limits& limits, Scratch&) const override {
    const ScanRange range{entries.data(), entries.size(), limits, totals.slack() / 2.0};
    const double ones = totals.classes[1];
    const Moment best =
        scan_two_classes(range, samples_.is_one.data(), samples_.split_weight.data(), ones, totals.weight, blocks);
    return {2.0 * (best.score - ones * ones / totals.weight), best.position};
  }

 private:
  /// Sums of squares kept up to date row by row: exact for whole-number weights.
  Cut many_classes(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const {
    double left_squares = 0.0, right_squares = 0.0, left_weight = 0.0;
    s.left.assign(totals.classes.size(), 0.0);
    for (const double w : totals.classes) right_squares += w * w;
    const double parent = right_squares / totals.weight;
    Cut best;
    for (std::size_t i = 0; i + limits.rows < entries.size(); ++i) {
      const double w = samples_.split_weight_of(entries[i].sample);
      const std::size_t c = samples_.label[entries[i].sample];
      left_squares += w * (2.0 * s.left[c] + w);
      right_squares -= w * (2.0 * (totals.classes[c] - s.left[c]) - w);
      s.left[c] += w;
      left_weight += w;
      if (entries[i].rank == entries[i + 1].rank || i + 1 < limits.rows) continue;
      const double right_weight = totals.weight - left_weight;
      if (!(right_weight > 0.0) || left_weight < limits.weight || right_weight < limits.weight) continue;
      const double drop = left_squares / left_weight + right_squares / right_weight - parent;
      if (drop > best.drop + totals.slack()) best = {drop, static_cast<std::uint32_t>(i)};
    }
    return best;
  }

  std::vector<double> inverse_;
};

class SquaredErrorScan final : public Scan {
 public:
  explicit SquaredErrorScan(const Samples& samples) : samples_(samples), inverse_(unit_inverses(samples)) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch&) const override {
    ScanRange range{entries.data(), entries.size(), limits, totals.slack()};
    if (samples_.is_unit()) {
      range.slack /= samples_.unit_weight;
      const Moment best = scan_mean(range, samples_.y.data(), totals.mean, totals.centred, inverse_.data());
      return {best.score * samples_.unit_weight, best.position};
    }
    if (!samples_.times.empty() && limits.weight == 0.0) {
      range.slack /= samples_.unit_weight;
      const auto n_units = static_cast<std::size_t>(std::round(totals.weight / samples_.unit_weight));
      const Moment best = scan_mean(range, samples_.y.data(), totals.mean, totals.centred, samples_.times.data(),
                                    n_units, inverse_.data());
      return {best.score * samples_.unit_weight, best.position};
    }
    const Moment best =
        scan_mean(range, samples_.y.data(), totals.mean, totals.centred, samples_.split_weight.data(), totals.weight);
    return {best.score, best.position};
  }

  void order_runs(std::span<const Entry>, std::span<const Run>, std::vector<double>&, Scratch&) const override {}

  void add_run(std::span<const Entry> run, const Totals& totals, double* moments, double& weight) const override {
    for (const Entry& entry : run) {
      const double w = samples_.split_weight_of(entry.sample);
      *moments += w * (samples_.y[entry.sample] - totals.mean);
      weight += w;
    }
  }

  void order_groups(const Groups& groups, std::vector<double>& keys) const override {
    keys.resize(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) keys[g] = groups.moments[g] / groups.weight[g];
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

  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override {
    return regression_totals(entries, node, samples_);
  }

 private:
  const Samples& samples_;
  std::vector<double> inverse_;
};

}  // namespace

Totals regression_totals(std::span<const Entry> entries, const Totals& node, const Samples& samples) {
  Totals totals;
  totals.mean = node.mean;
  totals.loss = node.loss;
  for (const Entry& entry : entries) totals.weight += samples.split_weight_of(entry.sample);
  return totals;
}

std::unique_ptr<Scan> make_scan(const CriterionChoice& choice, const Samples& samples) {
  if (choice.kind == CriterionKind::squared_error) return std::make_unique<SquaredErrorScan>(samples);
  if (choice.kind == CriterionKind::absolute_error) return std::make_unique<AbsoluteErrorScan>(samples);
  if (choice.kind == CriterionKind::gini && choice.cost.empty()) return std::make_unique<GiniScan>(samples);
  return with_class_criterion(choice, [&](auto criterion) -> std::unique_ptr<Scan> {
    return std::make_unique<ClassScan<decltype(criterion)>>(criterion, samples);
  });
}

Limits Limits::of_rows(std::size_t rows, double weight, double row_weight) {
  const double needed = std::ceil(weight / row_weight * (1.0 - 1e-12));
  return {std::max(rows, static_cast<std::size_t>(needed)), 0.0};
}

std::vector<Run>& find_runs(std::span<const Entry> entries, std::vector<Run>& runs) {
  runs.clear();
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    if (i == 0 || entries[i].rank != entries[i - 1].rank) runs.push_back({i, i, entries[i].rank});
    runs.back().end = i + 1;
  }
  return runs;
}

void Groups::clear(std::size_t n_moments) {
  k = n_moments;
  rank.clear();
  rows.clear();
  weight.clear();
  moments.clear();
}

std::vector<std::size_t> Groups::take(std::vector<std::size_t>& from, double has_rows, double has_weight,
                                      const Limits& limits) const {
  const auto least = static_cast<double>(limits.rows);
  const bool by_rows = has_rows < least;
  const std::vector<double>& size = by_rows ? rows : weight;
  double need = by_rows ? least - has_rows : limits.weight - has_weight;
  std::vector<std::size_t> taken;
  if (!(has_rows > 0.0 && need > 0.0)) return taken;
  std::stable_sort(from.begin(), from.end(), [&](std::size_t a, std::size_t b) { return size[a] < size[b]; });
  auto next = from.begin();
  for (; need > 0.0 && next != from.end(); ++next) {
    taken.push_back(*next);
    need -= size[*next];
  }
  from.erase(from.begin(), next);
  for (std::size_t i = taken.size(); i-- > 0;) {
    if (size[taken[i]] > -need) continue;
    need += size[taken[i]];
    from.push_back(taken[i]);
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return taken;
}

std::vector<std::size_t> Groups::order_by(const std::vector<double>& keys, const Limits& limits) const {
  constexpr double kTie = 1e-12;  // keys this close, relative to the largest, differ by rounding
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  const double slack = kTie * std::max(std::abs(keys[order.front()]), std::abs(keys[order.back()]));
  double rows_after = std::accumulate(rows.begin(), rows.end(), 0.0), rows_before = 0.0;
  double weight_after = std::accumulate(weight.begin(), weight.end(), 0.0), weight_before = 0.0;
  for (auto first = order.begin(); first != order.end();) {
    auto last = std::next(first);
    while (last != order.end() && keys[*last] - keys[*std::prev(last)] <= slack) ++last;
    double block_rows = 0.0, block_weight = 0.0;
    for (auto g = first; g != last; ++g) {
      block_rows += rows[*g];
      block_weight += weight[*g];
    }
    rows_after -= block_rows;
    weight_after -= block_weight;
    if (std::next(first) != last) {
      std::vector<std::size_t> equal(first, last);
      const std::vector<std::size_t> left = take(equal, rows_before, weight_before, limits);
      const std::vector<std::size_t> right = take(equal, rows_after, weight_after, limits);
      std::sort(equal.begin(), equal.end());
      first = std::copy(left.begin(), left.end(), first);
      first = std::copy(equal.begin(), equal.end(), first);
      std::copy(right.begin(), right.end(), first);
    }
    first = last;
    rows_before += block_rows;
    weight_before += block_weight;
  }
  return order;
}

void Groups::sort_by(const std::vector<double>& keys, const Limits& limits) {
  Groups sorted;
  sorted.k = k;
  for (const std::size_t g : order_by(keys, limits)) {
    sorted.rank.push_back(rank[g]);
    sorted.rows.push_back(rows[g]);
    sorted.weight.push_back(weight[g]);
    sorted.moments.insert(sorted.moments.end(), moments_of(g), moments_of(g) + k);
  }
  *this = std::move(sorted);
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

/// For criteria that need the rows themselves: the entries in the order of their categories, cut like numbers.
Split best_by_rows(const Scan& scan, FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                   const Limits& limits, Scratch& s) {
  const std::vector<Run> runs = find_runs(entries, s.runs);
  std::vector<double> keys(runs.size());
  scan.order_runs(entries, runs, keys, s);
  std::vector<std::uint32_t> order(runs.size()), ranks;
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Entry> ordered;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const Run& run = runs[order[place]];
    ranks.push_back(run.rank);
    for (std::uint32_t i = run.begin; i < run.end; ++i) ordered.push_back({place, entries[i].sample});
  }
  const Cut cut = scan.best_cut(ordered, totals, limits, s);
  if (!cut.found()) return {};
  return make_subset(feature, cut.drop, ranks, [&](std::size_t g) { return g <= ordered[cut.position].rank; });
}

}  // namespace

Split best_subset_test(const Scan& scan, FeatureIndex feature, const Totals& totals, const Limits& limits, Scratch& s) {
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

Split best_nominal(const Scan& scan, FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                   const Limits& limits, Scratch& s) {
  if (!scan.takes_groups()) return best_by_rows(scan, feature, entries, totals, limits, s);
  s.groups.clear(scan.n_moments());
  for (const Run& run : find_runs(entries, s.runs)) {
    s.groups.rank.push_back(run.rank);
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
