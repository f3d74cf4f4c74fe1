#include "spinney/forest/coded.hpp"

#include <algorithm>

namespace spinney {

namespace {

constexpr int kLevels = 3;  // that rows go down before it is asked whether all have arrived

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
    trees_[t].has_bits = steps.has_bits;
    trees_[t].traps = steps.traps;
    for (const Step& step : steps.steps) {
      if (steps.has_bits) {
        bit_nodes_.push_back({step.bits, table.code(step), table.place(step), static_cast<std::uint32_t>(step.child)});
      } else {
        nodes_.push_back({table.code(step), table.place(step), static_cast<std::uint32_t>(step.child)});
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
  for (std::size_t begin = 0; begin < rows.size(); begin += kLanes, codes += n_group) {
    const std::size_t n_lanes = std::min(kLanes, rows.size() - begin);
    std::uint32_t at[kLanes] = {};
    const auto step = [&](std::size_t lane) {
      const AnyNode& node = nodes[at[lane]];
      return node.next(codes[node.place + lane]);
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
      if (moved != 0 || coded.traps.empty()) continue;
      for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        const NodeId trapped = coded.traps.node_at(static_cast<NodeId>(at[lane]));
        if (trapped == kNoNode) continue;
        at[lane] = static_cast<std::uint32_t>(tree.next(trapped, rows.x, rows.begin + begin + lane));
        moved = 1;
      }
    }
    std::copy(at, at + n_lanes, leaf + begin);
  }
}

}  // namespace spinney
