#include "spinney/prune/cost_complexity.hpp"

#include <algorithm>

namespace spinney {

namespace {

constexpr double kTie = 1e-11;  // alphas this close, relatively, are one: all ties are pruned at once

/// At this alpha a branch loses leaves and gains cost.
struct Step {
  double alpha;
  std::int64_t leaves;
  double cost;
  bool operator<(const Step& other) const { return alpha < other.alpha; }
};
using Steps = std::vector<Step>;  // a heap, the largest alpha on top

/// The smaller heap is poured into the larger.
Steps merge(Steps a, Steps b) {
  if (a.size() < b.size()) a.swap(b);
  for (const Step& step : b) {
    a.push_back(step);
    std::push_heap(a.begin(), a.end());
  }
  return a;
}

/// The optimal cost of a branch, as a function of alpha, is known from the top down: with all its children
/// collapsed, then one step after the other undone. The node collapses where its own cost meets that function;
/// steps above the meeting point will never be taken. Every step is made once and dropped once.
Step collapse_step(const Tree& tree, NodeId node, Steps& steps, double floor) {
  std::int64_t leaves = tree.n_children[node];
  double cost = 0.0;
  for (NodeId c = tree.first_child[node]; c < tree.first_child[node] + tree.n_children[node]; ++c) cost += tree.risk[c];
  for (;;) {
    const double alpha = leaves > 1 ? std::max(0.0, (tree.risk[node] - cost) / static_cast<double>(leaves - 1)) : 0.0;
    const bool undo = !steps.empty() && steps.front().alpha >= alpha * (1.0 - kTie) - floor;
    if (!undo) return {alpha > floor ? alpha : 0.0, leaves - 1, tree.risk[node] - cost};
    leaves += steps.front().leaves;
    cost -= steps.front().cost;
    std::pop_heap(steps.begin(), steps.end());
    steps.pop_back();
  }
}

}  // namespace

CostComplexity cost_complexity(const Tree& tree) {
  CostComplexity path;
  path.node_alpha.assign(tree.n_nodes(), kInfinity);
  const double scale = tree.weight[0] > 0.0 ? 1.0 / tree.weight[0] : 1.0;
  const double floor = kTie * tree.risk[0];  // a gain below this is rounding
  std::vector<Steps> open(tree.n_nodes());
  for (auto node = static_cast<NodeId>(tree.n_nodes()); node-- > 0;) {
    if (tree.is_leaf(node)) continue;
    Steps steps;
    for (NodeId c = tree.first_child[node]; c < tree.first_child[node] + tree.n_children[node]; ++c) {
      steps = merge(std::move(steps), std::move(open[c]));
    }
    const Step step = collapse_step(tree, node, steps, floor);
    path.node_alpha[node] = step.alpha * scale;
    steps.push_back(step);
    std::push_heap(steps.begin(), steps.end());
    open[node] = std::move(steps);
  }
  // The root's steps, largest first, give the sequence from the root back to the whole tree.
  Steps& steps = open[0];
  std::sort(steps.begin(), steps.end());
  std::int64_t leaves = 1;
  double cost = tree.risk[0], last = kInfinity;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const double alpha = steps[i].alpha * scale;
    if (!(alpha >= last * (1.0 - kTie))) {
      path.alphas.push_back(alpha);
      path.n_leaves.push_back(leaves);
      path.risks.push_back(cost * scale);
      last = alpha;
    }
    leaves += steps[i].leaves;
    cost -= steps[i].cost;
  }
  if (path.alphas.empty() || path.alphas.back() > 0.0) {
    path.alphas.push_back(0.0);
    path.n_leaves.push_back(leaves);
    path.risks.push_back(std::max(0.0, cost * scale));
  }
  std::reverse(path.alphas.begin(), path.alphas.end());
  std::reverse(path.n_leaves.begin(), path.n_leaves.end());
  std::reverse(path.risks.begin(), path.risks.end());
  return path;
}

std::vector<std::uint8_t> leaves_at(const CostComplexity& path, double alpha) {
  std::vector<std::uint8_t> make_leaf(path.node_alpha.size(), 0);
  const double limit = alpha * (1.0 + 2 * kTie);
  for (std::size_t node = 0; node < path.node_alpha.size(); ++node) make_leaf[node] = path.node_alpha[node] <= limit;
  return make_leaf;
}

}  // namespace spinney
