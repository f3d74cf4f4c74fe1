// Shapley values against all coalitions of three columns, and the quadrature against beta integrals.

#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

#include "check.hpp"
#include "spinney/shapley/quadrature.hpp"
#include "spinney/shapley/shapley.hpp"
#include "spinney/tree/builder.hpp"

using namespace spinney;

namespace {

NodeStats number(double weight, double mean) { return {.value = {mean}, .weight = weight}; }

Division at_most(FeatureIndex feature, double threshold) {
  Division division;
  division.test = {TestKind::threshold, feature, threshold, {}, {}, {}};
  return division;
}

/// x0 <= 0 | x1 <= 0 | x0 <= -1 | x2 <= 0, with x2 as the stand-in of the root.
Tree small_tree() {
  Tree empty;
  empty.n_features = 3;
  empty.missing = MissingRule::surrogate;
  TreeBuilder builder(empty);
  const NodeId root = builder.add_root(number(10.0, 0.0));
  Division first = at_most(0, 0.0);
  first.surrogates.push_back({{TestKind::threshold, 2, 0.5, {}, {}, {}}, true, 0.9, 0.8});
  first.default_branch = 1;
  const NodeId top = builder.divide(root, first, std::array{number(4.0, 0.0), number(6.0, 0.0)});
  const NodeId left = builder.divide(top, at_most(1, 0.0), std::array{number(1.0, 2.0), number(3.0, 0.0)});
  builder.divide(top + 1, at_most(2, 0.0), std::array{number(5.0, -1.0), number(1.0, 7.0)});
  builder.divide(left + 1, at_most(0, -1.0), std::array{number(2.0, 3.0), number(1.0, 11.0)});
  return std::move(builder).finish();
}

/// What a coalition (by bits) expects from a node on.
double expected(const Tree& tree, const Players& players, NodeId node, const Matrix& x, unsigned coalition) {
  if (tree.is_leaf(node)) return tree.answers(node)[0];
  const NodeId first = tree.first_child[node];
  const Said said = players.said(tree, node, x, 0);
  if (coalition >> said.player & 1u) return expected(tree, players, first + said.branch, x, coalition);
  const double low = tree.weight(first), high = tree.weight(first + 1);
  return (low * expected(tree, players, first, x, coalition) +
          high * expected(tree, players, first + 1, x, coalition)) /
         (low + high);
}

std::array<double, 3> by_definition(const Tree& tree, const Matrix& x) {
  const Players players(tree);
  std::array<double, 3> values = {};
  constexpr double kShare[] = {1.0 / 3.0, 1.0 / 6.0, 1.0 / 3.0};  // of a coalition of 0, 1 or 2 others
  for (unsigned player = 0; player < 3; ++player) {
    for (unsigned coalition = 0; coalition < 8; ++coalition) {
      if (coalition >> player & 1u) continue;
      const double rise =
          expected(tree, players, 0, x, coalition | 1u << player) - expected(tree, players, 0, x, coalition);
      values[player] += kShare[std::popcount(coalition)] * rise;
    }
  }
  return values;
}

std::unique_ptr<ShapleySums> sums_of(const Tree& tree, const Matrix& x) {
  Interrupt interrupt;
  const PathTree paths(tree, {}, 1);
  auto sums = std::make_unique<ShapleySums>(x, 1, true);
  add_by_cover(paths, x, *sums, {1, interrupt});
  set_diagonals(x.n_columns, 1, *sums);
  return sums;
}

}  // namespace

TEST(points_integrate_every_product_that_they_are_made_for) {
  for (const std::size_t m : {1u, 2u, 5u, 12u, 31u, 200u}) {
    const Quadrature points(m);
    CHECK_NEAR(std::accumulate(points.weight.begin(), points.weight.end(), 0.0), 1.0);
    double beta = 1.0 / static_cast<double>(m);  // k! (m - 1 - k)! / m! for k = 0
    for (std::size_t k = 0; k < m; ++k) {
      double sum = 0.0;
      for (std::size_t r = 0; r < points.size(); ++r)
        sum += points.weight[r] * std::pow(points.point[r], k) * std::pow(points.rest[r], m - 1 - k);
      CHECK(std::abs(sum - beta) <= 1e-11 * beta);
      if (k + 1 < m) beta *= static_cast<double>(k + 1) / static_cast<double>(m - 1 - k);
    }
  }
}

TEST(values_by_cover_are_those_of_all_coalitions) {
  const Tree tree = small_tree();
  CHECK(tree.check().empty());
  const double rows[][3] = {{-2.0, 1.0, 1.0}, {-0.5, 1.0, -1.0}, {-1.0, -1.0, 1.0}, {3.0, 0.0, 0.0},
                            {kNaN, 1.0, 1.0}, {kNaN, 1.0, kNaN}, {-2.0, kNaN, 1.0}};
  for (const auto& row : rows) {
    const Matrix x{row, 3, 1, 1, 3};
    const auto sums = sums_of(tree, x);
    const std::array<double, 3> wanted = by_definition(tree, x);
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK_NEAR(sums->values[j], wanted[j]);
      CHECK_NEAR(sums->interactions[3 * j] + sums->interactions[3 * j + 1] + sums->interactions[3 * j + 2], wanted[j]);
    }
    CHECK_NEAR(sums->expected[0], expected(tree, Players(tree), 0, x, 0));
  }
}

TEST(rows_side_by_side_have_the_values_that_each_has_alone) {
  const Tree tree = small_tree();
  std::vector<double> values;
  for (int i = 0; i < 23 * 3; ++i) values.push_back(i % 7 == 3 ? kNaN : 0.5 * (i * 5 % 13) - 3.0);
  const Matrix x{values.data(), 3, 1, 23, 3};
  const auto together = sums_of(tree, x);
  for (std::size_t row = 0; row < x.n_rows; ++row) {
    const auto alone = sums_of(tree, {values.data() + 3 * row, 3, 1, 1, 3});
    for (std::size_t j = 0; j < 3; ++j) CHECK(same_bits(together->values[3 * row + j], alone->values[j]));
  }
}

TEST(a_stop_is_heard_between_rows_of_a_background) {
  const Tree tree = small_tree();
  const std::vector<double> values(3 * 1000, 0.25);
  const Matrix x{values.data(), 3, 1, 1000, 3};
  Interrupt interrupt([] { return true; });
  const PathTree paths(tree, {}, 1);
  ShapleySums sums(x, 1, false);
  bool stopped = false;
  try {
    for (;;) add_by_background(paths, x, x, sums, {1, interrupt});
  } catch (const Interrupted&) {
    stopped = true;
  }
  CHECK(stopped);
}
