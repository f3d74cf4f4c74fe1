// The tight loops against the general scan, and the general scan of rows with and without a running loss.
//
// Both find the same place on every problem. Their drops are sums in other orders, so they are equal to the last bit
// where every quotient is a whole number, and up to the slack of ties elsewhere.

#include <cmath>
#include <numeric>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/grow/stats.hpp"
#include "spinney/objective/registry.hpp"
#include "spinney/random.hpp"
#include "spinney/splits/count_scan.hpp"
#include "spinney/splits/moment_scan.hpp"
#include "spinney/splits/row_scan.hpp"
#include "spinney/splits/tight_scans.hpp"

using namespace spinney;

namespace {

enum class Weights { unit, equal, multiples, real };

struct Case {
  std::size_t n = 40;
  std::int32_t n_classes = 0;
  Weights weights = Weights::unit;
  std::size_t n_values = 10;  // of the column: few make ties
  bool gaps = false;
  bool nominal = false;
  bool whole = true;  // targets
  bool exposed = false;
};

problem::Problem make(const Case& of, RandomStream& random) {
  problem::Problem p;
  p.n_classes = of.n_classes;
  const auto n_categories = static_cast<std::int32_t>(of.nominal ? of.n_values : 0);
  p.columns = {{of.nominal ? ColumnKind::nominal : ColumnKind::numeric, n_categories}};
  for (std::size_t i = 0; i < of.n; ++i) {
    p.values.push_back(of.gaps && random.below(5) == 0 ? kNaN : static_cast<double>(random.below(of.n_values)));
    if (of.n_classes > 0) {
      p.codes.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(of.n_classes))));
    } else {
      p.y.push_back(of.whole ? static_cast<double>(random.below(9)) : 50.0 * random.uniform());
    }
    const double w = of.weights == Weights::unit        ? 1.0
                     : of.weights == Weights::equal     ? 0.3
                     : of.weights == Weights::multiples ? static_cast<double>(1 + random.below(4))
                                                        : 0.1 + random.uniform();
    p.weight.push_back(w);
    if (of.exposed) p.exposure.push_back(0.2 + random.uniform());
  }
  return p;
}

/// All that a scan is asked for: the entries with a value of the only column, and their totals.
struct Asked {
  problem::Problem problem;
  Target target;
  Samples samples;
  SortedColumns sorted;
  ObjectiveChoice choice;
  std::span<const Entry> entries;
  Totals node;

  Asked(problem::Problem p, const std::string& objective)
      : problem(std::move(p)), target(problem.target()), sorted(1, 1), choice{objective, {}, {}} {
    choice.exposed = !problem.exposure.empty();
    Interrupt never;
    ThreadTeam alone(1);
    samples = make_samples(target, {}, never);
    sorted = sort_columns(problem.data(), samples, alone, never);
    std::vector<SampleIndex> everyone(samples.size());
    std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
    node = Summarizer(target, samples, choice).summarize(everyone).totals;
    entries = {sorted.column(0), count_observed(sorted.column(0), samples.size())};
  }
};

/// Whether two scans find the same; exact: to the last bit.
template <class Tight, class General>
void compare(const Asked& asked, const Tight& tight, const General& general, const Limits& limits, bool exact) {
  Interrupt never;
  Scratch a(never), b(never);
  if (asked.entries.empty()) return;
  const bool complete = asked.entries.size() == asked.samples.size();
  const Totals totals = complete ? asked.node : tight.totals_of(asked.entries, asked.node);
  const double slack = exact ? 0.0 : 100.0 * totals.slack();
  const auto equal = [&](double x, double y) { return x == y || std::abs(x - y) <= slack; };
  const Cut one = tight.best_cut(asked.entries, totals, limits, a);
  const Cut other = general.best_cut(asked.entries, totals, limits, b);
  CHECK(one.found() == other.found());
  if (one.found() && other.found()) CHECK(one.position == other.position && equal(one.drop, other.drop));
  const Split first = tight.best_nominal(0, asked.entries, totals, limits, a);
  const Split second = general.best_nominal(0, asked.entries, totals, limits, b);
  CHECK(first.found() == second.found());
  if (first.found() && second.found()) CHECK(first.test.codes == second.test.codes && equal(first.drop, second.drop));
}

const std::vector<Limits> kLimits = {{1, 0.0}, {3, 0.0}, {1, 2.5}, {4, 3.0}};

