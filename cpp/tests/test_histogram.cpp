#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/data/cut.hpp"
#include "spinney/grow/stats.hpp"
#include "spinney/grow/worker.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

constexpr Column kNumber{ColumnKind::numeric, 0};

problem::Problem one_column(std::vector<double> values) {
  return problem::classes(values, {kNumber}, std::vector<std::int32_t>(values.size(), 0), 2);
}

std::vector<RowIndex> all_rows(const problem::Problem& p) {
  std::vector<RowIndex> rows(p.weight.size());
  for (RowIndex row = 0; row < rows.size(); ++row) rows[row] = row;
  return rows;
}

BinBorders borders_of(const problem::Problem& p, std::size_t max_bins) {
  ThreadTeam team(2);
  Interrupt interrupt;
  return find_borders({p.data(), all_rows(p), {}}, max_bins, team, interrupt);
}

/// Borders by the rule, from the sorted column.
struct NaiveBins {
  std::vector<double> low, high;
  NaiveBins(std::vector<double> values, std::size_t max_bins) {
    std::erase_if(values, [](double v) { return std::isnan(v); });
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    std::size_t n_values = n > 0 ? 1 : 0, begin = 0;
    for (std::size_t i = 1; i < n; ++i) n_values += values[i] != values[i - 1] ? 1 : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool last_of_value = i + 1 == n || values[i] != values[i + 1];
      const bool full = n_values <= max_bins || (i + 1 - begin) * (max_bins - low.size()) >= n - begin;
      if (!last_of_value || !full) continue;
      low.push_back(values[begin]);
      high.push_back(values[i]);
      begin = i + 1;
    }
  }
};

/// Columns of many shapes: smooth, skewed, with ties, nearly all one value, few values, gaps and infinities.
std::vector<std::function<double(RandomStream&)>> shapes() {
  return {[](RandomStream& r) { return r.uniform(); },
          [](RandomStream& r) { return std::pow(r.uniform(), -8.0); },
          [](RandomStream& r) { return std::floor(std::pow(r.uniform(), -2.0)); },
          [](RandomStream& r) { return r.below(10) > 0 ? 0.0 : r.uniform() - 0.5; },
          [](RandomStream& r) { return static_cast<double>(r.below(5)); },
          [](RandomStream& r) { return static_cast<double>(r.below(3000)); },
          [](RandomStream& r) { return r.below(3) == 0   ? kNaN
                                       : r.below(2) == 0 ? -0.0
                                                         : 0.0; },
          [](RandomStream& r) { return r.below(9) == 0   ? kInfinity
                                       : r.below(9) == 0 ? -kInfinity
                                                         : r.uniform(); },
          [](RandomStream&) { return kNaN; }};
}

/// Rows of every kind: a number, a category, gaps; classes or numbers; weights or none.
problem::Problem mixed(std::size_t n_rows, std::int32_t n_classes, int weights) {
  RandomStream random(17, n_rows + static_cast<std::uint64_t>(weights));
  problem::Problem p;
  p.columns = {kNumber, {ColumnKind::nominal, 4}, kNumber};
  p.n_classes = n_classes;
  for (std::size_t i = 0; i < n_rows; ++i) {
    p.values.push_back(random.below(8) == 0 ? kNaN : random.uniform());
    p.values.push_back(random.below(8) == 0 ? kNaN : static_cast<double>(random.below(4)));
    p.values.push_back(static_cast<double>(random.below(600)));
    if (n_classes > 0) p.codes.push_back(static_cast<std::int32_t>(random.below(n_classes)));
    if (n_classes == 0) p.y.push_back(random.uniform() * 30.0 - 4.0);
    const double kinds[] = {1.0, 1.0 + static_cast<double>(random.below(3)), random.uniform(), 0.3};
    p.weight.push_back(kinds[weights]);
  }
  return p;
}

/// A worker with its rows in bins, all of them in the root.
struct Ready {
  problem::Problem p;
  NumberMoments objective;
  Dataset data;
  ThreadTeam team;
  Interrupt interrupt;
  BinBorders borders;
  Worker worker;
  MomentLayout layout;

