#include "spinney/splits/surrogate.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/multiversion.hpp"

namespace spinney {

double cut_between(double lower, double upper) {
  const double middle = std::midpoint(lower, upper);
  return middle < upper ? middle : lower;
}

namespace {

constexpr std::size_t kMinRows = 2;  // a cut that sends fewer rows one way proves nothing

/// Low entries to the left agree by R + d, to the right by L - d, where d is the weight of left rows less that of
/// right rows among the low entries: one number to follow.
struct Extremes {
  double most = -kInfinity, least = kInfinity;
  std::size_t most_at = 0, least_at = 0;
};

/// Every row counts the same and has a side: the usual case, and the tight one.
SPINNEY_MULTIVERSION
Extremes scan_whole_rows(const Entry* entries, std::size_t n, const std::uint8_t* side, double weight) {
  std::int64_t d = 0, most = std::numeric_limits<std::int64_t>::min(), least = std::numeric_limits<std::int64_t>::max();
  Extremes found;
  for (std::size_t i = 0; i + kMinRows <= n; ++i) {
    if (i >= kMinRows && entries[i].rank != entries[i - 1].rank) {
      if (d > most) {
        most = d;
        found.most_at = i;
      }
      if (d < least) {
        least = d;
        found.least_at = i;
      }
    }
    d += 1 - 2 * static_cast<std::int64_t>(side[entries[i].sample]);
  }
  if (found.most_at > 0) {
    found.most = static_cast<double>(most) * weight;
    found.least = static_cast<double>(least) * weight;
  }
  return found;
}

Extremes scan_weighted(std::span<const Entry> entries, const std::uint8_t* side, std::size_t n_known,
                       const Samples& samples) {
  Extremes found;
  double d = 0.0;
  std::size_t n_low = 0;
  for (std::size_t i = 0; i < entries.size() && n_known - n_low >= kMinRows; ++i) {
    if (n_low >= kMinRows && entries[i].rank != entries[i - 1].rank) {
      if (d > found.most) {
        found.most = d;
        found.most_at = i;
      }
      if (d < found.least) {
        found.least = d;
        found.least_at = i;
      }
    }
    const std::uint8_t s = side[entries[i].sample];
    if (s == kUnknown) continue;
    ++n_low;
    const double w = samples.weight[entries[i].sample];
    d += s == kLeft ? w : -w;
  }
  return found;
}

/// Rows with both a side and a value of the surrogate's column.
struct Known {
  double left = 0.0, right = 0.0;
  std::size_t rows = 0;
};

Known count_known(const Samples& samples, std::span<const Entry> entries, const Sides& sides) {
  Known known;
  for (const Entry& entry : entries) {
    const std::uint8_t side = sides.of[entry.sample];
    if (side == kUnknown) continue;
    ++known.rows;
    (side == kLeft ? known.left : known.right) += samples.weight[entry.sample];
  }
  return known;
}

std::optional<Surrogate> ordered_surrogate(const Dataset& data, const Samples& samples, FeatureIndex feature,
                                           std::span<const Entry> entries, const Sides& sides, const Known& known) {
  if (known.rows < 2 * kMinRows) return std::nullopt;
  const Extremes found = samples.equal_weights && sides.complete
                             ? scan_whole_rows(entries.data(), entries.size(), sides.of, samples.weight[0])
                             : scan_weighted(entries, sides.of, known.rows, samples);
  const double same = known.right + found.most, other = known.left - found.least;
  const double majority = std::max(known.left, known.right), agree = std::max(same, other);
  if (!(agree > majority)) return std::nullopt;
  const bool reversed = other > same || (other == same && found.least_at < found.most_at);
  const std::size_t at = reversed ? found.least_at : found.most_at;
  const auto value = [&](std::size_t i) { return data.values.at(samples.row[entries[i].sample], feature); };
  Surrogate surrogate;
  surrogate.test = {TestKind::threshold, feature, cut_between(value(at - 1), value(at)), {}};
  surrogate.reversed = reversed;
  surrogate.agreement = agree;
  return surrogate;
}

/// Each category goes to its better side; ties go the majority way.
std::optional<Surrogate> nominal_surrogate(const Samples& samples, FeatureIndex feature,
                                           std::span<const Entry> entries, const Sides& sides, const Known& known,
                                           Scratch& scratch) {
  Surrogate surrogate;
  surrogate.test.kind = TestKind::subset;
  surrogate.test.feature = feature;
  for (const Run& run : find_runs(entries, scratch.runs)) {
    double left = 0.0, right = 0.0;
    std::size_t rows = 0;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const std::uint8_t side = sides.of[entries[i].sample];
      if (side == kUnknown) continue;
      ++rows;
      (side == kLeft ? left : right) += samples.weight[entries[i].sample];
    }
    if (rows == 0) continue;
    const bool goes_right = left < right || (left == right && !(known.left > known.right));
    surrogate.agreement += goes_right ? right : left;
    surrogate.test.codes.emplace_back(static_cast<std::int32_t>(run.rank), goes_right ? kRight : kLeft);
  }
  if (!(surrogate.agreement > std::max(known.left, known.right))) return std::nullopt;
  return surrogate;
}

}  // namespace

std::optional<Surrogate> find_surrogate(const Dataset& data, const Samples& samples, FeatureIndex feature,
                                        std::span<const Entry> entries, const Sides& sides, Scratch& scratch) {
  const auto observed = entries.first(count_observed(entries.data(), entries.size()));
  if (observed.empty() || observed.front().rank == observed.back().rank) return std::nullopt;
  const bool whole = sides.complete && observed.size() == entries.size();
  const Known known = whole ? Known{sides.left, sides.right, entries.size()} : count_known(samples, observed, sides);
  auto surrogate = data.columns[feature].kind == ColumnKind::nominal
                       ? nominal_surrogate(samples, feature, observed, sides, known, scratch)
                       : ordered_surrogate(data, samples, feature, observed, sides, known);
  if (surrogate) {
    const double total = known.left + known.right, majority = std::max(known.left, known.right) / total;
    surrogate->agreement /= total;
    surrogate->adjusted = (surrogate->agreement - majority) / (1.0 - majority);
  }
  return surrogate;
}

}  // namespace spinney
