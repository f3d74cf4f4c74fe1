// Every objective against its definition, and those that only the tests know, from growth to the judging of rows.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/file/codec.hpp"
#include "spinney/grow/stats.hpp"
#include "spinney/objective/registry.hpp"
#include "spinney/prune/cross_validate.hpp"
#include "spinney/prune/reduced_error.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

constexpr Column kNumber{ColumnKind::numeric, 0};

bool close(double a, double b, double scale = 1.0) { return std::abs(a - b) <= 1e-9 * (scale + std::abs(b)); }

// -- Classes

double entropy_of(const std::vector<double>& p) {
  double sum = 0.0;
  for (const double share : p) sum -= share > 0.0 ? share * std::log(share) / std::log(2.0) : 0.0;
  return sum;
}

/// Impurities as textbooks write them, of class shares.
const std::map<std::string, double (*)(const std::vector<double>&)> kImpurities = {
    {"gini",
     [](const std::vector<double>& p) {
       double sum = 0.0;
       for (std::size_t i = 0; i < p.size(); ++i) {
         for (std::size_t j = 0; j < p.size(); ++j) sum += i == j ? 0.0 : p[i] * p[j];
       }
       return sum;
     }},
    {"entropy", entropy_of},
    {"log_loss", entropy_of},
    {"misclassification", [](const std::vector<double>& p) { return 1.0 - *std::max_element(p.begin(), p.end()); }},
    {"exponent",
     [](const std::vector<double>& p) {
       double sum = 0.0;
       for (const double share : p) sum += share * std::exp(share);
       return 1.0 - sum / std::exp(1.0);
     }},
};

std::vector<double> shares_of(const std::vector<double>& w) {
  const double total = std::accumulate(w.begin(), w.end(), 0.0);
  std::vector<double> shares;
  for (const double one : w) shares.push_back(one / total);
  return shares;
}

std::vector<double> random_weights(RandomStream& random, std::size_t k) {
  std::vector<double> w(k);
  for (double& one : w) one = random.below(4) == 0 ? 0.0 : 3.0 * random.uniform();
  w[random.below(k)] += 0.5;
  return w;
}

double sum_of(const std::vector<double>& w) { return std::accumulate(w.begin(), w.end(), 0.0); }

}  // namespace

TEST(losses_of_classes_are_weight_times_impurity) {
  RandomStream random(1, 1);
  std::size_t n_seen = 0;
  for (const auto& [name, impurity] : kImpurities) {
    for (int round = 0; round < 50; ++round) {
      const std::size_t k = 2 + random.below(4);
      const std::vector<double> w = random_weights(random, k);
      const double loss = with_class_objective({name, {}, {}}, {.n = static_cast<std::int32_t>(k)},
                                               [&](const auto& o) { return o.loss(w.data(), sum_of(w)); });
      CHECK(close(loss, sum_of(w) * impurity(shares_of(w))));
    }
    ++n_seen;
  }
  // Twoing stands apart; with it these are all that have a name.
  CHECK(objective_names<Task::classes>().size() == n_seen + 1);
}

TEST(costs_weigh_the_pairs_of_gini) {
  const std::vector<double> cost = {0, 2, 1, 5, 0, 3, 1, 4, 0}, w = {2, 3, 1};
  const double loss =
      with_class_objective({"gini", cost, {}}, {.n = 3}, [&](const auto& o) { return o.loss(w.data(), 6.0); });
  const double expected = 2 * 3 * (2 + 5) + 2 * 1 * (1 + 1) + 3 * 1 * (3 + 4);
  CHECK(close(loss, expected / 6.0));
}

TEST(twoing_is_its_goodness_of_split) {
  RandomStream random(2, 1);
  for (int round = 0; round < 50; ++round) {
    const std::size_t k = 2 + random.below(4);
    const std::vector<double> l = random_weights(random, k), r = random_weights(random, k);
    const double wl = sum_of(l), wr = sum_of(r), both = wl + wr;
    double distance = 0.0;
    for (std::size_t c = 0; c < k; ++c) distance += std::abs(shares_of(l)[c] - shares_of(r)[c]);
    const Twoing twoing{{{.n = static_cast<std::int32_t>(k)}}};
    const double goodness = wl / both * (wr / both) / 4.0 * distance * distance;
    CHECK(close(twoing.drop(l.data(), wl, r.data(), wr), both * goodness));
  }
}

