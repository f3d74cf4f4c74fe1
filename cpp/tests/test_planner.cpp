#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "check.hpp"
#include "problem.hpp"
#include "same_tree.hpp"
#include "spinney/grow/planner.hpp"
#include "spinney/grow/worker.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

constexpr Column kNumber{ColumnKind::numeric, 0};
constexpr std::int32_t kCategories = 7;

/// Rows of numbers, ties and categories, enough of them for large nodes; the last category is that of one row.
problem::Problem rows_of(std::int32_t n_classes, int weights, bool gaps) {
  const std::size_t n_rows = 9000;
  RandomStream random(23, static_cast<std::uint64_t>(n_classes * 10 + weights));
  problem::Problem p;
  p.columns = {kNumber, kNumber, {ColumnKind::nominal, kCategories}, kNumber, {ColumnKind::ordered, 0}};
  p.n_classes = n_classes;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double a = random.uniform(), b = std::pow(random.uniform(), -1.5);
    const auto c = static_cast<double>(i == 4321 ? kCategories - 1 : random.below(kCategories - 1));
    const double d = a + 0.2 * random.uniform(), e = static_cast<double>(random.below(9));
    for (const double value : {a, b, c, d, e}) p.values.push_back(gaps && random.below(12) == 0 ? kNaN : value);
    const double signal = 2.0 * a + (c == 2.0 ? 0.7 : 0.0) + 0.1 * e + 0.8 * random.uniform();
    if (n_classes == 0) p.y.push_back(signal);
    if (n_classes > 0) p.codes.push_back(std::min(n_classes - 1, static_cast<std::int32_t>(signal / 3.4 * n_classes)));
    const double kinds[] = {1.0, static_cast<double>(random.below(4)), random.uniform(), 0.3};
    p.weight.push_back(kinds[weights]);
  }
  return p;
}

/// Everything that growth is asked for, apart from rows.
struct Wish {
  GrowParams params;
  std::vector<double> class_scale = {}, split_scale = {}, cost = {};
  const Tree* start = nullptr;
  std::size_t n_set_aside = 0;  // of the last rows

  Target target(const problem::Problem& p) const {
    Target out = p.target();
    out.class_scale = class_scale;
    out.split_scale = split_scale;
    out.cost = cost;
    return out;
  }
};

/// A part of the rows, in a table of its own.
struct Part {
  problem::Problem rows;
  std::vector<std::uint64_t> number;
  Dataset data;
  std::unique_ptr<Worker> worker;
};

/// One worker as on one machine, or as many as `part_of` says: their answers are added up.
Tree grow_in_parts(const problem::Problem& p, const Wish& wish, std::size_t n_workers,
                   const std::function<std::size_t(std::size_t)>& part_of) {
  ThreadTeam team(2);
  Interrupt interrupt;
  const Dataset data = p.data();
  std::vector<double> weight = p.weight, aside(p.weight.size(), 0.0);
  Validation validation{{}, aside, 3};
  for (std::size_t row = p.weight.size() - wish.n_set_aside; row < p.weight.size(); ++row) {
    aside[row] = std::exchange(weight[row], 0.0);
    validation.rows.push_back(static_cast<RowIndex>(row));
  }
  std::vector<Part> parts(n_workers);
  std::vector<RowIndex> taking_part;
  for (std::size_t row = 0; row < weight.size(); ++row) {
    Part& part = parts[part_of(row)];
    const auto values = p.values.begin() + static_cast<std::ptrdiff_t>(row * p.columns.size());
    part.rows.values.insert(part.rows.values.end(), values, values + static_cast<std::ptrdiff_t>(p.columns.size()));
    part.rows.weight.push_back(weight[row]);
    if (p.n_classes > 0) part.rows.codes.push_back(p.codes[row]);
    if (p.n_classes == 0) part.rows.y.push_back(p.y[row]);
    if (!p.exposure.empty()) part.rows.exposure.push_back(p.exposure[row]);
    part.number.push_back(row);
    if (weight[row] > 0.0) taking_part.push_back(static_cast<RowIndex>(row));
  }
  NumberMoments objective;
  if (p.n_classes == 0) objective = NumberMoments(wish.params.criterion);
  RowBounds bounds;
  for (Part& part : parts) {
    part.rows.columns = p.columns;
    part.rows.n_classes = p.n_classes;
    part.data = part.rows.data();
    const Samples samples = make_samples(wish.target(part.rows), {}, interrupt);
    part.worker = std::make_unique<Worker>(part.data, samples, part.number, objective, team, interrupt);
    bounds.merge(part.worker->bounds());
  }
  const auto& features = wish.params.features;
  const BinBorders borders =
      find_borders({data, taking_part, features}, static_cast<std::size_t>(wish.params.max_bins), team, interrupt);
  const MomentLayout moments(bounds, p.n_classes, objective);
  NodeSums sums;
  for (Part& part : parts) {
    part.worker->prepare(borders, moments, features);
    const NodeSums own = part.worker->start(wish.start);
    if (sums.size() == 0) {
      sums = own;
    } else {
      sums += own;
    }
  }
  const Target target = wish.target(p);
  Planner planner({.columns = data.columns,
                   .target = target,
                   .params = wish.params,
                   .borders = borders,
                   .moments = moments,
                   .start = wish.start,
                   .validation = &validation,
                   .set_aside = data.values},
                  sums, team, interrupt);
  while (!planner.request().empty()) {
    Answer answer = parts[0].worker->answer(planner.request());
    for (std::size_t i = 1; i < n_workers; ++i) answer += parts[i].worker->answer(planner.request());
    planner.receive(std::move(answer));
  }
  return std::move(planner).finish();
}