  Ready(problem::Problem problem, std::size_t max_bins, std::size_t n_threads = 1, NumberMoments numbers = {})
      : p(std::move(problem)),
        objective(std::move(numbers)),
        data(p.data()),
        team(n_threads),
        borders(borders_of(p, max_bins)),
        worker(data, make_samples(p.target(), {}, interrupt), {}, objective, team, interrupt),
        layout(worker.bounds(), p.n_classes, objective) {
    worker.prepare(borders, layout, {});
  }
};

void add_rows(const MomentLayout& layout, const problem::Problem& p, const std::vector<std::uint32_t>& group,
              NodeSums& sums, std::size_t node) {
  add_rows(layout, RowMoments(layout, {{}, p.y, p.weight}), group, sums, node);
}

}  // namespace

TEST(borders_are_those_of_the_sorted_column_whatever_the_order_of_rows) {
  for (const auto& shape : shapes()) {
    for (const std::size_t n : {1, 50, 5000, 24000, 40000}) {
      RandomStream random(3, n);
      std::vector<double> values;
      for (std::size_t i = 0; i < n; ++i) values.push_back(shape(random));
      for (const std::size_t max_bins : {2, 10, 30, 255, 3000}) {
        const NaiveBins naive(values, max_bins);
        const BinBorders borders = borders_of(one_column(values), max_bins);
        CHECK(std::equal(naive.low.begin(), naive.low.end(), borders.low.begin(), borders.low.end()));
        CHECK(std::equal(naive.high.begin(), naive.high.end(), borders.high.begin(), borders.high.end()));
        CHECK(borders.n_bins[0] == naive.low.size() && borders.n_bins[0] <= max_bins);
        CHECK(borders.check(std::vector{kNumber})[0] == '\0');
      }
      std::sort(values.begin(), values.end(), [](double a, double b) { return a > b; });
      for (const std::size_t max_bins : {30, 255})
        CHECK(borders_of(one_column(values), max_bins).high == NaiveBins(values, max_bins).high);
    }
  }
}

TEST(codes_have_eight_bits_where_they_fit_and_are_the_bins_of_the_values) {
  problem::Problem p = mixed(5000, 2, 0);
  const BinBorders borders = borders_of(p, 300);
  ThreadTeam team(1);
  Interrupt interrupt;
  const Dataset data = p.data();
  const std::vector<RowIndex> rows = all_rows(p);
  const BinnedRows bins({data, rows, {}}, borders, team, interrupt);
  CHECK(bins.narrow().columns == (std::vector<FeatureIndex>{1}));
  CHECK(bins.wide().columns == (std::vector<FeatureIndex>{0, 2}));
  bool all_right = true;
  for (const RowIndex row : rows) {
    for (std::size_t f = 0; f < 3; ++f) {
      const double value = data.values.at(row, f);
      const auto high = borders.highs(f);
      const std::size_t bin = std::isnan(value) ? borders.n_bins[f]
                              : f == 1          ? static_cast<std::size_t>(value)
                                                : std::lower_bound(high.begin(), high.end(), value) - high.begin();
      all_right = all_right && bins.code(row, f) == bin;
    }
  }
  CHECK(all_right);
}

TEST(values_that_no_bin_has_go_with_the_tests_between_bins) {
  const problem::Problem seen = one_column({1, 2, 5, 9}), unseen = one_column({0, 1.4, 1.6, 3.4, 3.6, 7.1, 100});
  const BinBorders borders = borders_of(seen, 10);
  ThreadTeam team(1);
  Interrupt interrupt;
  const Dataset data = unseen.data();
  const std::vector<RowIndex> rows = all_rows(unseen);
  const BinnedRows bins({data, rows, {}}, borders, team, interrupt);
  for (std::size_t lower = 0; lower < 4; ++lower) {
    for (std::size_t upper = lower + 1; upper < 4; ++upper) {
      for (const RowIndex row : rows) {
        const std::size_t bin = bins.code(row, 0);
        const bool between = bin > lower && bin < upper;  // no row of a node that has this test
        CHECK(between || (data.values.at(row, 0) <= borders.cut(0, lower, upper)) == (bin <= lower));
      }
    }
  }
}

TEST(given_borders_are_checked) {
  const std::vector<Column> columns = {kNumber, {ColumnKind::nominal, 3}};
  const BinBorders good{{0, 1}, {2, 3}, {0, 2, 2}, {1, 3}, {2, 4}};
  CHECK(good.check(columns)[0] == '\0');
  BinBorders bad = good;
  bad.low[1] = 2;
  CHECK(bad.check(columns)[0] != '\0');
  bad = good;
  bad.n_bins[0] = 3;
  CHECK(bad.check(columns)[0] != '\0');
  bad = good;
  bad.nominal[1] = 0;
  CHECK(bad.check(columns)[0] != '\0');
  bad = good;
  bad.first.pop_back();
  CHECK(bad.check(columns)[0] != '\0');
}

