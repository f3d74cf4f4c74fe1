#include "spinney/forest/forest.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/parallel.hpp"

namespace spinney {

namespace {

constexpr std::int32_t kMostCodedColumns = 1 << 16;  // codes keep some 200 bytes for each, asked or not
constexpr std::size_t kFewRows = 16;  // fewer do not fill the lanes of one tree: several trees share them
constexpr std::size_t kBlockRows = 1024;
constexpr std::size_t kMostBlockRows = 1 << 14;  // pass one tree while it is in the cache
constexpr std::size_t kBlockBytes = 1 << 24;     // of codes that a thread keeps
constexpr std::uint64_t kWaysANode = 2;          // that are worth the codes of a forest

Arrival step_from(const PackedTree& tree, NodeId at, const Matrix& x, std::size_t row) {
  if (tree.is_leaf(at)) return {at, true};
  return {tree.next(at, x, row), false};
}

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
    n_nodes_ += tree.n_nodes();
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
      [&](std::size_t i, NodeId at) { return step_from(tree, at, x, begin + i); }, leaf);
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
      [&](std::size_t i, NodeId at) { return step_from(tree(i), at, x, begin + i % n); }, leaf);
}

/// What a thread needs for a block of rows.
struct Forest::Scratch {
  CodedForest::Codes codes;
  std::vector<NodeId> leaf;
};

void Forest::run_block(std::span<const std::int64_t> chosen, const RowRange& rows, const CodedForest* coded,
                       Scratch& scratch, const Work& work, const std::function<void(const Block&)>& take) const {
  const std::size_t n = rows.size();
  const bool few = n < kFewRows;
  scratch.codes.forget();
  scratch.leaf.resize(few ? n * chosen.size() : n);
  NodeId* const leaf = scratch.leaf.data();
  if (few) route_few(chosen, rows.x, rows.begin, rows.end, leaf);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    work.interrupt.check();
    const auto member = static_cast<std::size_t>(chosen[i]);
    if (!few) {
      if (coded && coded->has(member)) {
        coded->route(member, members_[member].tree, rows, scratch.codes, leaf);
      } else {
        route(member, rows.x, rows.begin, rows.end, leaf);
      }
    }
    take({i, member, rows.begin, rows.end, few ? leaf + i * n : leaf});
  }
}

void Forest::for_blocks(std::span<const std::int64_t> chosen, const Matrix& x, const Work& work,
                        const std::function<void(const Block&)>& take) const {
  const CodedForest* const coded = this->coded(x.n_rows, chosen.size(), work.interrupt);
  std::size_t block_rows = kBlockRows;
  if (coded) {
    const std::size_t fitting = kBlockBytes / std::max<std::size_t>(coded->bytes_a_row(), 1);
    const std::size_t fair = x.n_rows / (4 * std::max<std::size_t>(work.n_threads, 1));  // so that no thread waits long
    const auto worth_a_tree = static_cast<std::size_t>(n_nodes_ / size());  // whose nodes come into the cache for them
    block_rows = std::clamp(std::min({fitting, fair, worth_a_tree}), kBlockRows, kMostBlockRows);
  }
  const std::size_t n_blocks = (x.n_rows + block_rows - 1) / block_rows;
  const std::size_t n_threads = std::max<std::size_t>(std::min(work.n_threads, n_blocks), 1);
  std::vector<Scratch> scratch(n_threads);
  const auto block = [&](std::size_t b, std::size_t worker) {
    const RowRange rows{x, b * block_rows, std::min(x.n_rows, (b + 1) * block_rows)};
    run_block(chosen, rows, coded, scratch[worker], work, take);
  };
  if (n_threads == 1) {
    for (std::size_t b = 0; b < n_blocks; ++b) block(b, 0);
    return;
  }
  ThreadTeam(n_threads, &work.interrupt).run(n_blocks, block);
}

const CodedForest* Forest::coded(std::size_t n_rows, std::size_t n_chosen, Interrupt& interrupt) const {
  if (n_chosen < 2 || n_features_ > kMostCodedColumns) return nullptr;
  const std::uint64_t asked = coding_->asked += n_rows * n_chosen;
  if (!coding_->ready && asked < kWaysANode * n_nodes_) return nullptr;
  if (!coding_->ready) {
    const std::lock_guard lock(coding_->making);  // no call_once: who makes the codes may be interrupted
    if (!coding_->ready) {
      std::vector<const PackedTree*> trees;
      for (const Member& member : members_) trees.push_back(&member.tree);
      coding_->forest.emplace(trees, static_cast<std::size_t>(n_features_), interrupt);
      coding_->ready = true;
    }
  }
  return &*coding_->forest;
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

/// Adds the answers of leaves where rows went whole and classes were not regrouped.
void Forest::add_leaves(const Block& block, double weight, Combine combine, double* out) const {
  const PackedTree& tree = members_[block.member].tree;
  const std::size_t n = block.end - block.begin, k = n_outputs();
  double* sums = out + block.begin * k;
  if (combine == Combine::vote && n_classes_ > 0) {
    for (std::size_t i = 0; i < n; ++i, sums += k) sums[tree.label(block.leaf[i])] += weight;
    return;
  }
  tree.with_answers([&](const auto* values) {
    if (n_classes_ == 0) {
      for (std::size_t i = 0; i < n; ++i) sums[i] += weight * static_cast<double>(values[block.leaf[i]]);
      return;
    }
    for (std::size_t i = 0; i < n; ++i, sums += k) {
      const auto* own = values + static_cast<std::size_t>(block.leaf[i]) * k;
      double total = 0.0;
      for (std::size_t c = 0; c < k; ++c) total += static_cast<double>(own[c]);
      for (std::size_t c = 0; c < k; ++c)
        sums[c] += weight * (total > 0.0 ? static_cast<double>(own[c]) / total : 1.0 / static_cast<double>(k));
    }
  });
}

void Forest::add_block(const Block& block, double weight, const Matrix& x, Combine combine, double* out) const {
  const auto& [tree, groups] = members_[block.member];
  const std::size_t k = n_outputs();
  const bool vote = combine == Combine::vote && n_classes_ > 0;
  const bool whole = !tree.is_fractional();
  if (whole && groups.empty()) return add_leaves(block, weight, combine, out);
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

std::vector<std::vector<NodeId>> Forest::leaves(std::span<const std::int64_t> chosen, const Matrix& x,
                                                const Work& work) const {
  std::vector<std::vector<NodeId>> out(chosen.size(), std::vector<NodeId>(x.n_rows));
  for_blocks(chosen, x, work, [&](const Block& block) {
    std::copy_n(block.leaf, block.end - block.begin,
                out[block.place].begin() + static_cast<std::ptrdiff_t>(block.begin));
  });
  return out;
}

}  // namespace spinney