/// The places of rows when they are sorted by target: workers then see few classes each.
std::vector<std::size_t> places_by_target(const problem::Problem& p) {
  std::vector<std::size_t> order(p.weight.size()), place(p.weight.size());
  for (std::size_t row = 0; row < order.size(); ++row) order[row] = row;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return p.n_classes > 0 ? p.codes[a] < p.codes[b] : p.y[a] < p.y[b];
  });
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

/// Grows with one worker and with many, and returns the tree of one.
Tree check_divisions(const problem::Problem& p, const Wish& wish) {
  const std::size_t n = p.weight.size();
  const Tree one = grow_in_parts(p, wish, 1, [](std::size_t) { return 0; });
  CHECK(one.check().empty());
  CHECK(one.n_nodes() > 8);
  const std::vector<std::size_t> place = places_by_target(p);
  for (const std::size_t n_workers : {2, 3, 7, 16}) {
    CHECK(problem::same_tree(
        one, grow_in_parts(p, wish, n_workers, [&](std::size_t row) { return place[row] * n_workers / n; })));
  }
  // Every second worker has no rows.
  CHECK(problem::same_tree(one, grow_in_parts(p, wish, 16, [](std::size_t row) { return row % 8 * 2; })));
  return one;
}

GrowParams params_for(const problem::Problem& p, std::int64_t max_bins = 32) {
  GrowParams params;
  params.max_bins = max_bins;
  params.criterion.name = p.n_classes > 0 ? "gini" : "squared_error";
  params.min_samples_leaf = 20;
  params.seed = 7;
  return params;
}

}  // namespace

TEST(any_division_of_rows_gives_the_tree_of_one_worker) {
  for (const std::int32_t n_classes : {0, 2, 9}) {
    for (const int weights : {0, 1, 2}) {
      const problem::Problem p = rows_of(n_classes, weights, weights != 1);
      check_divisions(p, {.params = params_for(p)});
    }
  }
}

TEST(any_division_of_rows_gives_the_same_tree_with_every_parameter) {
  for (const std::int32_t n_classes : {0, 2}) {
    const problem::Problem p = rows_of(n_classes, 2, true);
    Wish wish{.params = params_for(p)};
    wish.params.missing = MissingRule::majority;
    check_divisions(p, wish);
    wish.params.max_surrogates = 2;
    wish.params.missing = MissingRule::surrogate;
    wish.params.max_features = 2;
    check_divisions(p, wish);
    wish.params.n_best_splits = 3;
    wish.params.max_depth = 6;
    check_divisions(p, wish);
    wish.params.features = {0, 2, 4};
    wish.params.min_weight_fraction_leaf = 0.01;
    wish.params.min_impurity_decrease = 1e-5;
    check_divisions(p, wish);
    wish.params.random_cuts = true;
    check_divisions(p, wish);
    wish.params.monotone = {1, 0, 0, -1, 0};
    wish.params.max_leaf_nodes = 30;
    check_divisions(p, wish);
  }
}