TEST(sums_in_fixed_point_are_as_near_as_their_scale_says) {
  RandomStream random(5, 0);
  for (const double size : {1e-300, 1e-3, 1.0, 1e6, 1e300}) {
    const std::uint64_t n = 10000;
    const int power = FixedPoint::power_above(size);
    const FixedPoint scale(n, power);
    CHECK(scale.bits == 62 - 14);
    std::int64_t sum = 0, high = 0, low = 0;
    long double exact = 0.0L;
    for (std::uint64_t i = 0; i < n; ++i) {
      const double x = size * (2.0 * random.uniform() - 1.0), term = std::ldexp(x, -power);
      exact += static_cast<long double>(term);
      sum += scale.of(term);
      high += scale.fine(term).high;
      low += scale.fine(term).low;
    }
    // Each term is rounded by half a unit at most.
    const long double unit = std::ldexp(1.0L, -scale.bits), fine_unit = unit / FixedPoint::kFine;
    CHECK(std::abs(static_cast<long double>(sum) * unit - exact) <= unit * n / 2);
    const long double fine = static_cast<long double>(high) * unit + static_cast<long double>(low) * fine_unit;
    CHECK(std::abs(fine - exact) <= fine_unit * n / 2 + 1e-15L);
    CHECK(check::near(scale.value(sum) / size, static_cast<double>(std::ldexp(exact, power) / size)));
  }
  // The largest terms, all of one sign, fill 62 bits and no more.
  const FixedPoint full((std::uint64_t{1} << 32) - 1, 0);
  CHECK(static_cast<double>(full.of(1.0)) * 4294967295.0 < 0x1.0p62);
  CHECK(FixedPoint(1000000, 0).bits == 42);
}

TEST(a_twofold_number_keeps_what_a_double_loses) {
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  const Twofold a = Twofold::of(big);
  CHECK((a - Twofold::of(std::int64_t{1} << 60)).value() == 1.0);
  CHECK((a * a - Twofold::of(std::int64_t{1} << 60) * Twofold::of(std::int64_t{1} << 60)).value() == 0x1.0p61 + 1.0);
  CHECK((Twofold::of(10) / Twofold::of(4)).value() == 2.5);
  CHECK(Twofold::of(-big).value() == -static_cast<double>(big));
}

TEST(histograms_are_the_sums_of_a_double_loop_and_add_up) {
  for (const std::int32_t n_classes : {0, 2, 5}) {
    for (const int weights : {0, 1, 2}) {
      for (const std::size_t max_bins : {16, 300}) {
        Ready one(mixed(3000, n_classes, weights), max_bins), two(one.p, max_bins, 3);
        one.worker.start(nullptr);
        two.worker.start(nullptr);
        const std::vector<NodeId> root = {0};
        Histogram all = one.worker.histograms(root)[0];
        CHECK(two.worker.histograms(root)[0].numbers() == all.numbers());
        Histogram naive(std::make_shared<const HistogramLayout>(all.layout()));
        const BinnedRows bins({one.data, one.worker.rows(), {}}, one.borders, one.team, one.interrupt);
        const bool equal = one.layout.equal_weights;
        for (std::size_t row = 0; row < 3000; ++row) {
          const std::int64_t w = one.layout.weights.of(std::ldexp(one.p.weight[row], -one.layout.weight_power));
          for (std::size_t f = 0; f < 3; ++f) {
            std::int64_t* bin = naive.numbers().data() + all.layout().first[f] + bins.code(row, f) * all.layout().width;
            if (n_classes == 0 || !equal) ++*bin++;
            if (n_classes > 0) bin[one.p.codes[row]] += equal ? 1 : w;
            if (n_classes > 0) continue;
            if (!equal) *bin++ += w;
            const double d = std::ldexp(one.p.y[row] - one.layout.origin, -one.layout.y_power);
            *bin += one.layout.moments[0].of(equal ? d : std::ldexp(one.p.weight[row], -one.layout.weight_power) * d);
          }
        }
        CHECK(naive.numbers() == all.numbers());
        const Histogram copy(std::make_shared<const HistogramLayout>(all.layout()), all.numbers());
        all += copy;
        all -= naive;
        CHECK(all.numbers() == naive.numbers());
      }
    }
  }
}

