#include "spinney/tree/predict.hpp"

#include <algorithm>

#include "spinney/parallel.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBlockRows = 4096;

/// The class of least expected cost for given shares.
ClassCode cheapest(const Tree& tree, const double* shares) {
  ClassCode best = 0;
  double least = kInfinity;
  for (ClassCode k = 0; k < tree.n_classes; ++k) {
    const double cost = tree.cost.empty() ? -shares[k] : tree.cost_of_label(shares, k);
    if (cost < least) {
      least = cost;
      best = k;
    }
  }
  return best;
}

}  // namespace

Predictor::Predictor(const Tree& tree) : router_(tree), outputs_(tree.value) {
  if (tree.n_classes == 0) return;
  const std::size_t k = tree.n_outputs();
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    double* shares = outputs_.data() + node * k;
    double total = 0.0;
    for (std::size_t i = 0; i < k; ++i) total += shares[i];
    for (std::size_t i = 0; i < k; ++i) shares[i] = total > 0.0 ? shares[i] / total : 1.0 / static_cast<double>(k);
    label_.push_back(tree.label(static_cast<NodeId>(node)));
  }
}

template <class Write>
void Predictor::for_each_leaf(const Tree& tree, const Matrix& x, std::size_t n_threads, Write&& write) const {
  const std::size_t n_blocks = (x.n_rows + kBlockRows - 1) / kBlockRows;
  const auto run_block = [&](std::size_t block, std::size_t) {
    NodeId leaf[kBlockRows];
    const std::size_t begin = block * kBlockRows, end = std::min(x.n_rows, begin + kBlockRows);
    router_.route(tree, x, begin, end, leaf);
    write(begin, end, leaf);
  };
  if (n_blocks < 2 || n_threads < 2) {
    for (std::size_t block = 0; block < n_blocks; ++block) run_block(block, 0);
    return;
  }
  ThreadTeam(std::min(n_threads, n_blocks)).run(n_blocks, run_block);
}

void Predictor::apply(const Tree& tree, const Matrix& x, NodeId* out, std::size_t n_threads) const {
  for_each_leaf(tree, x, n_threads, [&](std::size_t begin, std::size_t end, const NodeId* leaf) {
    std::copy(leaf, leaf + (end - begin), out + begin);
  });
}

void Predictor::shares(const Tree& tree, const Matrix& x, std::size_t row, std::vector<Share>& stack,
                       double* out) const {
  const std::size_t k = tree.n_outputs();
  std::fill(out, out + k, 0.0);
  visit_path(tree, x, row, stack, [&](NodeId node, double share) {
    if (!tree.is_leaf(node)) return;
    for (std::size_t i = 0; i < k; ++i) out[i] += share * outputs_[node * k + i];
  });
}

void Predictor::values(const Tree& tree, const Matrix& x, double* out, std::size_t n_threads) const {
  const std::size_t k = tree.n_outputs();
  for_each_leaf(tree, x, n_threads, [&](std::size_t begin, std::size_t end, const NodeId* leaf) {
    std::vector<Share> stack;
    for (std::size_t row = begin; row < end; ++row) {
      if (tree.missing == MissingRule::fractional) {
        shares(tree, x, row, stack, out + row * k);
      } else {
        const double* from = outputs_.data() + leaf[row - begin] * k;
        std::copy(from, from + k, out + row * k);
      }
    }
  });
}

void Predictor::labels(const Tree& tree, const Matrix& x, std::int64_t* out, std::size_t n_threads) const {
  for_each_leaf(tree, x, n_threads, [&](std::size_t begin, std::size_t end, const NodeId* leaf) {
    std::vector<Share> stack;
    std::vector<double> mixed(tree.n_outputs());
    for (std::size_t row = begin; row < end; ++row) {
      if (tree.missing == MissingRule::fractional) {
        shares(tree, x, row, stack, mixed.data());
        out[row] = cheapest(tree, mixed.data());
      } else {
        out[row] = label_[leaf[row - begin]];
      }
    }
  });
}

}  // namespace spinney
