// Deviances of counts and amounts: exposures, priors, rates of 0, and far from them.

#include <cmath>
#include <limits>

#include "check.hpp"
#include "problem.hpp"
#include "same_tree.hpp"
#include "spinney/grow/stats.hpp"
#include "spinney/objective/registry.hpp"
#include "spinney/prune/cross_validate.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

constexpr Column kNumber{ColumnKind::numeric, 0};

bool close(double a, double b, double tolerance = 1e-10) { return std::abs(a - b) <= tolerance * (1.0 + std::abs(b)); }

/// d(y, rate) as textbooks write it.
double unit_deviance(const std::string& name, double p, double y, double rate) {
  if (name == "poisson") return (y > 0.0 ? y * std::log(y / rate) : 0.0) - y + rate;
  if (name == "gamma") return -std::log(y / rate) + (y - rate) / rate;
  return std::pow(y, 2 - p) / ((1 - p) * (2 - p)) - y * std::pow(rate, 1 - p) / (1 - p) +
         std::pow(rate, 2 - p) / (2 - p);
}

ObjectiveChoice choice_of(const std::string& name, double parameter = 1.5) {
  ObjectiveChoice choice;
  choice.name = name;
  choice.parameter = parameter;
  choice.exposed = true;
  return choice;
}

problem::Problem drawn(std::uint64_t seed, std::size_t n, bool positive) {
  RandomStream random(seed, 3);
  problem::Problem p;
  p.columns = {kNumber, kNumber};
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.uniform(), b = random.uniform();
    p.values.insert(p.values.end(), {a, b});
    p.exposure.push_back(0.1 + 2.0 * random.uniform());
    p.y.push_back(std::floor(p.exposure.back() * (a > 0.5 ? 4.0 : 1.0) * 2.0 * random.uniform()) +
                  (positive ? 0.3 : 0));
    p.weight.push_back(0.5 + random.uniform());
  }
  return p;
}

}  // namespace

TEST(costs_of_deviances_are_those_of_textbooks_times_exposure) {
  RandomStream random(3, 9);
  for (const std::string name : {"poisson", "gamma", "tweedie"}) {
    for (const double power : {1.05, 1.5, 1.95}) {
      const Judge judge(judge_name(choice_of(name, power), 0), {});
      for (int round = 0; round < 200; ++round) {
        const double e = 0.01 + 5.0 * random.uniform(), rate = 0.01 + 3.0 * random.uniform();
        const double y = name != "gamma" && round % 3 == 0 ? 0.0 : 0.01 + 4.0 * random.uniform();
        CHECK(close(judge.cost(rate, {0, y, 7.0, e}), e * unit_deviance(name, power, y / e, rate)));
        const double near = rate * (1.0 + 1e-5 * random.uniform());  // where a difference of terms is of rounding
        const double x = near / rate - 1.0, second = std::pow(rate, name == "poisson" ? 1.0
                                                                    : name == "gamma" ? 0.0
                                                                                      : 2.0 - power);
        CHECK(close(judge.cost(rate, {0, near, 1.0, 1.0}) / (second * x * x / 2.0), 1.0, 1e-4));
      }
    }
  }
}

TEST(nodes_of_counts_know_the_rate_and_the_loss_of_their_rows) {
  for (const std::string name : {"poisson", "gamma", "tweedie"}) {
    const problem::Problem p = drawn(5, 300, name == "gamma");
    GrowParams params;
    params.criterion = choice_of(name, 1.3);
    params.max_depth = 3;
    params.min_samples_leaf = 10;
    const Tree tree = problem::grow_tree(p, params);
    CHECK(tree.check().empty() && tree.n_nodes() > 8);
    std::vector<double> count(tree.n_nodes()), time(tree.n_nodes()), loss(tree.n_nodes());
    const auto down = [&](auto&& visit) {
      for (std::size_t i = 0; i < p.y.size(); ++i) {
        NodeId node = 0;
        for (;; node = tree.first_child[node] + tree.tests.answer(node, p.data().values, i)) {
          visit(i, static_cast<std::size_t>(node));
          if (tree.is_leaf(node)) break;
        }
      }
    };
    down([&](std::size_t i, std::size_t node) {
      count[node] += p.weight[i] * p.y[i];
      time[node] += p.weight[i] * p.exposure[i];
    });
    down([&](std::size_t i, std::size_t node) {
      const double rate = count[node] / time[node];
      if (rate > 0.0)
        loss[node] += p.weight[i] * p.exposure[i] * unit_deviance(name, 1.3, p.y[i] / p.exposure[i], rate);
    });
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
      CHECK(close(tree.value[node], count[node] / time[node]));
      CHECK(close(tree.risk(static_cast<NodeId>(node)), loss[node]));
      if (tree.is_leaf(static_cast<NodeId>(node))) continue;
      const auto first = static_cast<std::size_t>(tree.first_child[node]);
      CHECK(close(tree.gain[node], loss[node] - loss[first] - loss[first + 1]));
    }
  }
}