namespace {

/// All rows in the root, by the terms that are given.
Histogram counted(const Ready& ready, const BinnedRows& bins, const Terms& terms, std::size_t width) {
  const std::vector<FeatureIndex> columns = {0, 1, 2};
  std::vector<std::uint32_t> rows(ready.p.weight.size());
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  Histogram out(std::make_shared<const HistogramLayout>(ready.borders, columns, width));
  Accumulator().add(bins, terms, rows, out);
  return out;
}

}  // namespace

TEST(weights_are_the_same_whether_few_differ_or_many) {
  RandomStream random(5, 0);
  for (const std::size_t n_distinct : {1, 2, 256, 257, 5000}) {
    std::vector<double> weights = {0.0};
    for (std::size_t i = 1; i < 5000; ++i)
      weights.push_back(static_cast<double>(i < n_distinct ? i : random.below(n_distinct)) / 3.0);
    const RowWeights found(weights);
    CHECK(found.size() == weights.size());
    CHECK((found.codes() != nullptr) == (n_distinct <= 256));
    CHECK(found.values().size() == (n_distinct <= 256 ? n_distinct : weights.size()));
    for (std::size_t row = 0; row < weights.size(); ++row) CHECK(found[row] == weights[row]);
  }
  CHECK(RowWeights(std::vector<double>{}).size() == 0);
}

TEST(class_counts_are_what_the_general_loop_makes_of_ones_and_zeros) {
  for (const std::int32_t n_classes : {2, 5}) {
    for (const int weights : {0, 1, 2}) {
      Ready ready(mixed(3000, n_classes, weights), 300);
      const auto k = static_cast<std::size_t>(n_classes);
      const RowMoments own(ready.layout, {{}, {}, ready.p.weight});
      std::vector<std::int64_t> dense(3000 * k, 0);
      for (std::size_t row = 0; row < 3000; ++row)
        dense[row * k + static_cast<std::size_t>(ready.p.codes[row])] =
            weights == 0 ? 1 : own.weight[own.targets.weight.place(row)];
      const BinnedRows bins({ready.data, ready.worker.rows(), {}}, ready.borders, ready.team, ready.interrupt);
      const Histogram general = counted(ready, bins, {.n_moments = k, .moments = dense.data()}, 1 + k);
      ready.worker.start(nullptr);
      const Histogram tight = ready.worker.histograms(std::vector<NodeId>{0})[0];
      for (std::size_t f = 0; f < 3; ++f) {
        for (std::size_t b = 0; b <= ready.borders.n_bins[f]; ++b) {
          const std::int64_t *all = general.bin(f, b), *own_bin = tight.bin(f, b);
          if (weights != 0) CHECK(*all == *own_bin++);
          if (weights == 0) CHECK(*all == std::accumulate(own_bin, own_bin + k, std::int64_t{0}));
          CHECK(std::equal(own_bin, own_bin + k, all + 1));
        }
      }
    }
  }
}

TEST(one_moment_is_added_up_as_the_first_of_many) {
  for (const int weights : {0, 2}) {
    Ready ready(mixed(3000, 0, weights), 300);
    const RowMoments rows(ready.layout, {{}, ready.p.y, ready.p.weight});
    std::vector<std::int64_t> more;  // moments, and others beside them
    for (std::size_t row = 0; row < 3000; ++row)
      more.insert(more.end(), {rows.moments[row], static_cast<std::int64_t>(row), 7});
    const std::int64_t* const weight = weights == 0 ? nullptr : rows.weight.data();
    const BinnedRows bins({ready.data, ready.worker.rows(), {}}, ready.borders, ready.team, ready.interrupt);
    const std::size_t width = ready.layout.bin_width();
    const Histogram general =
        counted(ready, bins,
                {.weight = weight, .n_moments = 3, .moments = more.data(), .weight_code = rows.targets.weight.codes()},
                width + 2);
    ready.worker.start(nullptr);
    const Histogram tight = ready.worker.histograms(std::vector<NodeId>{0})[0];
    for (std::size_t f = 0; f < 3; ++f) {
      for (std::size_t b = 0; b <= ready.borders.n_bins[f]; ++b) {
        CHECK(std::equal(tight.bin(f, b), tight.bin(f, b) + width, general.bin(f, b)));
        CHECK(general.bin(f, b)[width + 1] == 7 * *tight.bin(f, b));
      }
    }
  }
}