TEST(a_function_of_shares_is_asked_for_many_groups_at_once) {
  std::size_t n_calls = 0;
  ObjectiveChoice choice;
  choice.callable = [&](const double* shares, std::size_t n, std::int32_t k, double* out) {
    ++n_calls;
    for (std::size_t g = 0; g < n; ++g) out[g] = shares[g * static_cast<std::size_t>(k)];
  };
  const std::vector<double> w = {1, 3, 6, 2}, totals = {4, 8};
  std::vector<double> out(2);
  CallableImpurity::make(choice, {.n = 2}).losses(w.data(), totals.data(), 2, out.data());
  CHECK(n_calls == 1 && out == (std::vector<double>{1, 6}));
}

TEST(labels_are_judged_by_costs_and_scales) {
  const std::vector<double> cost = {0, 2, 7, 0}, scale = {1, 3}, value = {5, 2};
  const Judge plain("", {.n = 2}), priced("", {.n = 2, .cost = cost, .scale = scale});
  CHECK(plain.point(value.data()) == 0.0 && priced.point(value.data()) == 1.0);  // 5 * 2 < 2 * 7
  CHECK(plain.cost(0, {1, 0, 1}) == 1.0 && plain.cost(1, {1, 0, 1}) == 0.0);
  CHECK(priced.cost(1, {0, 0, 1}) == 2.0 && priced.cost(0, {1, 0, 1}) == 21.0);
}

// -- Numbers

namespace {

constexpr double kQuantile = 0.3;

/// The objectives whose rows cost something by themselves: log-rank trees are judged as those of Poisson deviance.
std::vector<std::string> names_of_costs() {
  std::vector<std::string> names = objective_names<Task::numbers>();
  std::erase(names, "logrank");
  return names;
}

/// What a row costs, as textbooks write it; the loss of a group is the least sum that any answer has.
const std::map<std::string, double (*)(double answer, double y)> kCosts = {
    {"squared_error", [](double a, double y) { return a * a - 2.0 * a * y + y * y; }},
    {"absolute_error", [](double a, double y) { return a > y ? a - y : y - a; }},
    {"quantile", [](double a, double y) { return y > a ? kQuantile * (y - a) : (1.0 - kQuantile) * (a - y); }},
    {"toy_poisson",
     [](double a, double y) { return 2.0 * (a - y) + (y > 0.0 ? 2.0 * y * (std::log(y) - std::log(a)) : 0.0); }},
    {"poisson", [](double a, double y) { return a - y + (y > 0.0 ? y * (std::log(y) - std::log(a)) : 0.0); }},
    {"gamma", [](double a, double y) { return std::log(a) - std::log(y) + y / a - 1.0; }},
    {"tweedie",
     [](double a, double y) { return -4.0 * std::sqrt(y) + 2.0 * y / std::sqrt(a) + 2.0 * std::sqrt(a); }},  // 1.5
    {"toy_squares", [](double a, double y) { return (y - a) * (y - a); }},
    {"toy_huber",
     [](double a, double y) { return std::abs(y - a) < 1.0 ? (y - a) * (y - a) / 2.0 : std::abs(y - a) - 0.5; }},
};

using Pairs = std::vector<std::pair<double, double>>;  // (y, weight)

double cost_of(const std::string& name, double answer, const Pairs& rows) {
  double sum = 0.0;
  for (const auto& [y, w] : rows) sum += w * kCosts.at(name)(answer, y);
  return sum;
}

/// The least cost of any answer, by ternary search over the convex sum.
double least_cost_of(const std::string& name, const Pairs& rows) {
  double low = rows[0].first, high = rows[0].first;
  for (const auto& [y, w] : rows) {
    low = std::min(low, y);
    high = std::max(high, y);
  }
  low = std::max(low, name == "toy_poisson" ? 1e-12 : low);
  high = std::max(high, low);
  for (int step = 0; step < 200; ++step) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (cost_of(name, a, rows) > cost_of(name, b, rows) ? low : high) =
        cost_of(name, a, rows) > cost_of(name, b, rows) ? a : b;
  }
  return cost_of(name, low, rows);
}