TEST(any_division_of_rows_gives_the_same_tree_best_first) {
  for (const std::int32_t n_classes : {0, 2, 4}) {
    const problem::Problem p = rows_of(n_classes, n_classes == 4 ? 0 : 2, true);
    Wish wish{.params = params_for(p)};
    wish.params.max_leaf_nodes = 40;
    const Tree limited = check_divisions(p, wish);
    CHECK(limited.n_nodes() == 79);
    wish.n_set_aside = 1500;
    check_divisions(p, wish);
    wish.params.max_leaf_nodes = 0;
    check_divisions(p, wish);
  }
}

TEST(any_division_of_rows_gives_the_same_tree_with_constraints) {
  for (const std::int32_t n_classes : {0, 2}) {
    const problem::Problem p = rows_of(n_classes, 2, true);
    Wish wish{.params = params_for(p)};
    wish.params.monotone = {1, -1, 0, 0, 0};
    const Tree constrained = check_divisions(p, wish);
    CHECK(!constrained.answer.empty());  // some were clipped
    wish.params.interactions = {{0, 1, 2}, {2, 3, 4}};
    check_divisions(p, wish);
    wish.params.max_leaf_nodes = 40;
    check_divisions(p, wish);
    wish.params.max_leaf_nodes = 0;
    wish.params.max_depth = 3;
    const Tree top = grow_in_parts(p, wish, 1, [](std::size_t) { return 0; });
    wish.params.max_depth = 9;
    wish.start = &top;
    check_divisions(p, wish);
  }
}

TEST(any_division_of_rows_gives_the_same_tree_with_costs_and_from_a_start) {
  const problem::Problem p = rows_of(3, 1, true);
  Wish wish{.params = params_for(p)};
  wish.class_scale = {1.0, 2.5, 0.3};
  wish.split_scale = {0.7, 2.0, 1.1};
  wish.cost = {0, 1, 2, 3, 0, 1, 1, 4, 0};
  const Tree start = check_divisions(p, wish);
  wish.params.criterion.name = "entropy";
  check_divisions(p, wish);
  for (const bool numbers : {false, true}) {
    const problem::Problem q = rows_of(numbers ? 0 : 3, 2, true);
    Wish shallow{.params = params_for(q)};
    shallow.params.max_depth = 2;
    const Tree stump = grow_in_parts(q, shallow, 1, [](std::size_t) { return 0; });
    shallow.params.max_depth = 7;
    shallow.start = &stump;
    const Tree further = check_divisions(q, shallow);
    CHECK(std::equal(stump.parent.begin(), stump.parent.end(), further.parent.begin()));
  }
}

namespace {

const std::vector<std::string> kOtherAdditive = {"toy_poisson", "toy_squares"};

/// Numbers that are counts.
problem::Problem counts(int weights, bool gaps) {
  problem::Problem p = rows_of(0, weights, gaps);
  for (double& y : p.y) y = std::floor(1.5 * y);
  return p;
}

/// Counts of unequal exposure; positive: amounts instead.
problem::Problem exposed_counts(int weights, bool gaps, bool positive) {
  problem::Problem p = counts(weights, gaps);
  RandomStream random(31, 5);
  for (double& y : p.y) {
    p.exposure.push_back(0.1 + random.uniform());
    y = positive ? y + 0.5 : y;
  }
  return p;
}

ObjectiveChoice exposed_choice(const std::string& name, const problem::Problem& p) {
  Interrupt never;
  ObjectiveChoice choice;
  choice.name = name;
  choice.exposed = true;
  choice.prior_cv = name == "poisson" ? 0.5 : 0.0;
  choice.centre = make_samples(p.target(), {}, never).rate();
  return choice;
}

}  // namespace

TEST(any_division_of_rows_gives_the_same_tree_by_any_additive_objective) {
  for (const std::string& name : kOtherAdditive) {
    for (const int weights : {0, 1, 2}) {
      const problem::Problem p = counts(weights, weights != 1);
      Wish wish{.params = params_for(p)};
      wish.params.criterion.name = name;
      check_divisions(p, wish);
      if (weights == 1) continue;
      wish.params.max_leaf_nodes = 30;
      wish.n_set_aside = 1500;
      check_divisions(p, wish);
    }
    const problem::Problem p = counts(2, true);
    Wish wish{.params = params_for(p)};
    wish.params.criterion.name = name;
    const Tree one = grow_in_parts(p, wish, 1, [](std::size_t) { return 0; });
    for (const std::size_t n_threads : {1, 2, 5})
      CHECK(problem::same_tree(one, problem::grow_tree(p, wish.params, n_threads)));
  }
}