TEST(moments_of_any_objective_are_added_up_in_bins_and_nodes_as_near_as_their_scales_say) {
  for (const std::size_t k : {1, 2, 3, 5}) {
    for (const int weights : {0, 1, 2, 3}) {
      std::vector<double> seen;  // by the leaf of a node
      NumberMoments powers;      // of y: sizes that differ by many digits
      powers.n_in_bins = powers.n_in_nodes = k;
      powers.add = [k](const Row& row, double* moments) {
        for (std::size_t m = 0; m < k; ++m)
          moments[m] += row.weight * std::pow(row.y, 2.0 * static_cast<double>(m) - 1.0);
      };
      powers.leaf = [&seen, k](const double* moments, double weight) {
        seen.assign(moments, moments + k);
        return Leaf{moments[0] / weight, moments[k - 1], weight};
      };
      Ready ready(mixed(3000, 0, weights), 16, 2, powers);
      const NodeSums sums = ready.worker.start(nullptr);
      const NodeMoments node = read_sums(ready.layout, sums, 0);
      const Histogram histogram = ready.worker.histograms(std::vector<NodeId>{0})[0];
      CHECK(histogram.layout().width == (weights % 3 == 0 ? 1 : 2) + k);
      CHECK(node.n_rows == 3000 && !node.centred && !node.pure);
      CHECK_NEAR(node.weight, std::accumulate(ready.p.weight.begin(), ready.p.weight.end(), 0.0));
      for (std::size_t m = 0; m < k; ++m) {
        long double exact = 0.0L, size = 0.0L;
        for (std::size_t row = 0; row < 3000; ++row) {
          std::vector<double> one(k, 0.0);
          powers.add({0, ready.p.y[row], ready.p.weight[row]}, one.data());
          exact += static_cast<long double>(one[m]);
          size = std::max(size, std::abs(static_cast<long double>(one[m])));
        }
        // No unit is larger than the largest term over 2^(62 - 12 - 1), 12 being the bits of 3,000; of nodes, 2^30
        // less.
        const long double unit = size * std::ldexp(1.0L, -49), tiny = std::abs(exact) * 1e-15L;
        long double in_bins = 0.0L;
        for (std::size_t b = 0; b <= ready.borders.n_bins[0]; ++b) {
          std::vector<double> moments(k);
          read_bin(ready.layout, histogram.bin(0, b), moments.data());
          in_bins += static_cast<long double>(moments[m]);
        }
        CHECK(std::abs(in_bins - exact) <= 1500 * unit + 20 * tiny);
        CHECK(std::abs(static_cast<long double>(seen[m]) - exact) <= 1500 * unit / FixedPoint::kFine + 2 * tiny);
      }
      CHECK(node.loss == seen[k - 1]);
    }
  }
}

TEST(moments_that_are_no_numbers_are_refused) {
  NumberMoments squares;
  squares.n_in_bins = squares.n_in_nodes = 1;
  squares.add = [](const Row& row, double* moments) { *moments += row.y * row.y; };
  std::string said;
  try {
    RowBounds({{}, {1.0, 1e200}, std::vector{1.0, 1.0}}, squares);
  } catch (const std::invalid_argument& error) {
    said = error.what();
  }
  CHECK(said == "targets that are too large to be added up in bins");
}

TEST(histograms_of_another_layout_are_refused) {
  Ready one(mixed(100, 2, 0), 16), other(mixed(100, 3, 0), 16);
  one.worker.start(nullptr);
  other.worker.start(nullptr);
  const std::vector<NodeId> root = {0};
  Histogram a = one.worker.histograms(root)[0];
  const Histogram b = other.worker.histograms(root)[0];
  int n_refused = 0;
  try {
    a += b;
  } catch (const std::invalid_argument&) {
    ++n_refused;
  }
  try {
    Histogram(std::make_shared<const HistogramLayout>(a.layout()), b.numbers());
  } catch (const std::invalid_argument&) {
    ++n_refused;
  }
  CHECK(n_refused == 2);
}

