#include "spinney/splits/scan.hpp"

#include "spinney/objective/registry.hpp"
#include "spinney/splits/count_scan.hpp"
#include "spinney/splits/logrank_scan.hpp"
#include "spinney/splits/moment_scan.hpp"
#include "spinney/splits/row_scan.hpp"
#include "spinney/splits/tight_scans.hpp"

namespace spinney {

namespace {

template <class O>
std::unique_ptr<Scan> scan_of(const O& objective, const Samples& samples) {
  if constexpr (std::is_same_v<O, Gini>) {
    return std::make_unique<GiniScan>(samples);
  } else if constexpr (std::is_same_v<O, SquaredError>) {
    return std::make_unique<SquaredErrorScan>(samples);
  } else if constexpr (std::is_same_v<O, Poisson>) {
    return std::make_unique<PoissonScan>(objective, samples);
  } else if constexpr (std::is_same_v<O, LogRank>) {
    return std::make_unique<LogRankScan>(objective, samples);
  } else if constexpr (O::kNeedsRows) {
    return std::make_unique<RowScan<O>>(objective, samples);
  } else {
    return std::make_unique<MomentScan<O>>(objective, samples);
  }
}

}  // namespace

PartedSamples part(const GivenCut& cut, Scratch& s) {
  const std::size_t n = cut.size();
  if (s.samples.size() < n + 1) s.samples.resize(n + 1);
  if (s.others.size() < n + 1) s.others.resize(n + 1);
  const std::size_t n_left = part_samples(cut, s.samples.data(), s.others.data());
  return {std::span(s.samples).first(n_left), std::span(s.others).first(n - n_left)};
}

/// As the only cut of two values.
double Scan::drop_of(const GivenCut& cut, const Totals& totals, const Limits& limits, Scratch& s) const {
  const auto [left, right] = part(cut, s);
  std::vector<Entry> entries;
  entries.reserve(cut.size());
  for (const SampleIndex sample : left) entries.emplace_back(sample, true);
  for (const SampleIndex sample : right) entries.emplace_back(sample, true);
  if (!right.empty()) entries[left.size()] = entries[left.size()].with_tie(false);
  const Cut found = best_cut(entries, totals, limits, s);
  if (!found.found() || !limits.order.active()) return found.drop;
  return best_ordered_cut(found, entries, totals, limits, s).drop;
}

/// One by one.
std::array<double, kRowLanes> Scan::drops_of(const GivenCuts& cuts, const Totals& totals, const Limits& limits,
                                             Scratch& s) const {
  std::array<double, kRowLanes> drops;
  s.keys.resize(cuts.size());
  for (std::size_t lane = 0; lane < kRowLanes; ++lane) {
    for (std::size_t i = 0; i < cuts.size(); ++i) s.keys[i] = cuts.value[kRowLanes * i + lane];
    drops[lane] = drop_of({cuts.members, s.keys.data(), cuts.threshold[lane]}, totals, limits, s);
  }
  return drops;
}

std::unique_ptr<Scan> make_scan(const ObjectiveChoice& choice, const Samples& samples) {
  const auto make = [&](const auto& objective) { return scan_of(objective, samples); };
  return samples.n_classes > 0 ? with_class_objective(choice, {.n = samples.n_classes}, make)
                               : with_number_objective(choice, make);
}

}  // namespace spinney