/// Rows whose target depends on both columns; far ones are shifted by the core.
problem::Problem numbers(std::uint64_t seed, std::size_t n, bool far, bool weighted, std::size_t n_values = 12) {
  RandomStream random(seed, 5);
  problem::Problem p;
  p.columns = {kNumber, kNumber};
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<double>(random.below(n_values)), b = static_cast<double>(random.below(n_values));
    p.values.insert(p.values.end(), {a, b});
    p.y.push_back((far ? 100.0 : 1.0) + std::floor((a > 4 ? 3.0 : 0.0) + (b > 7 ? 4.0 : 0.0) + 3.0 * random.uniform()));
    p.weight.push_back(weighted ? 0.25 + random.uniform() : 1.0);
  }
  return p;
}

Pairs rows_of(const problem::Problem& p, const std::vector<std::size_t>& group) {
  Pairs rows;
  for (const std::size_t i : group) rows.emplace_back(p.y[i], p.weight[i]);
  return rows;
}

/// The best test by trying all of them.
struct NaiveSplit {
  double drop = -kInfinity;
  std::size_t feature = 0;
  double threshold = 0.0;
};

NaiveSplit naive_split(const std::string& name, const problem::Problem& p, const std::vector<std::size_t>& group) {
  NaiveSplit best;
  const double parent = least_cost_of(name, rows_of(p, group));
  for (std::size_t f = 0; f < p.columns.size(); ++f) {
    std::vector<double> values;
    for (const std::size_t i : group) values.push_back(p.values[i * p.columns.size() + f]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::size_t v = 0; v + 1 < values.size(); ++v) {
      std::vector<std::size_t> left, right;
      const double at = (values[v] + values[v + 1]) / 2.0;
      for (const std::size_t i : group) (p.values[i * p.columns.size() + f] <= at ? left : right).push_back(i);
      const double drop = parent - least_cost_of(name, rows_of(p, left)) - least_cost_of(name, rows_of(p, right));
      if (drop > best.drop + 1e-9 * parent) best = {drop, f, at};
    }
  }
  return best;
}

/// Whether a tree is what the naive search grows, node by node.
void check_node(const std::string& name, const problem::Problem& p, const Tree& tree, NodeId node,
                const std::vector<std::size_t>& group) {
  const Pairs rows = rows_of(p, group);
  const double least = least_cost_of(name, rows);
  CHECK(close(tree.risk(node), least));
  CHECK(close(cost_of(name, tree.value[node], rows), least));
  if (tree.is_leaf(node)) return;
  const NaiveSplit best = naive_split(name, p, group);
  CHECK(close(tree.gain[node], best.drop));
  CHECK(static_cast<std::size_t>(tree.tests.feature[node]) == best.feature &&
        tree.tests.threshold[node] == best.threshold);
  std::vector<std::size_t> sides[2];
  for (const std::size_t i : group)
    sides[p.values[i * p.columns.size() + static_cast<std::size_t>(tree.tests.feature[node])] <=
                  tree.tests.threshold[node]
              ? 0
              : 1]
        .push_back(i);
  for (const NodeId b : {0, 1}) check_node(name, p, tree, tree.first_child[node] + b, sides[b]);
}

GrowParams params_of(const std::string& name, std::int64_t max_depth) {
  GrowParams params;
  params.criterion.name = name;
  if (name == "quantile") params.criterion.parameter = kQuantile;
  params.max_depth = max_depth;
  return params;
}

}  // namespace

TEST(trees_of_numbers_are_what_a_naive_search_grows) {
  const std::map<std::string, std::string> kept = {
      {"squared_error", ""}, {"tweedie", "tweedie(1.5)"}, {"quantile", "quantile(0.3)"}};
  CHECK(names_of_costs().size() == kCosts.size());
  for (const std::string& name : names_of_costs()) {
    for (const bool far : {false, true}) {
      for (const bool weighted : {false, true}) {
        const problem::Problem p = numbers(7, 90, far, weighted);
        std::vector<std::size_t> everyone(p.y.size());
        std::iota(everyone.begin(), everyone.end(), std::size_t{0});
        const Tree tree = problem::grow_tree(p, params_of(name, 3));
        CHECK(tree.check().empty());
        CHECK(tree.n_nodes() > 3);
        CHECK(tree.objective == (kept.contains(name) ? kept.at(name) : name));
        check_node(name, p, tree, 0, everyone);
      }
    }
  }
}