TEST(tallies_are_the_rows_that_a_double_loop_finds_on_each_side) {
  for (const int weights : {0, 2}) {
    Ready ready(mixed(2000, 2, weights), 32, 2);
    ready.worker.start(nullptr);
    const double threshold = ready.borders.cut(0, 11, 12);
    Divisions divisions;
    divisions.node = {0};
    divisions.tests.append({TestKind::threshold, 0, threshold, {}, {}, {}});
    const Histogram tally = ready.worker.tallies(divisions)[0];
    const BinnedRows bins({ready.data, ready.worker.rows(), {}}, ready.borders, ready.team, ready.interrupt);
    for (std::size_t f = 0; f < 3; ++f) {
      for (std::size_t b = 0; b <= ready.borders.n_bins[f]; ++b) {
        std::int64_t rows = 0, side[2] = {0, 0};
        for (std::size_t row = 0; row < 2000; ++row) {
          const double value = ready.data.values.at(row, 0);
          if (std::isnan(value) || bins.code(row, f) != b) continue;
          ++rows;
          const double w = std::ldexp(ready.p.weight[row], -ready.layout.weight_power);
          side[value <= threshold ? 0 : 1] += weights == 0 ? 1 : ready.layout.weights.of(w);
        }
        const std::int64_t* found = tally.bin(f, b);
        if (weights != 0) CHECK(*found++ == rows);
        CHECK(found[0] == side[0] && found[1] == side[1]);
      }
    }
  }
}

TEST(sums_of_a_node_say_what_its_rows_say) {
  Interrupt interrupt;
  for (const double offset : {0.0, 1e3, 1e9}) {
    for (const int weights : {0, 1, 2}) {
      for (const bool far_row : {false, true}) {
        problem::Problem p = mixed(4000, 0, weights);
        for (double& y : p.y) y = offset + y * 1e-3;
        if (far_row) p.y[7] = offset + 1e6;  // the scale is that of the largest
        Ready ready(p, 16);
        const Target target = p.target();
        const ObjectiveChoice squared{.name = "squared_error", .cost = {}, .callable = {}};
        // The rows of one category, without the far one.
        std::vector<std::uint32_t> group;
        for (std::uint32_t row = 8; row < 4000; ++row) {
          if (ready.data.values.at(row, 1) == 2.0) group.push_back(row);
        }
        NodeSums sums(ready.layout, 1);
        add_rows(ready.layout, p, group, sums, 0);
        Samples nobody;
        nobody.y_shift = ready.layout.origin;
        const Summary found = Summarizer(target, nobody, squared).from_moments(read_sums(ready.layout, sums, 0));
        std::vector<std::uint8_t> take(4000, 0);
        for (const std::uint32_t row : group) take[row] = 1;
        const Samples samples = make_samples(target, take, interrupt);
        std::vector<SampleIndex> everyone(samples.size());
        for (SampleIndex s = 0; s < everyone.size(); ++s) everyone[s] = s;
        const Summary exact = Summarizer(target, samples, squared).summarize(everyone);
        CHECK(found.stats.n_samples == exact.stats.n_samples);
        CHECK_NEAR(found.stats.weight, exact.stats.weight);
        CHECK_NEAR(found.stats.value[0], exact.stats.value[0]);
        // A row a thousand million times as far as the others leaves them with fewer digits.
        const double tolerance = far_row ? 1e-4 : 1e-10;
        CHECK(std::abs(found.stats.risk - exact.stats.risk) <= tolerance * exact.stats.risk);
      }
    }
  }
}

TEST(sums_of_equal_targets_are_pure_and_exact) {
  problem::Problem p = mixed(100, 0, 2);
  for (std::size_t row = 0; row < 50; ++row) p.y[row] = 0.1;
  Ready ready(p, 16);
  std::vector<std::uint32_t> group;
  for (std::uint32_t row = 0; row < 50; ++row) group.push_back(row);
  NodeSums sums(ready.layout, 2);
  add_rows(ready.layout, p, group, sums, 0);
  group.push_back(60);
  add_rows(ready.layout, p, group, sums, 1);
  const NodeMoments equal = read_sums(ready.layout, sums, 0), mixed_up = read_sums(ready.layout, sums, 1);
  CHECK(equal.pure && equal.answer + ready.layout.origin == 0.1 && equal.loss == 0.0);
  CHECK(!mixed_up.pure && mixed_up.loss > 0.0);
}