/// Random problems of every kind, with limits as growth gives them.
template <class Compare>
void over_problems(std::int32_t n_classes, const std::string& objective, const Compare& with, bool exposed = false) {
  RandomStream random(static_cast<std::uint64_t>(n_classes) + 3, 17);
  for (const Weights weights : {Weights::unit, Weights::equal, Weights::multiples, Weights::real}) {
    for (int round = 0; round < 150; ++round) {
      const Case of{.n = 8 + random.below(120),
                    .n_classes = n_classes,
                    .weights = weights,
                    .n_values = 2 + random.below(round % 3 == 0 ? 60 : 8),
                    .gaps = round % 4 == 0,
                    .nominal = round % 5 == 0,
                    .whole = round % 2 == 0,
                    .exposed = exposed};
      const Asked asked(make(of, random), objective);
      const SampleWeights& weight = asked.samples.search_weight();
      for (const Limits& limits : kLimits)
        with(asked, weight.is_equal() ? Limits::of_rows(limits.rows, limits.weight, weight.unit) : limits);
    }
  }
}

/// Objectives of rows without a running loss of their own.
struct NaiveAbsolute : NumberObjective {
  static constexpr std::string_view kName = "absolute_error";
  static constexpr bool kNeedsRows = true;
  Leaf leaf(const Rows& rows) const { return AbsoluteError{}.leaf(rows); }
  double cost(double point, const Row& row) const { return AbsoluteError{}.cost(point, row); }
};

}  // namespace

TEST(the_tight_loops_of_gini_find_what_the_general_scan_finds) {
  for (const std::int32_t n_classes : {2, 3, 6}) {
    over_problems(n_classes, "gini", [&](const Asked& asked, const Limits& limits) {
      const MomentScan<Gini> general(Gini{{{.n = n_classes}}}, asked.samples);
      compare(asked, GiniScan(asked.samples), general, limits, false);
    });
  }
}

TEST(the_tight_loops_of_squared_error_find_what_the_general_scan_finds) {
  over_problems(0, "squared_error", [](const Asked& asked, const Limits& limits) {
    const MomentScan<SquaredError> general(SquaredError{}, asked.samples);
    compare(asked, SquaredErrorScan(asked.samples), general, limits, false);
  });
}

TEST(the_tight_loops_of_poisson_find_what_the_general_scan_finds) {
  for (const bool exposed : {false, true}) {
    const auto with = [](const Asked& asked, const Limits& limits) {
      const Poisson objective = Poisson::make(asked.choice);
      const MomentScan<Poisson> general(objective, asked.samples);
      compare(asked, PoissonScan(objective, asked.samples), general, limits, false);
    };
    over_problems(0, "poisson", with, exposed);
  }
}

TEST(tight_loops_equal_the_general_scan_to_the_last_bit_where_quotients_are_whole) {
  // Two values, each of 2^k rows of whole weight: every side weighs a power of two.
  RandomStream random(5, 23);
  for (int round = 0; round < 200; ++round) {
    const std::int32_t n_classes = round % 4 == 0 ? 0 : 1 + round % 4;
    const std::size_t half = std::size_t{1} << random.below(6);
    const double unit = round % 3 == 0 ? 1.0 : 0.25;
    problem::Problem p = make({.n = 2 * half, .n_classes = n_classes}, random);
    for (std::size_t i = 0; i < 2 * half; ++i) {
      p.values[i] = i < half ? 0.0 : 1.0;
      p.weight[i] = unit;
      if (n_classes == 0) p.y[i] *= 64.0;  // so that the mean is a whole number
    }
    const Asked asked(std::move(p), n_classes == 0 ? "squared_error" : "gini");
    if (n_classes == 0) {
      compare(asked, SquaredErrorScan(asked.samples), MomentScan<SquaredError>(SquaredError{}, asked.samples), {},
              true);
    } else {
      compare(asked, GiniScan(asked.samples), MomentScan<Gini>(Gini{{{.n = n_classes}}}, asked.samples), {}, true);
    }
  }
}

TEST(a_running_loss_finds_what_asking_for_all_rows_finds) {
  over_problems(0, "absolute_error", [](const Asked& asked, const Limits& limits) {
    const RowScan<NaiveAbsolute> naive({}, asked.samples);
    compare(asked, RowScan<AbsoluteError>({}, asked.samples), naive, limits, false);
  });
}