TEST(any_division_of_rows_gives_the_same_tree_of_counts_and_amounts) {
  for (const std::string name : {"poisson", "gamma", "tweedie"}) {
    for (const int weights : {0, 2}) {
      const problem::Problem p = exposed_counts(weights, true, name == "gamma");
      Wish wish{.params = params_for(p)};
      wish.params.criterion = exposed_choice(name, p);
      const Tree one = check_divisions(p, wish);
      for (const std::size_t n_threads : {1, 2, 5})
        CHECK(problem::same_tree(one, problem::grow_tree(p, wish.params, n_threads)));
      wish.params.max_leaf_nodes = 30;
      wish.n_set_aside = 1500;
      check_divisions(p, wish);
    }
  }
}

TEST(with_a_bin_for_every_value_counts_and_amounts_are_divided_as_by_exact_search) {
  for (const std::string name : {"poisson", "gamma", "tweedie"}) {
    for (const int weights : {0, 1, 2, 3}) {
      problem::Problem p = exposed_counts(weights, true, name == "gamma");
      for (std::size_t i = 0; i < p.values.size(); ++i)
        if (i % 5 != 2) p.values[i] = std::floor(std::min(p.values[i], 6.0) * 9.0);
      GrowParams params = params_for(p, 255);
      params.criterion = exposed_choice(name, p);
      const Tree binned = problem::grow_tree(p, params);
      params.max_bins = 0;
      const Tree exact = problem::grow_tree(p, params);
      CHECK(exact.n_nodes() > 50);
      CHECK(problem::same_tests(exact.tests, binned.tests));
      CHECK(exact.n_samples == binned.n_samples);
      for (std::size_t node = 0; node < exact.n_nodes(); ++node) {
        const auto id = static_cast<NodeId>(node);
        CHECK_NEAR(exact.value[node], binned.value[node]);
        CHECK(std::abs(exact.risk(id) - binned.risk(id)) <= 1e-10 * (1.0 + exact.risk(id)));
        CHECK(std::abs(exact.gain[node] - binned.gain[node]) <= 1e-10 * (1.0 + exact.risk(id)));
      }
    }
  }
}

TEST(one_machine_is_one_worker_whatever_its_threads) {
  for (const std::int32_t n_classes : {0, 2, 5}) {
    const problem::Problem p = rows_of(n_classes, 2, true);
    const Wish wish{.params = params_for(p)};
    const Tree one = grow_in_parts(p, wish, 1, [](std::size_t) { return 0; });
    for (const std::size_t n_threads : {1, 2, 5})
      CHECK(problem::same_tree(one, problem::grow_tree(p, wish.params, n_threads)));
  }
}

TEST(with_a_bin_for_every_value_the_tree_is_that_of_exact_search) {
  for (const std::int32_t n_classes : {2, 4}) {
    for (const int weights : {0, 1}) {
      for (const int limit : {0, 1, 2}) {
        problem::Problem p = rows_of(n_classes, weights, true);
        for (std::size_t i = 0; i < p.values.size(); ++i)
          if (i % 5 != 2) p.values[i] = std::floor(std::min(p.values[i], 6.0) * 9.0);
        GrowParams params = params_for(p, 255);
        params.min_samples_leaf = 5;
        if (limit == 1) params.max_leaf_nodes = 60;
        if (limit == 2) params.max_features = 2;
        const Tree binned = problem::grow_tree(p, params);
        params.max_bins = 0;
        const Tree exact = problem::grow_tree(p, params);
        CHECK(exact.n_nodes() > 50);
        CHECK(problem::same_tests(exact.tests, binned.tests));
        CHECK(exact.parent == binned.parent && exact.n_samples == binned.n_samples);
        CHECK(exact.value == binned.value);  // whole weights
        CHECK(problem::same_tests(exact.surrogates.tests, binned.surrogates.tests));
      }
    }
  }
}

