#include "spinney/splits/oblique.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/data/cut.hpp"
#include "spinney/splits/least_squares.hpp"

namespace spinney {

namespace {

constexpr std::size_t kMostColumns = 30;   // that one test may be chosen from
constexpr std::size_t kMostRows = 4096;    // that coefficients are sought on; the cut is sought on all
constexpr std::size_t kRowsPerColumn = 2;  // fewer rows can be parted any way one likes
constexpr double kMostMissing = 0.2;       // of a column's rows
constexpr std::size_t kPairs = 10;         // random sums of two or three columns, for each column
constexpr std::size_t kClimbs = 3;         // starts that are improved
constexpr int kMostJumps = 10;             // random directions that may fail
constexpr double kWorth = 0.05;            // of the gain that a column must bring to stay
constexpr double kDigits = 1e3;            // coefficients have about four

using Coefficients = std::vector<double>;

/// Some complete rows of a node, columns standardised, one after the other.
class Table {
 public:
  explicit Table(const ObliqueTask& task) : task_(task) {
    for (const FeatureIndex f : task.features) {
      if (columns.size() < kMostColumns && task.data.columns[f].kind == ColumnKind::numeric && is_useful(f))
        columns.push_back(f);
    }
    for (const SampleIndex s : task.group) {
      if (std::none_of(columns.begin(), columns.end(), [&](FeatureIndex f) { return std::isnan(value(s, f)); }))
        samples.push_back(s);
    }
    thin_out();
    standardise();
  }

  std::size_t n_rows() const { return samples.size(); }
  std::size_t n_columns() const { return columns.size(); }
  const std::vector<double>& values() const { return values_; }
  /// What a coefficient of standardised columns is for the columns themselves, if that of another is 1.
  double raw(const Coefficients& w, std::size_t c, std::size_t one) const {
    return std::ldexp(w[c] / w[one] * (deviation_[one] / deviation_[c]), power_[one] - power_[c]);
  }
  const double* column(std::size_t c) const { return values_.data() + c * n_rows(); }

  std::vector<FeatureIndex> columns;
  std::vector<SampleIndex> samples;

 private:
  double value(SampleIndex s, FeatureIndex f) const { return task_.data.values.at(task_.samples.row[s], f); }

  bool is_useful(FeatureIndex f) const {
    std::size_t n_missing = 0;
    double low = kInfinity, high = -kInfinity;
    for (const SampleIndex s : task_.group) {
      const double v = value(s, f);
      n_missing += std::isnan(v) ? 1 : 0;
      low = std::min(low, v);
      high = std::max(high, v);
    }
    const bool spread = low < high && std::isfinite(high - low);
    return spread && static_cast<double>(n_missing) <= kMostMissing * static_cast<double>(task_.group.size());
  }

  /// Evenly spaced rows: they are in target order, so that every class, or range of y, keeps its share.
  void thin_out() {
    if (samples.size() <= kMostRows) return;
    for (std::size_t i = 0; i < kMostRows; ++i) samples[i] = samples[i * samples.size() / kMostRows];
    samples.resize(kMostRows);
  }

  void standardise() {
    std::vector<FeatureIndex> kept;
    for (const FeatureIndex f : columns) {
      std::vector<double> own;
      double most = 0.0;
      for (const SampleIndex s : samples) own.push_back(value(s, f));
      for (const double v : own) most = std::max(most, std::abs(v));
      int power = 0;
      std::frexp(most, &power);
      for (double& v : own) v = std::ldexp(v, -power);  // squares stay in range
      const auto n = static_cast<double>(own.size());
      double mean = 0.0, squares = 0.0;
      for (const double v : own) mean += v / n;
      for (const double v : own) squares += (v - mean) / n * (v - mean);
      const double sd = std::sqrt(squares);
      if (!(sd > 0.0) || !std::isfinite(sd)) continue;
      for (double& v : own) v = (v - mean) / sd;
      kept.push_back(f);
      deviation_.push_back(sd);
      power_.push_back(power);
      values_.insert(values_.end(), own.begin(), own.end());
    }
    columns = std::move(kept);
  }

