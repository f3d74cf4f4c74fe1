#include "spinney/splits/scan.hpp"

#include <algorithm>

#include "spinney/splits/absolute_scan.hpp"
#include "spinney/splits/class_scan.hpp"
#include "spinney/splits/moments.hpp"

namespace spinney {

namespace {

/// Gini without costs: the same answers as ClassScan<Gini>, from tighter loops.
class GiniScan final : public ClassScan<Gini> {
 public:
  explicit GiniScan(const Samples& samples) : ClassScan(Gini{}, samples), inverse_(inverses(samples)) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, std::size_t min_leaf,
               Scratch& scratch) const override {
    if (samples_.n_classes != 2) return many_classes(entries, totals, min_leaf, scratch);
    const ScanRange range{entries.data(), entries.size(), min_leaf};
    const double ones = totals.classes[1];
    if (samples_.is_unit()) {
      const double n_ones = std::round(ones / samples_.unit_weight);
      const Moment best = scan_two_classes(range, samples_.is_one.data(), n_ones, inverse_.data());
      const double drop = best.score - n_ones * n_ones * inverse_[entries.size()];
      return {2.0 * drop * samples_.unit_weight, best.position};
    }
    const Moment best =
        scan_two_classes(range, samples_.is_one.data(), samples_.split_weight.data(), ones, totals.weight);
    return {2.0 * (best.score - ones * ones / totals.weight), best.position};
  }

 private:
  static std::vector<double> inverses(const Samples& samples) {
    return samples.is_unit() && samples.n_classes == 2 ? make_inverses(samples.size()) : std::vector<double>{};
  }

  /// Sums of squares kept up to date row by row: exact for whole-number weights.
  Cut many_classes(std::span<const Entry> entries, const Totals& totals, std::size_t min_leaf, Scratch& s) const {
    double left_squares = 0.0, right_squares = 0.0, left_weight = 0.0;
    s.left.assign(totals.classes.size(), 0.0);
    for (const double w : totals.classes) right_squares += w * w;
    const double parent = right_squares / totals.weight;
    Cut best;
    for (std::size_t i = 0; i + min_leaf < entries.size(); ++i) {
      const double w = samples_.split_weight_of(entries[i].sample);
      const std::size_t c = samples_.label[entries[i].sample];
      left_squares += w * (2.0 * s.left[c] + w);
      right_squares -= w * (2.0 * (totals.classes[c] - s.left[c]) - w);
      s.left[c] += w;
      left_weight += w;
      if (entries[i].rank == entries[i + 1].rank || i + 1 < min_leaf) continue;
      const double right_weight = totals.weight - left_weight;
      if (!(right_weight > 0.0)) continue;
      const double drop = left_squares / left_weight + right_squares / right_weight - parent;
      if (drop > best.drop) best = {drop, static_cast<std::uint32_t>(i)};
    }
    return best;
  }

  std::vector<double> inverse_;
};

class SquaredErrorScan final : public Scan {
 public:
  explicit SquaredErrorScan(const Samples& samples)
      : samples_(samples), inverse_(samples.is_unit() ? make_inverses(samples.size()) : std::vector<double>{}) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, std::size_t min_leaf, Scratch&) const override {
    const ScanRange range{entries.data(), entries.size(), min_leaf};
    if (samples_.is_unit()) {
      const Moment best = scan_mean(range, samples_.y.data(), totals.mean, inverse_.data());
      return {best.score * samples_.unit_weight, best.position};
    }
    const Moment best =
        scan_mean(range, samples_.y.data(), totals.mean, samples_.split_weight.data(), totals.weight);
    return {best.score, best.position};
  }

  void order_runs(std::span<const Entry> entries, std::vector<Run>& runs, Scratch&) const override {
    for (Run& run : runs) {
      const double origin = samples_.y[entries[run.begin].sample];
      double sum = 0.0, weight = 0.0;
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const double w = samples_.split_weight_of(entries[i].sample);
        sum += w * (samples_.y[entries[i].sample] - origin);
        weight += w;
      }
      run.key = origin + sum / weight;
    }
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

std::optional<std::uint32_t> first_cut(std::span<const Entry> entries, std::size_t min_leaf) {
  for (std::size_t i = min_leaf - 1; i + min_leaf < entries.size(); ++i) {
    if (entries[i].rank != entries[i + 1].rank) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

std::vector<Run>& find_runs(std::span<const Entry> entries, std::vector<Run>& runs) {
  runs.clear();
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    if (i == 0 || entries[i].rank != entries[i - 1].rank) runs.push_back({i, i, entries[i].rank, 0.0});
    runs.back().end = i + 1;
  }
  return runs;
}

namespace {

/// The test "category in S": branch 0 is the side that holds the first category of the vocabulary.
Split make_subset(FeatureIndex feature, double drop, std::span<const Run> runs, std::span<const std::uint8_t> left) {
  Split split;
  split.drop = drop;
  split.test.kind = TestKind::subset;
  split.test.feature = feature;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    split.test.codes.emplace_back(static_cast<std::int32_t>(runs[r].rank), left[r] ? 0 : 1);
  }
  std::sort(split.test.codes.begin(), split.test.codes.end());
  if (split.test.codes.front().second == 1) {
    for (auto& [code, branch] : split.test.codes) branch = 1 - branch;
  }
  return split;
}

}  // namespace

Split best_nominal(const Scan& scan, FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                   std::size_t min_leaf, bool any, Scratch& s) {
  std::vector<Run> runs = std::move(find_runs(entries, s.runs));
  Split split;
  if (runs.size() < 2) {
    s.runs = std::move(runs);
    return split;
  }
  std::vector<std::uint8_t> left(runs.size(), 0);
  if (scan.needs_subsets() && runs.size() <= kMaxExhaustive && !any) {
    const Subset best = scan.best_subset(entries, runs, totals, min_leaf, s);
    if (best.drop > -kInfinity) {
      for (std::size_t r = 0; r < runs.size(); ++r) left[r] = best.mask >> r & 1;
      split = make_subset(feature, best.drop, runs, left);
    }
  } else {
    scan.order_runs(entries, runs, s);
    std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.key < b.key; });
    std::vector<Entry> ordered = std::move(s.entries);
    ordered.clear();
    for (std::uint32_t r = 0; r < runs.size(); ++r) {
      for (std::uint32_t i = runs[r].begin; i < runs[r].end; ++i) ordered.push_back({r, entries[i].sample});
    }
    Cut cut;
    if (any) {
      if (const auto position = first_cut(ordered, min_leaf)) cut = {0.0, *position};
    } else {
      cut = scan.best_cut(ordered, totals, min_leaf, s);
    }
    if (cut.found()) {
      for (std::size_t r = 0; r <= ordered[cut.position].rank; ++r) left[r] = 1;
      split = make_subset(feature, cut.drop, runs, left);
    }
    s.entries = std::move(ordered);
  }
  s.runs = std::move(runs);
  return split;
}

}  // namespace spinney