TEST(with_a_bin_for_every_value_numbers_are_divided_as_by_exact_search) {
  for (const std::string name : {"squared_error", "toy_poisson", "toy_squares"}) {
    for (const int weights : {0, 1, 2, 3}) {
      problem::Problem p = counts(weights, true);
      for (std::size_t i = 0; i < p.values.size(); ++i)
        if (i % 5 != 2) p.values[i] = std::floor(std::min(p.values[i], 6.0) * 9.0);
      GrowParams params = params_for(p, 255);
      params.criterion.name = name;
      const Tree binned = problem::grow_tree(p, params);
      params.max_bins = 0;
      const Tree exact = problem::grow_tree(p, params);
      CHECK(exact.n_nodes() > 50);
      CHECK(problem::same_tests(exact.tests, binned.tests));
      CHECK(exact.parent == binned.parent && exact.n_samples == binned.n_samples);
      CHECK(problem::same_tests(exact.surrogates.tests, binned.surrogates.tests));
      for (std::size_t node = 0; node < exact.n_nodes(); ++node) {
        const auto id = static_cast<NodeId>(node);
        CHECK_NEAR(exact.value[node], binned.value[node]);
        CHECK_NEAR(exact.weight(id), binned.weight(id));
        CHECK(std::abs(exact.risk(id) - binned.risk(id)) <= 1e-10 * (1.0 + exact.risk(id)));
        CHECK(std::abs(exact.gain[node] - binned.gain[node]) <= 1e-10 * (1.0 + exact.risk(id)));
      }
    }
  }
}

namespace {

/// A naive search of a table in bins: every cut and every subset, by what the rows of each side cost.
class NaiveBinSearch {
 public:
  NaiveBinSearch(const problem::Problem& p, std::string objective, std::size_t max_bins)
      : p_(p), objective_(std::move(objective)) {
    ThreadTeam team(1);
    Interrupt interrupt;
    std::vector<RowIndex> rows;
    for (RowIndex row = 0; row < p.weight.size(); ++row)
      if (p.weight[row] > 0.0) rows.push_back(row);
    borders_ = find_borders({p.data(), rows, {}}, max_bins, team, interrupt);
  }

  struct Best {
    long double drop = -1.0L;
    std::vector<std::size_t> left, right;
  };
  /// The sides of the best division of some rows; of equals the first.
  Best best(const std::vector<std::size_t>& rows) const {
    Best best;
    const long double all = cost(rows);
    for (std::size_t f = 0; f < p_.columns.size(); ++f) {
      const std::size_t n = borders_.n_bins[f];
      const bool nominal = borders_.nominal[f] != 0;
      for (std::uint64_t mask = 1; mask < (nominal ? std::uint64_t{1} << (n - 1) : n); ++mask) {
        Best one;
        for (const std::size_t row : rows) {
          const std::size_t b = bin(row, f);
          (nominal ? (mask >> b & 1) != 0 : b < mask) ? one.left.push_back(row) : one.right.push_back(row);
        }
        if (one.left.empty() || one.right.empty()) continue;
        one.drop = all - cost(one.left) - cost(one.right);
        if (one.drop > best.drop + 1e-9L * all) best = std::move(one);
      }
    }
    return best;
  }
  /// What rows cost under their mean, row by row.
  long double cost(const std::vector<std::size_t>& rows) const {
    long double weight = 0.0L, sum = 0.0L, total = 0.0L;
    for (const std::size_t row : rows) {
      weight += p_.weight[row];
      sum += static_cast<long double>(p_.weight[row]) * p_.y[row];
    }
    const long double mean = sum / weight;
    for (const std::size_t row : rows) {
      const long double y = p_.y[row], log_ratio = y > 0.0L ? std::log(y / mean) : 0.0L;
      total +=
          p_.weight[row] * (objective_ == "toy_poisson" ? 2.0L * (y * log_ratio - y + mean) : (y - mean) * (y - mean));
    }
    return total;
  }

 private:
  std::size_t bin(std::size_t row, std::size_t f) const {
    const double value = p_.values[row * p_.columns.size() + f];
    if (borders_.nominal[f]) return static_cast<std::size_t>(value);
    const auto high = borders_.highs(f);
    return static_cast<std::size_t>(std::lower_bound(high.begin(), high.end(), value) - high.begin());
  }

  const problem::Problem& p_;
  std::string objective_;
  BinBorders borders_;
};

/// Whether the large nodes of a tree are divided as the naive search divides them; returns how many there are.
std::size_t check_large_nodes(const problem::Problem& p, const NaiveBinSearch& naive, const Tree& tree, NodeId node,
                              const std::vector<std::size_t>& rows) {
  CHECK(static_cast<std::size_t>(tree.n_samples[node]) == rows.size());
  const double cost = static_cast<double>(naive.cost(rows));
  CHECK(std::abs(tree.risk(node) - cost) <= 1e-9 * (1.0 + cost));
  if (tree.is_leaf(node) || rows.size() <= static_cast<std::size_t>(kSmallNode)) return 0;
  const NaiveBinSearch::Best best = naive.best(rows);
  CHECK(std::abs(tree.gain[node] - static_cast<double>(best.drop)) <= 1e-9 * (1.0 + cost));
  std::vector<std::size_t> sides[2];
  for (const std::size_t row : rows)
    sides[tree.tests.answer(static_cast<std::size_t>(node), p.data().values, row)].push_back(row);
  CHECK((sides[0] == best.left && sides[1] == best.right) || (sides[0] == best.right && sides[1] == best.left));
  const NodeId first = tree.first_child[node];
  return 1 + check_large_nodes(p, naive, tree, first, sides[0]) +
         check_large_nodes(p, naive, tree, first + 1, sides[1]);
}

}  // namespace