  const ObliqueTask& task_;
  std::vector<double> values_;
  std::vector<double> deviation_;  // of each column times 2^-power
  std::vector<int> power_;
};

/// Rows in the order of a key each, as the scans take them.
struct Ranked {
  std::vector<std::uint32_t> order;
  std::vector<Entry> entries;

  void sort(const std::vector<double>& keys, const std::vector<SampleIndex>& samples) {
    order.resize(keys.size());
    entries.resize(keys.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b] || (keys[a] == keys[b] && a < b); });
    for (std::size_t i = 0; i < order.size(); ++i)
      entries[i] = Entry(samples[order[i]], i > 0 && !(keys[order[i]] > keys[order[i - 1]]));
  }
  bool is_constant() const { return all_tied(entries); }
  /// Halfway between the keys on both sides of a cut.
  double middle(const Cut& cut, const std::vector<double>& keys) const {
    return cut_between(keys[order[cut.position]], keys[order[cut.position + 1]]);
  }
};

class Search {
 public:
  Search(const ObliqueTask& task, const Table& table, RandomStream& random, Scratch& scratch)
      : task_(task),
        table_(table),
        random_(random),
        scratch_(scratch),
        limits_(task.limits),
        active_(table.n_columns(), true) {
    for (const SampleIndex s : table.samples) ranked_.entries.emplace_back(s, true);
    totals_ = task.scan.totals_of(ranked_.entries, task.totals);
    const double share = static_cast<double>(table.n_rows()) / static_cast<double>(task.group.size());
    limits_.rows = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(limits_.rows)));
    limits_.weight *= share;
    keys_.resize(table.n_rows());
    sums_.resize(table.n_rows());
  }

  /// The best coefficients of some starts, and what they take off the loss.
  Coefficients run(const Split& axis) {
    const std::size_t k = table_.n_columns();
    std::vector<Place> starts;
    const auto offer = [&](Coefficients w) {
      double at = 0.0;
      const Cut found = sum_up(w, &at);
      if (found.found()) starts.push_back({std::move(w), at, found.drop});
    };
    for (std::size_t c = 0; c < k; ++c) {
      if (table_.columns[c] != axis.test.feature) continue;
      Coefficients start(k, 0.0);
      start[c] = 1.0;
      offer(std::move(start));
    }
    for (Coefficients& start : regressions()) offer(std::move(start));
    for (std::size_t i = 0; i < kPairs * k; ++i) {
      Coefficients start(k, 0.0);
      const std::size_t n = 2 + random_.below(2);
      for (std::size_t j = 0; j < n; ++j) start[random_.below(k)] = random_.below(2) == 0 ? 1.0 : -1.0;
      offer(std::move(start));
    }
    std::stable_sort(starts.begin(), starts.end(), [](const Place& a, const Place& b) { return a.drop > b.drop; });
    if (starts.size() > kClimbs) starts.resize(kClimbs);
    for (Place& start : starts) climb(std::move(start.w));
    shorten();
    for (std::size_t c = 0; c < k; ++c) active_[c] = best_[c] != 0.0;
    climb(best_);
    return best_;
  }

 private:
  /// Coefficients with their best cut.
  struct Place {
    Coefficients w;
    double at, drop;
  };

  /// The best cut of the rows by a key each; at: where.
  Cut cut(const std::vector<double>& keys, double* at) {
    ranked_.sort(keys, table_.samples);
    const Cut found = task_.scan.best_cut(ranked_.entries, totals_, limits_, scratch_);
    if (found.found()) *at = ranked_.middle(found, keys);
    return found;
  }

  /// The sums of all rows, and their best cut.
  Cut sum_up(const Coefficients& w, double* at) {
    add_up(w, sums_);
    return cut(sums_, at);
  }
  void add_up(const Coefficients& w, std::vector<double>& sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t c = 0; c < w.size(); ++c) {
      const double* column = table_.column(c);
      for (std::size_t i = 0; w[c] != 0.0 && i < sums.size(); ++i) sums[i] += w[c] * column[i];
    }
  }

  /// Improves one coefficient after the other, then all of them at random, until nothing helps.
  void climb(Coefficients w) {
    double at = 0.0;
    Cut now = sum_up(w, &at);
    if (!now.found()) return;
    Place place{std::move(w), at, now.drop};
    for (int n_failed = 0; n_failed < kMostJumps;) {
      scratch_.interrupt->check();
      const double before = place.drop;
      for (std::size_t c = 0; c < active_.size(); ++c) {
        if (!active_[c]) continue;
        Coefficients along(active_.size(), 0.0);
        along[c] = 1.0;
        go(along, place);
      }
      while (!(place.drop > before + slack()) && n_failed < kMostJumps) {
        Coefficients along(active_.size(), 0.0);
        for (std::size_t c = 0; c < active_.size(); ++c) along[c] = active_[c] ? 2.0 * random_.uniform() - 1.0 : 0.0;
        if (go(along, place)) break;
        ++n_failed;
      }
    }
    if (best_.empty() || place.drop > drop_ + slack()) {
      best_ = std::move(place.w);
      drop_ = place.drop;
    }
  }

  /// Changes the coefficients along a direction as far as is best, if it is any better. sums_ are those of the place.
  bool go(const Coefficients& along, Place& place) {
    add_up(along, keys_);
    const double least = *std::min_element(keys_.begin(), keys_.end());
    const double room = std::pow(10.0, 2.0 * random_.uniform() - 1.0);
    for (std::size_t i = 0; i < keys_.size(); ++i)  // a row is above the cut while the step is above its key
      keys_[i] = (place.at - sums_[i]) / (keys_[i] - least + room);
    double step = 0.0;
    const Cut found = cut(keys_, &step);
    if (!(found.drop > place.drop + slack()) || !std::isfinite(step)) return false;
    Coefficients next = place.w;
    for (std::size_t c = 0; c < next.size(); ++c) next[c] += step * along[c];
    double at = 0.0;
    const Cut then = sum_up(next, &at);
    if (then.drop > place.drop + slack()) {
      place = {std::move(next), at, then.drop};
      return true;
    }
    add_up(place.w, sums_);  // rounding: nothing is gained
    return false;
  }

  /// Directions of regression: of the numbers, or of the logit of each class against the others, the largest first.
  std::vector<Coefficients> regressions() const {
    constexpr std::size_t kMostClasses = 4;
    std::vector<Coefficients> found;
    const Samples& samples = task_.samples;
    std::vector<double> y(table_.n_rows()), weight(table_.n_rows());
    double heaviest = 0.0;
    for (const SampleIndex s : table_.samples) heaviest = std::max(heaviest, samples.search_weight()[s]);
    for (std::size_t i = 0; i < y.size(); ++i) weight[i] = samples.search_weight()[table_.samples[i]] / heaviest;
    if (samples.n_classes == 0) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = samples.y[table_.samples[i]];
      found.push_back(least_squares(table_.values(), y, weight).slope);
      return found;
    }
    std::vector<std::size_t> counts(static_cast<std::size_t>(samples.n_classes), 0), classes;
    for (const SampleIndex s : table_.samples) ++counts[samples.label[s]];
    for (std::size_t c = 0; c < counts.size(); ++c) {
      if (counts[c] > 0) classes.push_back(c);
    }
    std::stable_sort(classes.begin(), classes.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
    if (classes.size() == 2) classes.pop_back();  // the other direction is the same
    if (classes.size() > kMostClasses) classes.resize(kMostClasses);
    for (const std::size_t c : classes) {
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = samples.label[table_.samples[i]] == c ? 1.0 : 0.0;
      found.push_back(logistic_slope(table_.values(), y, weight));
    }
    return found;
  }

  /// Leaves columns out, the least important first, where nothing is lost by it.
  void shorten() {
    std::vector<std::size_t> columns(best_.size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    std::stable_sort(columns.begin(), columns.end(),
                     [&](auto a, auto b) { return std::abs(best_[a]) < std::abs(best_[b]); });
    double at = 0.0;
    for (const std::size_t c : columns) {
      Coefficients shorter = best_;
      shorter[c] = 0.0;
      if (shorter == best_) continue;
      const Cut found = sum_up(shorter, &at);
      if (!found.found() || found.drop < drop_ * (1.0 - kWorth) - slack()) continue;
      best_ = std::move(shorter);
      drop_ = found.drop;
    }
  }

  double slack() const { return totals_.slack(); }

  const ObliqueTask& task_;
  const Table& table_;
  RandomStream& random_;
  Scratch& scratch_;
  Limits limits_;
  Totals totals_;
  Ranked ranked_;
  std::vector<double> keys_, sums_;
  std::vector<bool> active_;  // columns whose coefficients may change
  Coefficients best_;
  double drop_ = -kInfinity;
};

