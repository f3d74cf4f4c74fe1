#include "spinney/prune/reduced_error.hpp"

#include "spinney/tolerance.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

std::vector<double> points(const Tree& tree, const Judge& judge) {
  std::vector<double> point(tree.n_nodes());
  for (std::size_t node = 0; node < point.size(); ++node)
    point[node] = judge.point(tree.answers(static_cast<NodeId>(node)));
  return point;
}

std::vector<double> node_errors(const Tree& tree, const Matrix& x, const Target& target) {
  std::vector<double> errors(tree.n_nodes(), 0.0);
  const Judge judge = tree.judge(target);
  const std::vector<double> point = points(tree, judge);
  std::vector<Share> stack;
  for (std::size_t row = 0; row < x.n_rows; ++row) {
    if (!(target.weight[row] > 0.0)) continue;
    if (tree.missing != MissingRule::fractional) {  // rows go whole
      for (NodeId node = 0;; node = next_node(tree, node, x, row)) {
        errors[node] += target.weight[row] * judge.cost(point[node], target, row);
        if (tree.is_leaf(node)) break;
      }
      continue;
    }
    visit_path(tree, x, row, stack, [&](NodeId node, double share) {
      errors[node] += share * target.weight[row] * judge.cost(point[node], target, row);
    });
  }
  return errors;
}

namespace {

/// Sums taken in another order differ by rounding: errors closer than this are equal.
double slack_of(const std::vector<double>& errors) { return tolerance::kSum * errors[0]; }

double sum_of_children(const Tree& tree, NodeId node, const std::vector<double>& best) {
  double sum = 0.0;
  for (NodeId c = tree.first_child[node]; c < tree.first_child[node] + tree.n_children[node]; ++c) sum += best[c];
  return sum;
}

/// Turns the error of every node as a leaf into the least error of its branch, and marks where that is the leaf's.
std::vector<std::uint8_t> prune_up(const Tree& tree, std::vector<double>& errors, std::span<const std::uint8_t> fixed) {
  std::vector<std::uint8_t> make_leaf(tree.n_nodes(), 0);
  const double slack = slack_of(errors);
  for (auto node = static_cast<NodeId>(tree.n_nodes()); node-- > 0;) {
    if (tree.is_leaf(node)) continue;
    const double below = sum_of_children(tree, node, errors);
    make_leaf[node] = errors[node] <= below + slack && (fixed.empty() || !fixed[node]);
    if (!make_leaf[node]) errors[node] = below;
  }
  return make_leaf;
}

}  // namespace

ReducedError reduced_error(const Tree& tree, const Matrix& x, const Target& target,
                           std::span<const std::uint8_t> fixed) {
  std::vector<double> errors = node_errors(tree, x, target);
  ReducedError out;
  for (std::size_t node = 0; node < errors.size(); ++node) {
    if (tree.is_leaf(static_cast<NodeId>(node))) out.before += errors[node];
  }
  out.make_leaf = prune_up(tree, errors, fixed);
  out.after = errors[0];
  return out;
}

std::vector<NodeId> left_out_nodes(const Tree& tree, const Matrix& x, const Target& target,
                                   std::span<const RowIndex> rows) {
  const std::vector<double> errors = node_errors(tree, x, target);
  const Judge judge = tree.judge(target);
  const std::vector<double> point = points(tree, judge);
  const double slack = slack_of(errors);
  std::vector<double> best = errors;
  prune_up(tree, best, {});
  std::vector<NodeId> out;
  out.reserve(rows.size());
  for (const RowIndex row : rows) {
    NodeId node = walk(tree, 0, x, row);
    const auto without = [&](NodeId at) {
      return errors[at] - target.weight[row] * judge.cost(point[at], target, row);
    };
    // Only the nodes above the row's leaf see a difference: their other branches are as they were.
    double least = without(node);
    NodeId answers = node;
    for (NodeId above = tree.parent[node]; above != kNoNode; node = above, above = tree.parent[above]) {
      const double below = sum_of_children(tree, above, best) - best[node] + least, own = without(above);
      least = own <= below + slack ? own : below;
      if (own <= below + slack) answers = above;
    }
    out.push_back(answers);
  }
  return out;
}

}  // namespace spinney