TEST(large_nodes_are_divided_as_a_naive_search_of_the_binned_table_divides_them) {
  for (const std::string name : {"squared_error", "toy_poisson", "toy_squares"}) {
    for (const int weights : {0, 1, 2, 3}) {
      const problem::Problem p = counts(weights, false);
      GrowParams params = params_for(p, 12);
      params.criterion.name = name;
      params.min_samples_leaf = 1;
      params.max_depth = 3;
      const Tree tree = problem::grow_tree(p, params);
      std::vector<std::size_t> rows;
      for (std::size_t row = 0; row < p.weight.size(); ++row)
        if (p.weight[row] > 0.0) rows.push_back(row);
      CHECK(check_large_nodes(p, NaiveBinSearch(p, name, 12), tree, 0, rows) >= 3);
    }
  }
}

TEST(bins_change_nothing_in_a_table_of_few_rows) {
  for (const std::int32_t n_classes : {0, 3}) {
    problem::Problem p = rows_of(n_classes, 2, true);
    p.values.resize(2000 * p.columns.size());
    p.weight.resize(2000);
    p.codes.resize(n_classes > 0 ? 2000 : 0);
    p.y.resize(n_classes > 0 ? 0 : 2000);
    for (const std::int64_t max_leaf_nodes : {0, 20}) {
      for (const std::int64_t max_depth : {0, 100}) {
        GrowParams params = params_for(p, 8);
        params.max_leaf_nodes = max_leaf_nodes;
        params.max_depth = max_depth;
        const Tree binned = problem::grow_tree(p, params, 2);
        params.max_bins = 0;
        CHECK(problem::same_tree(binned, problem::grow_tree(p, params)));
      }
    }
  }
}

TEST(given_borders_take_the_place_of_those_of_the_rows) {
  const problem::Problem p = rows_of(2, 0, true);
  GrowParams params = params_for(p);
  ThreadTeam team(1);
  Interrupt interrupt;
  const Dataset data = p.data();
  const Target target = p.target();
  std::vector<RowIndex> rows(p.weight.size());
  for (RowIndex row = 0; row < rows.size(); ++row) rows[row] = row;
  const BinBorders fine = find_borders({data, rows, {}}, 32, team, interrupt);
  const auto grow_with = [&](const BinBorders& borders) {
    return grow({.data = data,
                 .target = target,
                 .params = params,
                 .samples = make_samples(target, {}, interrupt),
                 .sorted = nullptr,
                 .borders = &borders},
                team, interrupt);
  };
  const Tree own = problem::grow_tree(p, params);
  params.max_bins = 4;
  CHECK(problem::same_tree(grow_with(fine), own));
  CHECK(!problem::same_tree(problem::grow_tree(p, params), own));
  BinBorders broken = fine;
  broken.high[0] = kNaN;
  bool refused = false;
  try {
    grow_with(broken);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(bins_refuse_what_they_cannot_do) {
  const problem::Problem p = rows_of(2, 0, true);
  GrowParams params = params_for(p);
  params.missing = MissingRule::fractional;
  std::string message;
  try {
    problem::grow_tree(p, params);
  } catch (const std::invalid_argument& error) {
    message = error.what();
  }
  CHECK(message == "max_bins does not work with the fractional rule for missing values");
  for (const std::string name : {"absolute_error", "toy_huber"}) {
    for (const std::size_t n_rows : {200, 9000}) {
      problem::Problem q = rows_of(0, 0, false);
      q.values.resize(n_rows * q.columns.size());
      q.y.resize(n_rows);
      q.weight.resize(n_rows);
      GrowParams by_rows = params_for(q);
      by_rows.criterion.name = name;
      try {
        problem::grow_tree(q, by_rows);
        message = "";
      } catch (const std::invalid_argument& error) {
        message = error.what();
      }
      CHECK(message == "max_bins does not work with the criterion '" + name +
                           "': it needs the rows of a node, and bins hold sums over them");
    }
  }
}