TEST(rates_with_exposure_are_rates_with_weights) {
  for (const std::string name : {"poisson", "gamma", "tweedie"}) {
    const problem::Problem p = drawn(7, 400, name == "gamma");
    problem::Problem weighted = p;
    weighted.exposure.clear();
    for (std::size_t i = 0; i < p.y.size(); ++i) {
      weighted.y[i] /= p.exposure[i];
      weighted.weight[i] *= p.exposure[i];
    }
    GrowParams params;
    params.criterion = choice_of(name);
    params.min_samples_leaf = 15;
    params.max_surrogates = 0;
    const Tree one = problem::grow_tree(p, params);
    params.criterion.exposed = false;
    const Tree other = problem::grow_tree(weighted, params);
    CHECK(one.first_child == other.first_child && problem::same_tests(one.tests, other.tests));
    for (std::size_t node = 0; node < one.n_nodes(); ++node) {
      CHECK(close(one.value[node], other.value[node]));
      CHECK(close(one.risk(static_cast<NodeId>(node)), other.risk(static_cast<NodeId>(node))));
    }
  }
}

TEST(a_prior_moves_answers_but_not_divisions) {
  const problem::Problem p = drawn(9, 400, false);
  GrowParams params;
  params.criterion = choice_of("poisson");
  params.min_samples_leaf = 20;
  const Tree plain = problem::grow_tree(p, params);
  params.criterion.prior_cv = 0.5;
  params.criterion.centre = plain.value[0];
  const Tree shrunk = problem::grow_tree(p, params);
  CHECK(problem::same_tests(plain.tests, shrunk.tests) && problem::same_numbers(plain.gain, shrunk.gain));
  CHECK(close(shrunk.value[0], plain.value[0]));
  for (std::size_t node = 1; node < plain.n_nodes(); ++node) {
    CHECK(std::abs(shrunk.value[node] - plain.value[0]) < std::abs(plain.value[node] - plain.value[0]));
    CHECK(shrunk.risk(static_cast<NodeId>(node)) > plain.risk(static_cast<NodeId>(node)));
  }
}

TEST(a_rate_of_zero_is_told_from_a_small_one) {
  const Judge judge("poisson", {});
  const Row nothing{0, 0.0, 1.0, 2.0}, something{0, 3.0, 1.0, 2.0};
  CHECK(judge.cost(0.0, nothing) == 0.0 && !judge.rules_out(0.0, nothing));
  CHECK(judge.rules_out(0.0, something) && !judge.rules_out(1e-300, something));
  CHECK(std::isfinite(judge.cost(0.0, something)) && judge.cost(0.0, something) > judge.cost(1e-6, something));
  CHECK(!Judge("", {}).rules_out(0.0, something));
}

TEST(names_of_objectives_with_a_parameter_are_checked) {
  CHECK(judge_name(choice_of("tweedie", 1.2), 0) == "tweedie(1.2)");
  CHECK(judge_choice("tweedie(1.2)", 0).parameter == 1.2 && judge_choice("tweedie(1.2)", 0).name == "tweedie");
  CHECK(is_judge_name("tweedie(1.5)", 0) && is_judge_name("poisson", 0));
  for (const std::string name : {"tweedie", "tweedie()", "tweedie(2)", "tweedie(1.50)", "tweedie(1.5", "poisson(1)",
                                 "gamma(1.5)", "tweedie(1.5)x"})
    CHECK(!is_judge_name(name, 0));
}
