// Deep subtrees of one column are grown from prefix sums: the trees must be those of the general grower.

#include <cmath>
#include <functional>
#include <random>

#include "check.hpp"
#include "problem.hpp"
#include "same_tree.hpp"
#include "spinney/splits/prefix_hulls.hpp"

using namespace problem;

namespace {

/// Rows of one column that matters, in order, with labels by place; a constant column beside it.
Problem column(std::size_t n, const std::function<int(std::size_t)>& label, bool numbers, std::size_t tied = 1) {
  Problem p;
  p.columns.assign(2, {});
  p.n_classes = numbers ? 0 : 2;
  for (std::size_t i = 0; i < n; ++i) {
    p.values.insert(p.values.end(), {7.0, 0.5 * static_cast<double>(i / tied)});
    p.weight.push_back(1.0);
    if (numbers) {
      p.y.push_back(label(i));
    } else {
      p.codes.push_back(label(i));
    }
  }
  return p;
}

/// The same parameters in a form that only the general grower takes: all columns may go together, as they may anyhow.
GrowParams general(GrowParams params) {
  params.interactions = {{0, 1}};
  return params;
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-9 * (1e-3 + std::abs(a) + std::abs(b)); }

/// The same tests and answers; what they explain, but for rounding.
bool same_but_for_rounding(const Tree& a, const Tree& b) {
  bool same = a.n_nodes() == b.n_nodes() && same_tests(a.tests, b.tests) && a.first_child == b.first_child &&
              a.default_branch == b.default_branch && same_numbers(a.value, b.value) && a.n_samples == b.n_samples;
  for (NodeId node = 0; same && node < static_cast<NodeId>(a.n_nodes()); ++node)
    same = nearly(a.impurity(node), b.impurity(node)) && nearly(a.gain[node], b.gain[node]);
  return same;
}

using Label = std::function<int(std::size_t)>;

/// Labels in which a tree cuts few rows off, again and again.
std::vector<Label> chains(std::uint64_t seed) {
  const auto bit = [seed](std::size_t i) { return static_cast<int>(std::mt19937_64(seed + i)() >> 62 & 1); };
  return {
      [](std::size_t i) { return static_cast<int>(i % 2); },
      [](std::size_t i) { return static_cast<int>(i % 3 == 0); },
      [](std::size_t i) { return static_cast<int>(i / 5 % 2); },
      [](std::size_t i) { return static_cast<int>(i % 97 == 3 || i % 2 == 1); },
      [bit](std::size_t i) { return i < 900 ? static_cast<int>(i % 2) : bit(i); },
      [bit](std::size_t i) { return i % 16 == 0 ? bit(i) : static_cast<int>(i % 2); },
  };
}

}  // namespace

TEST(deep_subtrees_of_one_column_are_those_of_the_general_grower) {
  std::uint64_t seed = 0;
  for (const std::string name : {"gini", "entropy", "squared_error"}) {
    const bool numbers = name == "squared_error";
    for (const Label& label : chains(40)) {
      ++seed;
      Problem p = column(2400 + seed, label, numbers, 1 + seed % 4 / 3);
      if (seed % 3 == 0) {
        for (std::size_t i = 0; i < p.weight.size(); ++i) p.weight[i] = static_cast<double>(1 + i % 5 / 4);
      }
      GrowParams params;
      params.criterion.name = name;
      params.max_surrogates = static_cast<std::int64_t>(seed % 2);
      params.min_samples_leaf = 1 + static_cast<std::int64_t>(seed % 5 / 4);
      params.max_depth = seed % 7 == 6 ? 500 : 1'000'000;
      for (const std::size_t n_threads : {1, 3}) {
        const Tree found = grow_tree(p, params, n_threads), expected = grow_tree(p, general(params));
        CHECK(numbers ? same_but_for_rounding(found, expected) : same_tree(found, expected));
      }
    }
  }
}

TEST(numbers_whose_sums_are_not_exact_are_left_to_the_general_grower) {
  Problem p = column(1500, [](std::size_t i) { return static_cast<int>(i % 2); }, true);
  for (std::size_t i = 0; i < p.y.size(); ++i) p.y[i] = 0.1 * p.y[i] + 1e-9 * static_cast<double>(i);
  GrowParams params;
  params.criterion.name = "squared_error";
  params.max_depth = 100;
  CHECK(same_tree(grow_tree(p, params), grow_tree(p, general(params))));
}

namespace {

/// Explains (sum - share * weight)^2 / weight on both sides.
struct Explained {
  WholeSums all;
  double score(const WholeSums& left) const {
    const double share = static_cast<double>(all.sum) / static_cast<double>(all.weight);
    const auto w = static_cast<double>(left.weight), rest = static_cast<double>(all.weight) - w;
    const double d = static_cast<double>(left.sum) - share * w;
    return d * d / w + d * d / rest;
  }
  double least(double score) const { return score; }
  bool explains(const WholeSums& left, double least) const { return score(left) >= least; }
};

}  // namespace

TEST(the_best_cut_by_hulls_is_that_of_a_scan) {
  std::mt19937_64 random(3);
  for (const int spread : {2, 5, 1000}) {
    std::vector<WholeSums> before(1);
    for (std::size_t i = 0; i < 700; ++i) {
      const auto w = static_cast<std::int64_t>(1 + random() % 3);
      const auto y = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spread));
      before.push_back({before.back().weight + w, before.back().sum + w * y});
    }
    const PrefixHulls hulls(before, {});
    for (int round = 0; round < 500; ++round) {
      std::size_t begin = random() % 700, end = random() % 701;
      if (begin > end) std::swap(begin, end);
      if (end < begin + 2) continue;
      const Explained rule{before[end] - before[begin]};
      Cut expected;
      for (std::size_t place = begin + 1; place < end; ++place) {
        const double score = rule.score(before[place] - before[begin]);
        if (score > expected.drop + 1e-9) expected = {score, static_cast<std::uint32_t>(place)};
      }
      const Cut found = hulls.best({begin + 1, end - 1}, begin, false, rule, 1e-9);
      CHECK(found.position == expected.position);
      CHECK(found.drop == expected.drop);
    }
  }
}
