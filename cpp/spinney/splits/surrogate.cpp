#include "spinney/splits/surrogate.hpp"

#include <algorithm>

#include "spinney/data/cut.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

namespace {

constexpr double kSlack = 1.0 + tolerance::kSum;
constexpr std::size_t kMinRows = 2;  // a cut that sends fewer rows one way proves nothing

/// Low entries to the left agree by R + d, to the right by L - d, where d is the weight of left rows less that of
/// right rows among the low entries: one number to follow.
struct Extremes {
  double most = -kInfinity, least = kInfinity;
  std::size_t most_at = 0, least_at = 0;
};

/// Every row counts the same and has a side: the usual case, and the tight one.
Extremes scan_whole_rows(const Entry* entries, std::size_t n, const std::uint8_t* side, double weight) {
  std::int64_t d = 0, most = std::numeric_limits<std::int64_t>::min(), least = std::numeric_limits<std::int64_t>::max();
  Extremes found;
  for (std::size_t i = 0; i + kMinRows <= n; ++i) {
    if (i >= kMinRows && !entries[i].tied()) {
      if (d > most) {
        most = d;
        found.most_at = i;
      }
      if (d < least) {
        least = d;
        found.least_at = i;
      }
    }
    d += 1 - 2 * static_cast<std::int64_t>(side[entries[i].sample()]);
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
    if (n_low >= kMinRows && !entries[i].tied()) {
      if (d > found.most) {
        found.most = d;
        found.most_at = i;
      }
      if (d < found.least) {
        found.least = d;
        found.least_at = i;
      }
    }
    const std::uint8_t s = side[entries[i].sample()];
    if (s == kUnknown) continue;
    ++n_low;
    const double w = samples.weight[entries[i].sample()];
    d += s == kLeft ? w : -w;
  }
  return found;
}

/// Rows with both a side and a value of the surrogate's column, and those among which agreement is a share.
struct Known {
  double left = 0.0, right = 0.0;
  std::size_t rows = 0;
  PrimaryWeights primary = std::nullopt;
  double total() const { return primary ? primary->first + primary->second : left + right; }
  double majority() const { return primary ? std::max(primary->first, primary->second) : std::max(left, right); }
};

Known count_known(const Samples& samples, std::span<const Entry> entries, const Sides& sides) {
  Known known;
  for (const Entry& entry : entries) {
    const std::uint8_t side = sides.of[entry.sample()];
    if (side == kUnknown) continue;
    ++known.rows;
    (side == kLeft ? known.left : known.right) += samples.weight[entry.sample()];
  }
  return known;
}

/// Each category goes to its better side; ties go the majority way.
std::optional<Surrogate> nominal_surrogate(FeatureIndex feature, std::span<const Tally> tallies, const Known& known) {
  Surrogate surrogate;
  surrogate.test.kind = TestKind::subset;
  surrogate.test.feature = feature;
  for (const Tally& tally : tallies) {
    if (tally.rows == 0) continue;
    const bool goes_right = tally.left < tally.right || (tally.left == tally.right && !(known.left > known.right));
    surrogate.agreement += goes_right ? tally.right : tally.left;
    surrogate.test.codes.emplace_back(static_cast<std::int32_t>(tally.rank), goes_right ? kRight : kLeft);
  }
  if (!(surrogate.agreement > known.majority() * kSlack)) return std::nullopt;
  return surrogate;
}

Extremes scan_tallies(std::span<const Tally> tallies, std::size_t n_known) {
  Extremes found;
  double d = 0.0;
  std::size_t n_low = 0;
  for (std::size_t i = 0; i < tallies.size() && n_known - n_low >= kMinRows; ++i) {
    if (n_low >= kMinRows) {
      if (d > found.most) {
        found.most = d;
        found.most_at = i;
      }
      if (d < found.least) {
        found.least = d;
        found.least_at = i;
      }
    }
    n_low += tallies[i].rows;
    d += tallies[i].left - tallies[i].right;
  }
  return found;
}

/// The better direction of the best cut; at(i) is the threshold below entry or tally i.
template <class At>
std::optional<Surrogate> ordered_surrogate(FeatureIndex feature, const Extremes& found, const Known& known, At&& at) {
  const double same = known.right + found.most, other = known.left - found.least;
  const double agree = std::max(same, other);
  if (known.rows < 2 * kMinRows || !(agree > known.majority() * kSlack)) return std::nullopt;
  Surrogate surrogate;
  surrogate.reversed = other > same || (other == same && found.least_at < found.most_at);
  const std::size_t place = surrogate.reversed ? found.least_at : found.most_at;
  surrogate.test = {TestKind::threshold, feature, at(place), {}, {}, {}};
  surrogate.agreement = agree;
  return surrogate;
}

void finish(std::optional<Surrogate>& surrogate, const Known& known) {
  if (!surrogate) return;
  const double majority = known.majority() / known.total();
  surrogate->agreement /= known.total();
  surrogate->adjusted = (surrogate->agreement - majority) / (1.0 - majority);
}

std::vector<Tally> tally_runs(std::span<const Entry> entries, const Samples& samples, const Sides& sides, Scratch& s) {
  std::vector<Tally> tallies;
  for (const Run& run : find_runs(entries, s.runs)) {
    const auto known = count_known(samples, entries.subspan(run.begin, run.end - run.begin), sides);
    tallies.push_back({run.begin, known.left, known.right, known.rows});
  }
  return tallies;
}

}  // namespace

