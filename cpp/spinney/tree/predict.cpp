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

struct RowsFrom {
  std::size_t begin;
  std::size_t operator()(std::size_t i) const { return begin + i; }
};

}  // namespace

void add_answer(const Tree& tree, NodeId node, double share, double* out) {
  const double* value = tree.answers(node);
  if (tree.n_classes == 0) {
    out[0] += share * value[0];
    return;
  }
  const std::size_t k = tree.n_outputs();
  const double total = std::accumulate(value, value + k, 0.0);
  for (std::size_t i = 0; i < k; ++i) out[i] += share * (total > 0.0 ? value[i] / total : 1.0 / static_cast<double>(k));
}

void add_shares(const Tree& tree, const Matrix& x, std::size_t row, std::vector<Share>& stack, double* out) {
  if (const NodeId leaf = whole_leaf(tree, x, row); leaf != kNoNode) return add_answer(tree, leaf, 1.0, out);
  visit_path(tree, x, row, stack, [&](NodeId node, double share) {
    if (tree.is_leaf(node)) add_answer(tree, node, share, out);
  });
}

Predictor::Predictor(const Tree& tree)
    : block_rows_(std::clamp<std::size_t>(kBlockSteps / (depth_of(tree) + 1), 16, kMaxBlockRows)) {
  const auto is_plain = [](TestKind kind) { return kind == TestKind::leaf || kind == TestKind::threshold; };
  const bool stands_in = tree.surrogates.tests.size() > 0;
  if (stands_in || std::all_of(tree.tests.kind.begin(), tree.tests.kind.end(), is_plain)) {
    nodes_ = route_nodes(tree);
  } else {
    steps_.take(tree);
  }
  for (NodeId node = 0; tree.n_classes > 0 && node < static_cast<NodeId>(tree.n_nodes()); ++node) {
    label_.push_back(tree.label(node));
  }
}

template <class RowOf>
void Predictor::route(const Tree& tree, const Matrix& x, std::size_t n, const RowOf& row_of, NodeId* leaf) const {
  if (!nodes_.empty()) {
    const auto careful = [&](std::size_t i, NodeId node) {
      if (tree.tests.kind[node] == TestKind::threshold) return Arrival{next_node(tree, node, x, row_of(i)), false};
      return Arrival{walk(tree, node, x, row_of(i)), true};  // more of its kind are below: not to stop is faster
    };
    route_many(x, n, [&](std::size_t) { return nodes_.data(); }, row_of, careful, leaf);
    return;
  }
  const auto careful = [&](std::size_t i, NodeId at) {
    const NodeId trapped = steps_.traps.node_at(at);
    return trapped == kNoNode ? Arrival{at, true} : Arrival{next_node(tree, trapped, x, row_of(i)), false};
  };
  route_many(x, n, [&](std::size_t) { return steps_.steps.data(); }, row_of, careful, leaf);
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
             [&](std::size_t begin, std::size_t end) { route(tree, x, end - begin, RowsFrom{begin}, out + begin); });
}

void Predictor::leaves(const Tree& tree, const Matrix& x, std::span<const RowIndex> rows, NodeId* out,
                       Interrupt& interrupt) const {
  for (std::size_t at = 0; at < rows.size(); at += block_rows_) {
    interrupt.check();
    const auto block = rows.subspan(at, std::min(block_rows_, rows.size() - at));
    route(tree, x, block.size(), [block](std::size_t i) { return std::size_t{block[i]}; }, out + at);
  }
}

void Predictor::labels(const Tree& tree, const Matrix& x, std::int64_t* out, const Work& work) const {
  for_blocks(x.n_rows, work, [&](std::size_t begin, std::size_t end) {
    if (tree.missing == MissingRule::fractional) {
      std::vector<Share> stack;
      std::vector<double> mixed(tree.n_outputs());
      for (std::size_t row = begin; row < end; ++row) {
        std::fill(mixed.begin(), mixed.end(), 0.0);
        add_shares(tree, x, row, stack, mixed.data());
        out[row] = tree.cheapest(mixed.data());
      }
      return;
    }
    NodeId leaf[kMaxBlockRows];
    route(tree, x, end - begin, RowsFrom{begin}, leaf);
    for (std::size_t row = begin; row < end; ++row) out[row] = label_[leaf[row - begin]];
  });
}

void Predictor::answers(const Tree& tree, const Matrix& x, std::span<const RowIndex> rows, double* out,
                        Interrupt& interrupt) const {
  std::vector<Share> stack;
  std::vector<double> mixed(tree.n_outputs());
  NodeId leaf[kMaxBlockRows];
  for (std::size_t at = 0; at < rows.size(); at += block_rows_) {
    interrupt.check();
    const auto block = rows.subspan(at, std::min(block_rows_, rows.size() - at));
    if (tree.missing == MissingRule::fractional) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        std::fill(mixed.begin(), mixed.end(), 0.0);
        add_shares(tree, x, block[i], stack, mixed.data());
        out[at + i] = tree.n_classes > 0 ? static_cast<double>(tree.cheapest(mixed.data())) : mixed[0];
      }
      continue;
    }
    route(tree, x, block.size(), [block](std::size_t i) { return std::size_t{block[i]}; }, leaf);
    for (std::size_t i = 0; i < block.size(); ++i)
      out[at + i] = tree.n_classes > 0 ? static_cast<double>(label_[leaf[i]]) : tree.answers(leaf[i])[0];
  }
}

void Predictor::values(const Tree& tree, const Matrix& x, double* out, const Work& work) const {
  const std::size_t k = tree.n_outputs();
  for_blocks(x.n_rows, work, [&](std::size_t begin, std::size_t end) {
    std::vector<Share> stack;
    NodeId leaf[kMaxBlockRows];
    const bool whole = tree.missing != MissingRule::fractional;
    if (whole) route(tree, x, end - begin, RowsFrom{begin}, leaf);
    for (std::size_t row = begin; row < end; ++row) {
      if (whole) {
        add_answer(tree, leaf[row - begin], 1.0, out + row * k);
      } else {
        add_shares(tree, x, row, stack, out + row * k);
      }
    }
  });
}

}  // namespace spinney
