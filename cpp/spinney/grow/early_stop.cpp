#include "spinney/grow/early_stop.hpp"

#include <algorithm>

namespace spinney {

std::vector<RowIndex> EarlyStop::rows_at(const Tree* start, NodeId leaf, const Matrix& x) const {
  if (!active()) return {};
  if (start == nullptr) return validation_->rows;
  std::vector<RowIndex> rows;
  for (const RowIndex row : validation_->rows) {
    NodeId node = 0;
    while (!start->is_leaf(node)) node = next_node(*start, node, x, row);
    if (node == leaf) rows.push_back(row);
  }
  return rows;
}

double EarlyStop::error(std::span<const RowIndex> rows, std::span<const double> value) const {
  double total = 0.0;
  if (target_.n_classes == 0) {
    for (const RowIndex row : rows) {
      const double d = target_.y[row] - value[0];
      total += validation_->weight[row] * d * d;
    }
    return total;
  }
  Tree node;  // a lone leaf, to ask for its label
  node.n_classes = target_.n_classes;
  node.cost = target_.cost;
  node.value.assign(value.begin(), value.end());
  const ClassCode label = node.label(0);
  for (const RowIndex row : rows) {
    const double scale = target_.class_scale.empty() ? 1.0 : target_.class_scale[target_.codes[row]];
    total += validation_->weight[row] * scale * node.loss(target_.codes[row], label);
  }
  return total;
}

std::array<std::vector<RowIndex>, 2> EarlyStop::divide(NodeId node, std::span<const RowIndex> rows, const Fork& fork,
                                                       const Matrix& x,
                                                       const std::array<std::span<const double>, 3>& values) {
  std::array<std::vector<RowIndex>, 2> children;
  for (const RowIndex row : rows) children[fork.branch(x, row)].push_back(row);
  divided(node, error(rows, values[0]), error(children[0], values[1]) + error(children[1], values[2]));
  return children;
}

void EarlyStop::divided(NodeId node, double before, double after) {
  if (!active()) return;
  divided_.push_back(node);
  error_ += after - before;
  largest_ = std::max(largest_, before);
  ++steps_since_best_;
  if (error_ < lowest_ - 1e-12 * largest_) {
    lowest_ = error_;
    steps_since_best_ = 0;
  }
}

Tree EarlyStop::best(Tree tree) const {
  if (!active() || steps_since_best_ == 0) return tree;
  std::vector<std::uint8_t> make_leaf(tree.n_nodes(), 0);
  for (std::size_t i = divided_.size() - static_cast<std::size_t>(steps_since_best_); i < divided_.size(); ++i) {
    make_leaf[divided_[i]] = 1;
  }
  return collapse(tree, make_leaf);
}

}  // namespace spinney
