#include "spinney/forest/coded.hpp"

#include <algorithm>
#include <bit>

namespace spinney {

namespace {

constexpr std::size_t kMostCodes = 0xffff;  // one more is never reached: the code of leaves
constexpr std::size_t kLanes = 8;           // rows that go down side by side
constexpr int kLevels = 3;                  // that they go down before it is asked whether all have arrived

/// For each lane, how many of the ascending thresholds are below its value: binary search without a branch to guess.
void count_below(const std::vector<double>& thresholds, const double* value, std::uint16_t* out) {
  std::size_t at[kLanes] = {};
  const double* const t = thresholds.data();
  for (std::size_t n = thresholds.size(); n > 1;) {
    const std::size_t half = n / 2;
    for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] += t[at[lane] + half - 1] < value[lane] ? half : 0;
    n -= half;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    out[lane] = static_cast<std::uint16_t>(at[lane] + (t[at[lane]] < value[lane] ? 1 : 0));
}

}  // namespace

std::optional<CodedForest> CodedForest::of(std::span<const PackedTree* const> trees, std::size_t n_columns) {
  if (n_columns == 0 || n_columns * kLanes > kMostCodes) return std::nullopt;
  CodedForest coded;
  coded.n_columns_ = n_columns;
  coded.thresholds_.resize(n_columns);
  for (const PackedTree* tree : trees) {
    if (!tree->is_packed()) return std::nullopt;
    for (NodeId node = 0; node < static_cast<NodeId>(tree->n_nodes()); ++node) {
      const RouteNode& from = tree->nodes()[node];
      if (!tree->is_leaf(node)) coded.thresholds_[from.feature].push_back(from.threshold);
    }
  }
  for (auto& column : coded.thresholds_) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (column.size() >= kMostCodes) return std::nullopt;
  }
  for (const PackedTree* tree : trees) {
    coded.root_.push_back(coded.nodes_.size());
    for (NodeId node = 0; node < static_cast<NodeId>(tree->n_nodes()); ++node) {
      const RouteNode& from = tree->nodes()[node];
      const auto& column = coded.thresholds_[from.feature];
      const auto place = std::lower_bound(column.begin(), column.end(), from.threshold) - column.begin();
      coded.nodes_.push_back({static_cast<std::uint16_t>(tree->is_leaf(node) ? kMostCodes : place),
                              static_cast<std::uint16_t>(from.feature * kLanes),
                              static_cast<std::uint32_t>(from.child)});
    }
  }
  return coded;
}

void CodedForest::encode(const Matrix& x, std::size_t begin, std::size_t end, std::vector<std::uint16_t>& codes,
                         std::vector<std::uint8_t>& whole) const {
  const std::size_t n = end - begin;
  codes.assign((n + kLanes - 1) / kLanes * kLanes * n_columns_, 0);
  whole.assign(n, 1);
  double value[kLanes] = {};
  for (std::size_t first = 0; first < n; first += kLanes) {
    std::uint16_t* const group = codes.data() + first * n_columns_;
    const std::size_t n_lanes = std::min(kLanes, n - first);
    for (std::size_t f = 0; f < n_columns_; ++f) {
      for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        value[lane] = x.at(begin + first + lane, f);
        whole[first + lane] &= value[lane] == value[lane] ? 1 : 0;
      }
      if (!thresholds_[f].empty()) count_below(thresholds_[f], value, group + f * kLanes);
    }
  }
}

void CodedForest::route(std::size_t t, std::span<const std::uint16_t> codes, std::size_t n_rows, NodeId* leaf) const {
  const Node* const nodes = nodes_.data() + root_[t];
  for (std::size_t begin = 0; begin < n_rows; begin += kLanes) {
    const std::uint16_t* const group = codes.data() + begin * n_columns_;
    std::uint32_t at[kLanes] = {};
    const auto step = [&](std::size_t lane) {
      const Node& node = nodes[at[lane]];
      const std::uint32_t code = node.code, own = group[node.column + lane];
      return node.child + (code < own ? 1U : 0U);
    };
    std::uint32_t moved = 1;
    while (moved != 0) {
      for (int level = 1; level < kLevels; ++level) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = step(lane);
      }
      moved = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t next = step(lane);
        moved |= next ^ at[lane];
        at[lane] = next;
      }
    }
    std::copy(at, at + std::min(kLanes, n_rows - begin), leaf + begin);
  }
}

}  // namespace spinney
