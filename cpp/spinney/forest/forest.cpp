#include "spinney/forest/forest.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/parallel.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBlockRows = 1024;    // of a table and its sums stay in the cache while all trees pass
constexpr std::size_t kFewRows = 16;        // fewer do not fill the lanes of one tree: several trees share them
constexpr std::size_t kManyRows = 1 << 13;  // more are worth their codes

}  // namespace

/// One member with some rows: leaf[i] is the leaf of row begin + i.
struct Forest::Block {
  std::size_t place;   // among the chosen
  std::size_t member;  // of the forest
  std::size_t begin, end;
  const NodeId* leaf;
};

Forest::Forest(std::vector<Member> members) : members_(std::move(members)) {
  for (const auto& [tree, groups] : members_) {
    n_features_ = tree.n_features();
    n_classes_ = groups.empty() ? tree.n_classes() : static_cast<std::int32_t>(groups.size());
  }
}

std::string Forest::check() const {
  for (std::size_t i = 0; i < size(); ++i) {
    const auto& [tree, groups] = members_[i];
    const std::string who = std::string("tree ").append(std::to_string(i));
    const bool fit = std::all_of(groups.begin(), groups.end(), [](std::int32_t g) { return g == 0 || g == 1; });
    if (!fit || (!groups.empty() && tree.n_classes() != 2)) return who + ": groups do not fit";
    const auto k = groups.empty() ? tree.n_classes() : static_cast<std::int32_t>(groups.size());
    if (k != n_classes_ || tree.n_features() != n_features_) return who + " has other classes or features";
  }
  return "";
}

void Forest::route(std::size_t member, const Matrix& x, std::size_t begin, std::size_t end, NodeId* leaf) const {
  const PackedTree& tree = members_[member].tree;
  route_many(
      x, end - begin, [&](std::size_t) { return tree.nodes(); }, [&](std::size_t i) { return begin + i; },
      [&](std::size_t i, NodeId at) { return tree.walk(at, x, begin + i); }, leaf);
}

/// leaf[i * n + r] of the i-th chosen member for row begin + r, n = end - begin.
void Forest::route_few(std::span<const std::int64_t> chosen, const Matrix& x, std::size_t begin, std::size_t end,
                       NodeId* leaf) const {
  const std::size_t n = end - begin;
  const auto tree = [&](std::size_t i) -> const PackedTree& {
    return members_[static_cast<std::size_t>(chosen[i / n])].tree;
  };
  route_many(
      x, chosen.size() * n, [&](std::size_t i) { return tree(i).nodes(); },
      [&](std::size_t i) { return begin + i % n; },
      [&](std::size_t i, NodeId at) { return tree(i).walk(at, x, begin + i % n); }, leaf);
}

void Forest::for_blocks(std::span<const std::int64_t> chosen, const Matrix& x, const Work& work,
                        const std::function<void(const Block&)>& take) const {
  const CodedForest* coded = x.n_rows >= kManyRows && chosen.size() > 1 ? this->coded() : nullptr;
  const auto run = [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    std::vector<std::uint16_t> codes;
    std::vector<std::uint8_t> whole;
    if (coded) coded->encode(x, begin, end, codes, whole);
    std::vector<NodeId> leaf(n < kFewRows ? n * chosen.size() : n);
    if (n < kFewRows) route_few(chosen, x, begin, end, leaf.data());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      work.interrupt.check();
      const auto member = static_cast<std::size_t>(chosen[i]);
      if (coded && n >= kFewRows) {
        coded->route(member, codes, n, leaf.data());
        for (std::size_t row = 0; row < n; ++row) {
          if (!whole[row]) leaf[row] = members_[member].tree.walk(0, x, begin + row);
        }
      } else if (n >= kFewRows) {
        route(member, x, begin, end, leaf.data());
      }
      take({i, member, begin, end, n < kFewRows ? leaf.data() + i * n : leaf.data()});
    }
  };
  const std::size_t n_blocks = (x.n_rows + kBlockRows - 1) / kBlockRows;
  const auto block = [&](std::size_t b, std::size_t) { run(b * kBlockRows, std::min(x.n_rows, (b + 1) * kBlockRows)); };
  if (n_blocks < 2 || work.n_threads < 2) {
    for (std::size_t b = 0; b < n_blocks; ++b) block(b, 0);
    return;
  }
  ThreadTeam(std::min(work.n_threads, n_blocks), &work.interrupt).run(n_blocks, block);
}

