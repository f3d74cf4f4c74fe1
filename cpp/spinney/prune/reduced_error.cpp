#include "spinney/prune/reduced_error.hpp"

#include "spinney/tree/route.hpp"

namespace spinney {

double class_cost(const Tree& tree, ClassCode label, const Target& target, std::size_t row) {
  const double scale = target.class_scale.empty() ? 1.0 : target.class_scale[target.codes[row]];
  return scale * tree.loss(target.codes[row], label);
}

double row_cost(const Tree& tree, NodeId node, ClassCode label, const Target& target, std::size_t row) {
  if (tree.n_classes > 0) return class_cost(tree, label, target, row);
  const double d = target.y[row] - tree.value[node];
  return d * d;
}

std::vector<ClassCode> labels(const Tree& tree) {
  std::vector<ClassCode> label(tree.n_nodes(), 0);
  for (std::size_t node = 0; tree.n_classes > 0 && node < tree.n_nodes(); ++node) {
    label[node] = tree.label(static_cast<NodeId>(node));
  }
  return label;
}

std::vector<double> node_errors(const Tree& tree, const Matrix& x, const Target& target) {
  std::vector<double> errors(tree.n_nodes(), 0.0);
  const std::vector<ClassCode> label = labels(tree);
  std::vector<Share> stack;
  for (std::size_t row = 0; row < x.n_rows; ++row) {
    if (!(target.weight[row] > 0.0)) continue;
    visit_path(tree, x, row, stack, [&](NodeId node, double share) {
      errors[node] += share * target.weight[row] * row_cost(tree, node, label[node], target, row);
    });
  }
  return errors;
}

std::vector<std::uint8_t> reduced_error(const Tree& tree, const Matrix& x, const Target& target) {
  std::vector<double> best = node_errors(tree, x, target);
  std::vector<std::uint8_t> make_leaf(tree.n_nodes(), 0);
  const double slack = 1e-12 * best[0];  // sums taken in another order differ by rounding
  for (auto node = static_cast<NodeId>(tree.n_nodes()); node-- > 0;) {
    if (tree.is_leaf(node)) continue;
    double below = 0.0;
    for (NodeId c = tree.first_child[node]; c < tree.first_child[node] + tree.n_children[node]; ++c) below += best[c];
    make_leaf[node] = best[node] <= below + slack;
    if (!make_leaf[node]) best[node] = below;
  }
  return make_leaf;
}

}  // namespace spinney
