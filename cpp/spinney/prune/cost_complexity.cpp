#include "spinney/prune/cost_complexity.hpp"
#include "spinney/tolerance.hpp"

#include <algorithm>
#include <cmath>

namespace spinney {

namespace {

using tolerance::kAlpha;

/// Inner nodes from the last to the first, so that children come before their parent.
template <class Visit>
void visit_upwards(const Tree& tree, Visit&& visit) {
  for (auto node = static_cast<NodeId>(tree.n_nodes()); node-- > 0;) {
    if (!tree.is_leaf(node)) visit(node, tree.first_child[node], tree.first_child[node] + tree.n_children[node]);
  }
}

double link(double node_risk, double branch_risk, std::int64_t leaves) {
  return leaves > 1 ? std::max(0.0, (node_risk - branch_risk) / static_cast<double>(leaves - 1)) : 0.0;
}

/// Alphas, not yet per unit of weight; below floor a gain is rounding.
std::vector<double> rpart_alphas(const Tree& tree, double floor) {
  std::vector<double> alpha(tree.n_nodes(), kInfinity), branch_risk = of_nodes(tree, &Tree::risk);
  std::vector<std::int64_t> leaves(tree.n_nodes(), 1);
  visit_upwards(tree, [&](NodeId node, NodeId first, NodeId last) {
    double risk = 0.0;
    std::int64_t n = 0;
    for (NodeId c = first; c < last; ++c) {
      risk += branch_risk[c];
      n += leaves[c];
    }
    alpha[node] = link(tree.risk(node), risk, n);
    // Children that collapse before their parent would, weakest first; one that ties stands until both go.
    std::vector<NodeId> order;
    for (NodeId c = first; c < last; ++c) {
      if (leaves[c] > 1) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return alpha[a] < alpha[b]; });
    for (const NodeId c : order) {
      if (!(alpha[node] > alpha[c] * (1.0 + kAlpha))) break;
      risk += tree.risk(c) - branch_risk[c];
      n -= leaves[c] - 1;
      alpha[node] = link(tree.risk(node), risk, n);
    }
    if (!(alpha[node] > floor)) {  // no gain at all: never more than a leaf
      alpha[node] = 0.0;
      return;
    }
    branch_risk[node] = risk;
    leaves[node] = n;
  });
  return alpha;
}

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

/// The least cost of a branch, as a function of alpha, is followed from the top down: all children collapsed,
/// then one step after the other undone. The node collapses where its own cost meets that function; steps above
/// the meeting point are never taken. Every step is made once and dropped once.
std::vector<double> exact_alphas(const Tree& tree, double floor) {
  std::vector<double> alpha(tree.n_nodes(), kInfinity);
  std::vector<Steps> open(tree.n_nodes());
  visit_upwards(tree, [&](NodeId node, NodeId first, NodeId last) {
    Steps steps;
    double cost = 0.0;
    std::int64_t leaves = last - first;
    for (NodeId c = first; c < last; ++c) {
      steps = merge(std::move(steps), std::move(open[c]));
      cost += tree.risk(c);
    }
    alpha[node] = link(tree.risk(node), cost, leaves);
    while (!steps.empty() && steps.front().alpha >= alpha[node] * (1.0 - kAlpha) - floor) {
      leaves += steps.front().leaves;
      cost -= steps.front().cost;
      std::pop_heap(steps.begin(), steps.end());
      steps.pop_back();
      alpha[node] = link(tree.risk(node), cost, leaves);
    }
    if (!(alpha[node] > floor)) alpha[node] = 0.0;
    steps.push_back({alpha[node], leaves - 1, tree.risk(node) - cost});
    std::push_heap(steps.begin(), steps.end());
    open[node] = std::move(steps);
  });
  return alpha;
}

/// A node is a leaf of the subtrees from its own alpha up to the least alpha above it: sums over such intervals
/// give every subtree's leaves and cost.
void fill_sequence(const Tree& tree, CostComplexity& path) {
  std::vector<double> ceiling(tree.n_nodes(), kInfinity);  // the least alpha among the ancestors
  std::vector<double> seen = {0.0};
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    if (node > 0) ceiling[node] = std::min(ceiling[tree.parent[node]], path.node_alpha[tree.parent[node]]);
    if (path.node_alpha[node] < ceiling[node]) seen.push_back(path.node_alpha[node]);
  }
  std::sort(seen.begin(), seen.end());
  for (const double alpha : seen) {
    if (alpha == kInfinity) break;
    if (path.alphas.empty() || alpha > path.alphas.back() * (1.0 + kAlpha)) path.alphas.push_back(alpha);
  }
  const auto place = [&](double alpha) {  // the first subtree at or above alpha
    const auto at = std::lower_bound(path.alphas.begin(), path.alphas.end(), alpha * (1.0 - kAlpha));
    return static_cast<std::size_t>(at - path.alphas.begin());
  };
  std::vector<std::int64_t> leaves(path.alphas.size() + 1, 0);
  std::vector<double> risk(path.alphas.size() + 1, 0.0);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const bool leaf = tree.is_leaf(static_cast<NodeId>(node));
    const std::size_t begin = leaf ? 0 : place(path.node_alpha[node]);
    const std::size_t end = ceiling[node] == kInfinity ? path.alphas.size() : place(ceiling[node]);
    if (begin >= end) continue;
    leaves[begin] += 1;
    leaves[end] -= 1;
    risk[begin] += tree.risk(node);
    risk[end] -= tree.risk(node);
  }
  const double scale = tree.weight(0) > 0.0 ? 1.0 / tree.weight(0) : 1.0;
  std::int64_t n = 0;
  double sum = 0.0;
  for (std::size_t k = 0; k < path.alphas.size(); ++k) {
    n += leaves[k];
    sum += risk[k];
    path.n_leaves.push_back(n);
    path.risks.push_back(std::max(0.0, sum) * scale);
    path.alphas[k] *= scale;
  }
  for (double& alpha : path.node_alpha) alpha *= scale;
}

}  // namespace

CostComplexity cost_complexity(const Tree& tree, LinkRule rule) {
  CostComplexity path;
  const double floor = kAlpha * tree.risk(0);
  path.node_alpha = rule == LinkRule::rpart ? rpart_alphas(tree, floor) : exact_alphas(tree, floor);
  fill_sequence(tree, path);
  return path;
}

std::vector<double> typical_alphas(const std::vector<double>& alphas) {
  std::vector<double> typical;
  for (std::size_t k = 0; k + 1 < alphas.size(); ++k)
    typical.push_back(std::sqrt(alphas[k]) * std::sqrt(alphas[k + 1]));
  typical.push_back(kInfinity);
  return typical;
}

Tree subtree_at(const Tree& tree, const CostComplexity& path, double alpha) {
  std::vector<std::uint8_t> make_leaf(tree.n_nodes());
  for (std::size_t node = 0; node < tree.n_nodes(); ++node)
    make_leaf[node] = path.node_alpha[node] <= alpha * (1.0 + tolerance::kGivenAlpha);
  return collapse(tree, make_leaf);
}

}  // namespace spinney
