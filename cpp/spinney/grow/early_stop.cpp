#include "spinney/grow/early_stop.hpp"

#include <algorithm>

#include "spinney/tolerance.hpp"

namespace spinney {

std::vector<RowIndex> EarlyStop::rows_at(const Tree* start, NodeId leaf, const Matrix& x) const {
  if (!active()) return {};
  if (start == nullptr) return validation_->rows;
  std::vector<RowIndex> rows;
  for (const RowIndex row : validation_->rows) {
    if (walk(*start, 0, x, row) == leaf) rows.push_back(row);
  }
  return rows;
}

double EarlyStop::error(std::span<const RowIndex> rows, std::span<const double> value) const {
  double total = 0.0;
  const double point = judge_.point(value.data());
  for (const RowIndex row : rows) total += validation_->weight[row] * judge_.cost(point, target_, row);
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
  if (error_ < lowest_ - tolerance::kSum * largest_) {
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