TEST(the_risk_of_a_node_is_what_its_rows_cost) {
  for (const std::string& name : names_of_costs()) {
    const problem::Problem p = numbers(9, 200, true, true);
    const Tree tree = problem::grow_tree(p, params_of(name, 5));
    const Target target = p.target();
    const std::vector<double> errors = node_errors(tree, p.data().values, target);
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) CHECK(close(errors[node], tree.risk(node)));
  }
}

TEST(a_tree_is_cross_validated_and_pruned_by_its_objective) {
  for (const std::string& name : names_of_costs()) {
    const problem::Problem p = numbers(11, 240, false, false);
    const Dataset data = p.data();
    const Target target = p.target();
    const GrowParams params = params_of(name, 6);
    Interrupt interrupt;
    ThreadTeam team(1);
    const Samples samples = make_samples(target, {}, interrupt);
    const SortedColumns sorted = sort_columns(data, samples, team, interrupt);
    const Tree tree = problem::grow_tree(p, params);
    const CostComplexity path = cost_complexity(tree, LinkRule::rpart);
    std::vector<std::uint8_t> train[5], test[5];
    std::vector<Fold> folds;
    double least = 0.0;  // of root-only trees, by definition
    for (std::size_t f = 0; f < 5; ++f) {
      Pairs kept, left_out;
      for (std::size_t i = 0; i < p.y.size(); ++i) {
        test[f].push_back(i % 5 == f);
        train[f].push_back(i % 5 != f);
        (i % 5 == f ? left_out : kept).emplace_back(p.y[i], 1.0);
      }
      folds.push_back({train[f], test[f]});
      GrowParams stump = params;
      stump.max_depth = 0;
      problem::Problem part = p;
      for (std::size_t i = 0; i < p.y.size(); ++i) part.weight[i] = train[f][i];
      least += cost_of(name, problem::grow_tree(part, stump).value[0], left_out);
    }
    const ErrorCurve curve = cross_validate(data, target, params, samples, &sorted, nullptr, folds,
                                            typical_alphas(path.alphas), team, interrupt);
    CHECK(close(curve.error.back(), least / 240.0));
    CHECK(curve.error.back() >= path.risks.back() && curve.error.back() < 1.1 * path.risks.back());
    const Tree pruned = collapse(tree, reduced_error(tree, data.values, target).make_leaf);
    CHECK(pruned.objective == tree.objective);
  }
}

TEST(a_stored_tree_keeps_its_objective) {
  const problem::Problem p = numbers(13, 60, false, false);
  const std::vector<std::int32_t> n_categories = {0, 0};
  for (const std::string& name : names_of_costs()) {
    const Tree tree = problem::grow_tree(p, params_of(name, 3));
    const StoredParts parts = store(tree);
    PartViews views{};
    for (std::size_t i = 0; i < kParts; ++i) views[i] = parts[i].view();
    CHECK(restore_tree(views, n_categories).objective == tree.objective);
    CHECK((parts[place_of(Part::n_objective)].size == 0) == (name == "squared_error"));
    CHECK(PackedTree(tree).unpack().objective == tree.objective);
  }
}

TEST(unknown_objectives_are_refused) {
  const problem::Problem p = numbers(15, 20, false, false);
  for (const std::string name : {"gini", "nothing", ""}) {
    std::string said;
    try {
      problem::grow_tree(p, params_of(name, 2));
    } catch (const std::invalid_argument& problem) {
      said = problem.what();
    }
    CHECK(said == "'" + name + "' is no criterion of numbers");
  }
  Tree tree = problem::grow_tree(p, params_of("squared_error", 2));
  tree.objective = "nothing";
  CHECK(tree.check() == "no objective is called 'nothing'");
}