std::vector<Surrogate> best_surrogates(std::vector<std::optional<Surrogate>>& found, std::size_t most) {
  std::vector<Surrogate> best;
  for (auto& surrogate : found) {
    if (surrogate) best.push_back(std::move(*surrogate));
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Surrogate& a, const Surrogate& b) { return a.agreement > b.agreement; });
  if (best.size() > most) best.resize(most);
  return best;
}

std::optional<Surrogate> surrogate_from_tallies(FeatureIndex feature, bool nominal, std::span<const Tally> tallies,
                                                const PrimaryWeights& primary,
                                                const std::function<double(std::uint32_t, std::uint32_t)>& cut) {
  Known known{.primary = primary};
  for (const Tally& tally : tallies) {
    known.left += tally.left;
    known.right += tally.right;
    known.rows += tally.rows;
  }
  auto surrogate = nominal ? nominal_surrogate(feature, tallies, known)
                           : ordered_surrogate(feature, scan_tallies(tallies, known.rows), known, [&](std::size_t i) {
                               return cut(tallies[i - 1].rank, tallies[i].rank);
                             });
  finish(surrogate, known);
  return surrogate;
}

std::optional<Surrogate> find_surrogate(const Dataset& data, const Samples& samples, FeatureIndex feature,
                                        std::span<const Entry> entries, const Sides& sides, SurrogateStyle style,
                                        Scratch& scratch) {
  const auto observed = entries.first(count_observed(entries.data(), entries.size()));
  if (all_tied(observed)) return std::nullopt;
  PrimaryWeights primary;
  if (style == SurrogateStyle::count) primary = {sides.left, sides.right};
  if (data.columns[feature].kind == ColumnKind::nominal) {
    auto surrogate = surrogate_from_tallies(feature, true, tally_runs(observed, samples, sides, scratch), primary, {});
    if (!surrogate) return surrogate;
    for (auto& [code, branch] : surrogate->test.codes)  // in its place stands where its entries begin
      code = category_of(data, samples, feature, observed[static_cast<std::size_t>(code)].sample());
    return surrogate;
  }
  const bool whole = sides.complete && observed.size() == entries.size();
  Known known = whole ? Known{sides.left, sides.right, entries.size()} : count_known(samples, observed, sides);
  known.primary = primary;
  const Extremes found = samples.weight.is_equal() && sides.complete
                             ? scan_whole_rows(observed.data(), observed.size(), sides.of, samples.weight.unit)
                             : scan_weighted(observed, sides.of, known.rows, samples);
  const auto value = [&](std::size_t i) { return data.values.at(samples.row[observed[i].sample()], feature); };
  auto surrogate =
      ordered_surrogate(feature, found, known, [&](std::size_t i) { return cut_between(value(i - 1), value(i)); });
  finish(surrogate, known);
  return surrogate;
}

}  // namespace spinney
