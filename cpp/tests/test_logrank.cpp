// Trees of lifetimes against the log-rank statistic by its definition.

#include <cmath>
#include <numeric>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

/// Times of which some are tied and some censored, shorter where the first column is large.
problem::Problem lifetimes(std::uint64_t seed, std::size_t n, bool weighted) {
  RandomStream random(seed, 4);
  problem::Problem p;
  p.columns = {{ColumnKind::numeric, 0}, {ColumnKind::numeric, 0}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<double>(random.below(8)), b = random.uniform();
    p.values.insert(p.values.end(), {a, b});
    p.exposure.push_back((1.0 + std::floor(-8.0 * std::log(random.uniform()) / (1.0 + a))) / 4.0);
    p.y.push_back(random.below(4) == 0 ? 0.0 : 1.0);
    p.weight.push_back(weighted ? static_cast<double>(1 + random.below(3)) : 1.0);
  }
  return p;
}

using Group = std::vector<std::size_t>;

/// U^2 / V: observed less expected events of the left side over all times, and the hypergeometric variance. A row of
/// weight w is w rows.
double statistic(const problem::Problem& p, const Group& left, const Group& all) {
  double u = 0.0, v = 0.0;
  Group times = all;
  std::sort(times.begin(), times.end(), [&](std::size_t a, std::size_t b) { return p.exposure[a] < p.exposure[b]; });
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double time = p.exposure[times[i]];
    if (i > 0 && p.exposure[times[i - 1]] == time) continue;
    double events = 0.0, at_risk = 0.0, left_events = 0.0, left_at_risk = 0.0;
    const auto count = [&](const Group& group, double& happened, double& risk) {
      for (const std::size_t row : group) {
        risk += p.exposure[row] >= time ? p.weight[row] : 0.0;
        happened += p.exposure[row] == time && p.y[row] > 0.0 ? p.weight[row] : 0.0;
      }
    };
    count(all, events, at_risk);
    count(left, left_events, left_at_risk);
    const double share = left_at_risk / at_risk;
    u += left_events - events * share;
    if (at_risk > 1.0) v += events * share * (1.0 - share) * (at_risk - events) / (at_risk - 1.0);
  }
  return v > 1e-9 ? u * u / v : -kInfinity;
}

struct Best {
  double drop = -kInfinity, threshold = 0.0;
  std::size_t feature = 0;
};

Best best_of(const problem::Problem& p, const Group& all) {
  Best best;
  for (std::size_t f = 0; f < p.columns.size(); ++f) {
    const auto value = [&](std::size_t row) { return p.values[row * p.columns.size() + f]; };
    std::vector<double> values;
    for (const std::size_t row : all) values.push_back(value(row));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::size_t v = 0; v + 1 < values.size(); ++v) {
      Group left;
      std::copy_if(all.begin(), all.end(), std::back_inserter(left),
                   [&](std::size_t r) { return value(r) <= values[v]; });
      const double drop = statistic(p, left, all);
      if (drop > best.drop * (1.0 + 1e-9)) best = {drop, (values[v] + values[v + 1]) / 2.0, f};
    }
  }
  return best;
}

/// Compares a node and all below it; returns how many divisions were seen.
std::size_t check_node(const problem::Problem& p, const Tree& tree, NodeId node, const Group& all) {
  double events = 0.0, time = 0.0;
  for (const std::size_t row : all) {
    events += p.weight[row] * p.y[row];
    time += p.weight[row] * p.exposure[row];
  }
  CHECK(std::abs(tree.value[node] - events / time) <= 1e-9 * (1.0 + events / time));
  if (tree.is_leaf(node)) return 0;
  const Best best = best_of(p, all);
  CHECK(std::abs(tree.gain[node] - best.drop) <= 1e-7 * (1.0 + best.drop));
  CHECK(static_cast<std::size_t>(tree.tests.feature[node]) == best.feature);
  CHECK(tree.tests.threshold[node] == best.threshold);
  Group side[2];
  for (const std::size_t row : all)
    side[p.values[row * p.columns.size() + best.feature] <= best.threshold ? 0 : 1].push_back(row);
  std::size_t seen = 1;
  for (const NodeId b : {0, 1}) seen += check_node(p, tree, tree.first_child[node] + b, side[b]);
  return seen;
}

}  // namespace

TEST(trees_of_lifetimes_take_the_division_of_the_largest_logrank_statistic) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const problem::Problem p = lifetimes(seed, 90, seed % 2 == 1);
    GrowParams params;
    params.criterion.name = "logrank";
    params.criterion.exposed = true;
    params.max_depth = 3;
    const Tree tree = problem::grow_tree(p, params);
    CHECK(tree.check().empty());
    Group all(p.y.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    CHECK(check_node(p, tree, 0, all) >= 3);
  }
}
