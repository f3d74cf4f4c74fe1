#include "spinney/tree/predict.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/parallel.hpp"

namespace spinney {

namespace {

constexpr std::size_t kMaxBlockRows = 4096;
constexpr std::size_t kBlockSteps = std::size_t{1} << 22;

std::size_t depth_of(const Tree& tree) {
  std::vector<std::size_t> depth(tree.n_nodes(), 0);
  for (std::size_t node = 1; node < tree.n_nodes(); ++node) depth[node] = depth[tree.parent[node]] + 1;
  return *std::max_element(depth.begin(), depth.end());
}

}  // namespace

Predictor::Predictor(const Tree& tree)
    : router_(tree), block_rows_(std::clamp<std::size_t>(kBlockSteps / (depth_of(tree) + 1), 16, kMaxBlockRows)) {
  for (NodeId node = 0; tree.n_classes > 0 && node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    const double* weights = tree.values(node);
    total_.push_back(std::accumulate(weights, weights + tree.n_classes, 0.0));
    label_.push_back(tree.label(node));
  }
}

/// Adds a share of a node's answer: class shares (even ones if the node has no weight), or the mean.
void Predictor::add_answer(const Tree& tree, NodeId node, double share, double* out) const {
  const double* value = tree.values(node);
  if (tree.n_classes == 0) {
    out[0] += share * value[0];
    return;
  }
  const std::size_t k = tree.n_outputs();
  const double total = total_[node];
  for (std::size_t i = 0; i < k; ++i) out[i] += share * (total > 0.0 ? value[i] / total : 1.0 / static_cast<double>(k));
}

template <class Run>
void Predictor::for_blocks(std::size_t n_rows, const Work& work, Run&& run) const {
  const std::size_t n_blocks = (n_rows + block_rows_ - 1) / block_rows_;
  const auto run_block = [&](std::size_t block, std::size_t) {
    work.interrupt.check();
    const std::size_t begin = block * block_rows_;
    run(begin, std::min(n_rows, begin + block_rows_));
  };
  if (n_blocks < 2 || work.n_threads < 2) {
    for (std::size_t block = 0; block < n_blocks; ++block) run_block(block, 0);
    return;
  }
  ThreadTeam(std::min(work.n_threads, n_blocks), &work.interrupt).run(n_blocks, run_block);
}

void Predictor::apply(const Tree& tree, const Matrix& x, NodeId* out, const Work& work) const {
  for_blocks(x.n_rows, work,
             [&](std::size_t begin, std::size_t end) { router_.route(tree, x, begin, end, out + begin); });
}

void Predictor::shares(const Tree& tree, const Matrix& x, std::size_t row, std::vector<Share>& stack,
                       double* out) const {
  if (const NodeId leaf = whole_leaf(tree, x, row); leaf != kNoNode) return add_answer(tree, leaf, 1.0, out);
  visit_path(tree, x, row, stack, [&](NodeId node, double share) {
    if (tree.is_leaf(node)) add_answer(tree, node, share, out);
  });
}

void Predictor::values(const Tree& tree, const Matrix& x, double* out, const Work& work) const {
  const std::size_t k = tree.n_outputs();
  for_blocks(x.n_rows, work,
             [&](std::size_t begin, std::size_t end) { add(tree, x, begin, end, false, 1.0, out + begin * k); });
}

void Predictor::labels(const Tree& tree, const Matrix& x, std::int64_t* out, const Work& work) const {
  for_blocks(x.n_rows, work, [&](std::size_t begin, std::size_t end) {
    if (tree.missing == MissingRule::fractional) {
      std::vector<Share> stack;
      std::vector<double> mixed(tree.n_outputs());
      for (std::size_t row = begin; row < end; ++row) {
        std::fill(mixed.begin(), mixed.end(), 0.0);
        shares(tree, x, row, stack, mixed.data());
        out[row] = tree.cheapest(mixed.data());
      }
      return;
    }
    NodeId leaf[kMaxBlockRows];
    router_.route(tree, x, begin, end, leaf);
    for (std::size_t row = begin; row < end; ++row) out[row] = label_[leaf[row - begin]];
  });
}

void Predictor::add(const Tree& tree, const Matrix& x, std::size_t begin, std::size_t end, bool vote, double weight,
                    double* out) const {
  const std::size_t k = tree.n_outputs();
  if (tree.missing == MissingRule::fractional) {
    std::vector<Share> stack;
    std::vector<double> mixed(k);
    for (std::size_t row = begin; row < end; ++row, out += k) {
      std::fill(mixed.begin(), mixed.end(), 0.0);
      shares(tree, x, row, stack, mixed.data());
      if (vote) {
        out[tree.cheapest(mixed.data())] += weight;
      } else {
        for (std::size_t c = 0; c < k; ++c) out[c] += weight * mixed[c];
      }
    }
    return;
  }
  NodeId leaf[kMaxBlockRows];
  for (std::size_t at = begin; at < end; at += block_rows_) {
    const std::size_t stop = std::min(end, at + block_rows_);
    router_.route(tree, x, at, stop, leaf);
    for (std::size_t row = at; row < stop; ++row, out += k) {
      if (vote) {
        out[label_[leaf[row - at]]] += weight;
      } else {
        add_answer(tree, leaf[row - at], weight, out);
      }
    }
  }
}

}  // namespace spinney