const CodedForest* Forest::coded() const {
  std::call_once(coding_->once, [this] {
    std::vector<const PackedTree*> trees;
    for (const Member& member : members_) trees.push_back(&member.tree);
    coding_->forest = CodedForest::of(trees, static_cast<std::size_t>(n_features_));
  });
  return coding_->forest ? &*coding_->forest : nullptr;
}

/// The label (or group), or the mean, that a member answers with.
double Forest::answer(const Block& block, const Matrix& x, std::size_t row) const {
  const PackedTree& tree = members_[block.member].tree;
  const NodeId leaf = block.leaf[row - block.begin];
  if (!tree.is_fractional()) return tree.n_classes() > 0 ? tree.label(leaf) : tree.answer(leaf, 0);
  std::vector<Share> stack;
  std::vector<double> mixed(tree.n_outputs(), 0.0);
  add_shares(tree.tree(), x, row, stack, mixed.data());
  return tree.n_classes() > 0 ? static_cast<double>(tree.tree().cheapest(mixed.data())) : mixed[0];
}

void Forest::add_block(const Block& block, double weight, const Matrix& x, Combine combine, double* out) const {
  const auto& [tree, groups] = members_[block.member];
  const std::size_t k = n_outputs();
  const bool vote = combine == Combine::vote && n_classes_ > 0;
  const bool whole = !tree.is_fractional();
  if (whole && groups.empty() && (vote || n_classes_ == 0)) {
    for (std::size_t row = block.begin; row < block.end; ++row) {
      const NodeId leaf = block.leaf[row - block.begin];
      if (vote) {
        out[row * k + tree.label(leaf)] += weight;
      } else {
        out[row] += weight * tree.answer(leaf, 0);
      }
    }
    return;
  }
  double size[2] = {0.0, 0.0};
  for (const std::int32_t g : groups) size[g] += 1.0;
  std::vector<Share> stack;
  std::vector<double> mixed(tree.n_outputs());
  for (std::size_t row = block.begin; row < block.end; ++row) {
    double* sums = out + row * k;
    std::fill(mixed.begin(), mixed.end(), 0.0);
    if (vote) {
      mixed[static_cast<std::size_t>(answer(block, x, row))] = 1.0;
    } else if (whole) {
      tree.add_answer(block.leaf[row - block.begin], 1.0, mixed.data());
    } else {
      add_shares(tree.tree(), x, row, stack, mixed.data());
    }
    if (groups.empty()) {
      for (std::size_t c = 0; c < k; ++c) sums[c] += weight * mixed[c];
    } else {
      for (std::size_t c = 0; c < k; ++c) sums[c] += weight * mixed[groups[c]] / (vote ? 1.0 : size[groups[c]]);
    }
  }
}

void Forest::add_answers(std::span<const std::int64_t> chosen, std::span<const double> weights, const Matrix& x,
                         Combine combine, double* out, const Work& work) const {
  for_blocks(chosen, x, work, [&](const Block& block) {
    add_block(block, weights.empty() ? 1.0 : weights[block.place], x, combine, out);
  });
}

void Forest::answers(std::span<const std::int64_t> chosen, const Matrix& x, double* out, const Work& work) const {
  for_blocks(chosen, x, work, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row)
      out[block.place * x.n_rows + row] = answer(block, x, row);
  });
}

void Forest::apply(const Matrix& x, NodeId* out, const Work& work) const {
  std::vector<std::int64_t> everyone(size());
  std::iota(everyone.begin(), everyone.end(), std::int64_t{0});
  for_blocks(everyone, x, work, [&](const Block& block) {
    for (std::size_t row = block.begin; row < block.end; ++row)
      out[row * size() + block.member] = block.leaf[row - block.begin];
  });
}

}  // namespace spinney