double rounded(double coefficient) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(coefficient)))) / kDigits;
  const double whole = std::round(coefficient / unit);
  return unit < 1.0 ? whole / std::round(1.0 / unit) : whole * unit;  // 0.52, not 0.52000000000000002
}

/// The sum as an expression: the column that matters most first, its coefficient 1. Empty if it is one column only.
std::vector<Token> as_tokens(const Table& table, const Coefficients& w) {
  const auto most = static_cast<std::size_t>(
      std::max_element(w.begin(), w.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) - w.begin());
  std::vector<Token> tokens{{Op::column, table.columns[most], 0.0}};
  for (std::size_t c = 0; c < w.size(); ++c) {
    if (c == most || w[c] == 0.0) continue;
    const double coefficient = rounded(table.raw(w, c, most));
    if (coefficient == 0.0 || !std::isfinite(coefficient)) continue;
    tokens.push_back({Op::constant, 0, std::abs(coefficient)});
    tokens.push_back({Op::column, table.columns[c], 0.0});
    tokens.push_back({Op::multiply, 0, 0.0});
    tokens.push_back({coefficient > 0.0 ? Op::add : Op::subtract, 0, 0.0});
  }
  if (tokens.size() == 1) tokens.clear();
  return tokens;
}

/// The best cut of a sum over all rows of the node that have one.
Split best_cut_of(const ObliqueTask& task, std::vector<Token> tokens, Scratch& scratch) {
  std::vector<double> sums;
  std::vector<SampleIndex> samples;
  for (const SampleIndex s : task.group) {
    const double sum = evaluate(tokens, task.data.values, task.samples.row[s]);
    if (std::isnan(sum)) continue;
    sums.push_back(sum);
    samples.push_back(s);
  }
  Ranked ranked;
  ranked.sort(sums, samples);
  Split split;
  if (ranked.is_constant()) return split;
  const bool complete = samples.size() == task.group.size();
  const Totals totals = complete ? task.totals : task.scan.totals_of(ranked.entries, task.totals);
  const Cut cut = task.scan.best_cut(ranked.entries, totals, task.limits, scratch);
  if (!cut.found()) return split;
  const double at = ranked.middle(cut, sums);
  if (!std::isfinite(at)) return split;
  tokens.push_back({Op::constant, 0, at});
  tokens.push_back({Op::greater, 0, 0.0});
  split.drop = cut.drop;
  split.test.kind = TestKind::expression;
  split.test.tokens = std::move(tokens);
  return split;
}

}  // namespace

Split best_oblique(const ObliqueTask& task, const Split& axis, RandomStream& random, Scratch& scratch) {
  const Table table(task);
  if (table.n_columns() < 2 || table.n_rows() < std::max(kRowsPerColumn * table.n_columns(), 2 * task.limits.rows))
    return {};
  const Coefficients w = Search(task, table, random, scratch).run(axis);
  if (w.empty()) return {};
  std::vector<Token> tokens = as_tokens(table, w);
  if (tokens.empty()) return {};
  Split found = best_cut_of(task, std::move(tokens), scratch);
  return found.drop > axis.drop + task.totals.slack() ? found : Split{};
}

}  // namespace spinney
