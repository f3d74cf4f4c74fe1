#include "spinney/forest/coded.hpp"

#include <algorithm>
#include <utility>

namespace spinney {

namespace {

constexpr int kLevels = 4;  // that rows go down before it is asked whether all have arrived
constexpr std::size_t kNearBytes = std::size_t{1} << 20;  // that stay in a near cache while rows go down
constexpr std::size_t kLineBytes = 64;

/// Brings nodes into the cache one after the other, which takes a fraction of the time that rows take to meet them one
/// by one. Loads, as machines look ahead of them, and may leave out what they are only advised to fetch.
template <class AnyNode>
void bring_near(const AnyNode* nodes, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLineBytes / sizeof(AnyNode))
    static_cast<void>(*reinterpret_cast<const volatile std::uint64_t*>(nodes + i));
}

}  // namespace

CodedForest::CodedForest(std::span<const PackedTree* const> trees, std::size_t n_columns, Interrupt& interrupt)
    : trees_(trees.size()) {
  Steps steps;
  std::size_t first = 0;  // of the open chunk
  chunks_.emplace_back(n_columns);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    interrupt.check();
    steps.take(*trees[t]);
    if (!chunks_.back().add(steps)) {
      CodeTable next(n_columns);
      if (!next.add(steps)) continue;  // nor would any other have room for it
      close_chunk(trees, first, t);
      chunks_.push_back(std::move(next));
      first = t;
    }
    trees_[t].chunk = chunks_.size() - 1;
  }
  close_chunk(trees, first, trees.size());
}

void CodedForest::close_chunk(std::span<const PackedTree* const> trees, std::size_t first, std::size_t last) {
  CodeTable& table = chunks_.back();
  table.close();
  Steps steps;
  for (std::size_t t = first; t < last; ++t) {
    if (!has(t)) continue;
    steps.take(*trees[t]);
    trees_[t].root = steps.has_bits ? bit_nodes_.size() : nodes_.size();
    trees_[t].n_steps = steps.steps.size();
    trees_[t].has_bits = steps.has_bits;
    trees_[t].traps = steps.traps;
    for (const Step& step : steps.steps) {
      const Node node(table.code(step), table.place(step), step.child);
      if (steps.has_bits) {
        bit_nodes_.push_back({node, step.bits});
      } else {
        nodes_.push_back(node);
      }
    }
  }
}

std::size_t CodedForest::bytes_a_row() const {
  std::size_t n = 0;
  for (const CodeTable& chunk : chunks_) n += chunk.n_slots() * sizeof(std::uint16_t);
  return n;
}

void CodedForest::route(std::size_t t, const PackedTree& tree, const RowRange& rows, Codes& codes, NodeId* leaf) const {
  const CodedTree& coded = trees_[t];
  codes.of_chunk.resize(chunks_.size());
  codes.made.resize(chunks_.size(), 0);
  std::vector<std::uint16_t>& own = codes.of_chunk[coded.chunk];
  if (!codes.made[coded.chunk]) chunks_[coded.chunk].encode(rows, own);
  codes.made[coded.chunk] = 1;
  if (coded.has_bits) {
    route_from(coded, bit_nodes_.data() + coded.root, tree, rows, own.data(), leaf);
  } else {
    route_from(coded, nodes_.data() + coded.root, tree, rows, own.data(), leaf);
  }
}

template <class AnyNode>
void CodedForest::route_from(const CodedTree& coded, const AnyNode* nodes, const PackedTree& tree, const RowRange& rows,
                             const std::uint16_t* codes, NodeId* leaf) const {
  const std::size_t n_group = chunks_[coded.chunk].n_slots() * kLanes;
  const std::size_t n_bytes = coded.n_steps * sizeof(AnyNode);
  if (n_bytes <= kNearBytes && n_bytes <= 4 * kLineBytes * rows.size()) bring_near(nodes, coded.n_steps);
  for (std::size_t begin = 0; begin < rows.size(); begin += kLanes, codes += n_group) {
    const std::size_t n_lanes = std::min(kLanes, rows.size() - begin);
    std::uint64_t at[kLanes] = {};
    const auto go_down = [&]<std::size_t... lane>(std::index_sequence<lane...>) {
      std::uint64_t moved = 0;
      const auto step = [&](std::size_t i) {
        const std::uint64_t next = nodes[at[i]].next(codes + i);
        moved |= next ^ at[i];
        at[i] = next;
      };
      (step(lane), ...);  // written out: a compiler may turn loops so that each lane waits for itself
      return moved;
    };
    constexpr auto kEach = std::make_index_sequence<kLanes>{};
    std::uint64_t moved = 1;
    while (moved != 0) {
      for (int level = 1; level < kLevels; ++level) go_down(kEach);
      moved = go_down(kEach);
      if (moved != 0 || coded.traps.empty()) continue;
      for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        const NodeId trapped = coded.traps.node_at(static_cast<NodeId>(at[lane]));
        if (trapped == kNoNode) continue;
        at[lane] = static_cast<std::uint32_t>(tree.next(trapped, rows.x, rows.begin + begin + lane));
        moved = 1;
      }
    }
    for (std::size_t lane = 0; lane < n_lanes; ++lane) leaf[begin + lane] = static_cast<NodeId>(at[lane]);
  }
}

}  // namespace spinney