TEST(scans_say_what_they_can_do) {
  RandomStream random(7, 1);
  const Asked numbers(make({}, random), "absolute_error");
  const Asked classes(make({.n_classes = 2, .weights = Weights::real}, random), "gini");
  CHECK(make_scan({"absolute_error", {}, {}}, numbers.samples)->groups() == nullptr);
  CHECK(make_scan({"squared_error", {}, {}}, numbers.samples)->groups() != nullptr);
  CHECK(make_scan({"gini", {}, {}}, classes.samples)->blocks() != nullptr);
  CHECK(make_scan({"entropy", {}, {}}, classes.samples)->blocks() == nullptr);
}

TEST(two_classes_with_weights_of_any_size_are_cut_where_the_general_scan_cuts) {
  RandomStream random(11, 8);
  for (int round = 0; round < 120; ++round) {
    problem::Problem p = make({.n = 50 + random.below(600),
                               .n_classes = 2,
                               .weights = Weights::real,
                               .n_values = round % 3 == 0 ? 9U : 1'000'000U},
                              random);
    const double scale = round % 4 == 0 ? 1e-120 : round % 4 == 1 ? 1e120 : 1.0;
    for (std::size_t i = 0; i < p.weight.size(); ++i) {
      if (round % 5 != 0) p.weight[i] = std::exp(8.0 * random.uniform());
      if (round % 2 == 0) p.codes[i] = random.below(50) == 0 ? 1 : 0;  // few of one class
      p.weight[i] *= scale;
    }
    const Asked asked(std::move(p), "gini");
    const MomentScan<Gini> general(Gini{{{.n = 2}}}, asked.samples);
    for (const std::size_t rows : {1, 4}) compare(asked, GiniScan(asked.samples), general, {rows, 0.0}, false);
  }
}

TEST(squared_error_passes_over_no_block_that_holds_the_best_cut) {
  RandomStream random(9, 4);
  for (int round = 0; round < 60; ++round) {
    const bool multiples = round % 2 == 0;
    problem::Problem p = make({.n = 100 + random.below(900),
                               .weights = multiples ? Weights::multiples : Weights::unit,
                               .n_values = round % 3 == 0 ? 7U : 1'000'000U},
                              random);
    const double largest = *std::max_element(p.values.begin(), p.values.end()), strength = 4.0 * random.uniform();
    for (std::size_t i = 0; i < p.y.size(); ++i)
      p.y[i] = random.uniform() + (p.values[i] > 0.7 * largest ? strength : 0.0);
    const Asked asked(std::move(p), "squared_error");
    Interrupt never;
    Scratch scratch(never);
    const Limits limits{1 + random.below(20), 0.0};
    double sum = 0.0, weight = 0.0, best = -kInfinity;
    std::size_t position = 0;
    for (std::size_t i = 0; i + limits.rows < asked.entries.size(); ++i) {
      const SampleIndex s = asked.entries[i].sample();
      sum += asked.samples.weight[s] * (asked.samples.y[s] - asked.node.origin);
      weight += asked.samples.weight[s];
      if (asked.entries[i + 1].tied() || i + 1 < limits.rows) continue;
      const double score = sum * sum * (1.0 / weight) + sum * sum * (1.0 / (asked.node.weight - weight));
      if (!(score > best + asked.node.slack())) continue;
      best = score;
      position = i;
    }
    const Cut cut = SquaredErrorScan(asked.samples).best_cut(asked.entries, asked.node, limits, scratch);
    CHECK(cut.found() && cut.drop == best && cut.position == position);
  }
}

TEST(whole_weights_of_two_classes_are_counted_as_if_added_up_one_by_one) {
  RandomStream random(10, 4);
  for (const Weights weights : {Weights::unit, Weights::equal, Weights::multiples, Weights::real}) {
    const Asked asked(make({.n = 200, .n_classes = 2, .weights = weights, .gaps = true}, random), "gini");
    Numbers sums(2);
    double weight = 0.0;
    for (const Entry& entry : asked.entries) {
      sums[asked.samples.label[entry.sample()]] += asked.samples.weight[entry.sample()];
      weight += asked.samples.weight[entry.sample()];
    }
    const Totals totals = GiniScan(asked.samples).totals_of(asked.entries, asked.node);
    CHECK(totals.classes == sums && totals.weight == weight);
  }
}
