#include "spinney/forest/shrinkage.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/forest/out_of_bag.hpp"
#include "spinney/tree/shrink.hpp"

namespace spinney {

namespace {

constexpr std::size_t kMostSums = std::size_t{1} << 25;  // 256 MB of answers
constexpr std::uint32_t kNoSlot = 0xffffffffU;

std::vector<RowIndex> rows_left_out(const Target& target, const DrawnMember& drawn) {
  const std::vector<double> counts = drawn.sampling->counts_by_row(target, drawn.member);
  std::vector<RowIndex> rows;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    if (target.weight[row] > 0.0 && counts[row] == 0.0) rows.push_back(static_cast<RowIndex>(row));
  }
  return rows;
}

}  // namespace

/// A tree and the leaves that some rows reach. A row in several of them, by shares, has as many entries in a row.
struct ShrinkageTrial::Reached {
  Tree tree;
  std::vector<std::int32_t> groups;
  std::vector<std::uint32_t> slot;
  std::vector<NodeId> leaf;
  std::vector<double> share;  // empty: all 1
};

ShrinkageTrial::ShrinkageTrial(const Target& target, std::vector<double> strengths, const std::string& objective,
                               Combine combine)
    : target_(target),
      strengths_(std::move(strengths)),
      judge_(bag_judge(objective, target)),
      combine_(combine),
      slot_(target.n_rows(), kNoSlot) {
  std::vector<RowIndex> used;
  for (std::size_t row = 0; row < target.n_rows(); ++row) {
    if (target.weight[row] > 0.0) used.push_back(static_cast<RowIndex>(row));
  }
  const std::size_t a_row = target.n_outputs() * std::max<std::size_t>(strengths_.size(), 1);
  const std::size_t step = used.size() * a_row / kMostSums + 1;
  for (std::size_t i = 0; i < used.size(); i += step) {
    slot_[used[i]] = static_cast<std::uint32_t>(row_.size());
    row_.push_back(used[i]);
  }
  sum_.assign(strengths_.size(), std::vector<double>(row_.size() * target.n_outputs(), 0.0));
  n_votes_.assign(row_.size(), 0);
}

ShrinkageTrial::Reached ShrinkageTrial::reach(Tree tree, std::vector<std::int32_t> groups, const Matrix& x,
                                              std::span<const RowIndex> rows, Interrupt& interrupt) const {
  Reached out{std::move(tree), std::move(groups), {}, {}, {}};
  std::vector<RowIndex> judged;
  for (const RowIndex row : rows) {
    if (slot_[row] != kNoSlot) judged.push_back(row);
  }
  if (out.tree.missing != MissingRule::fractional) {
    for (const RowIndex row : judged) out.slot.push_back(slot_[row]);
    out.leaf.resize(judged.size());
    Predictor(out.tree).leaves(out.tree, x, judged, out.leaf.data(), interrupt);
    return out;
  }
  std::vector<Share> stack;
  for (const RowIndex row : judged) {
    interrupt.check();
    visit_path(out.tree, x, row, stack, [&](NodeId node, double share) {
      if (!out.tree.is_leaf(node)) return;
      out.slot.push_back(slot_[row]);
      out.leaf.push_back(node);
      out.share.push_back(share);
    });
  }
  return out;
}

void ShrinkageTrial::add_tree(const Tree& tree, const Matrix& x, std::span<const RowIndex> rows, Interrupt& interrupt) {
  ThreadTeam alone(1);
  const Reached reached = reach(tree, {}, x, rows, interrupt);
  add({&reached, 1}, alone, interrupt);
}

void ShrinkageTrial::add_members(const Forest& forest, std::span<const DrawnMember> members, const Matrix& x,
                                 ThreadTeam& team, Interrupt& interrupt) {
  std::vector<Reached> batch;
  for (std::size_t begin = 0; begin < members.size(); begin += batch.size()) {
    batch.clear();
    batch.resize(std::min(2 * team.size(), members.size() - begin));
    team.run(batch.size(), [&](std::size_t i, std::size_t) {
      interrupt.check();
      const DrawnMember& drawn = members[begin + i];
      const Member& member = forest.member(drawn.member);
      batch[i] = reach(member.tree.unpack(), member.groups, x, rows_left_out(target_, drawn), interrupt);
    });
    add(batch, team, interrupt);
  }
}

void ShrinkageTrial::add(std::span<const Reached> batch, ThreadTeam& team, Interrupt& interrupt) {
  team.run(strengths_.size(), [&](std::size_t s, std::size_t) {
    for (const Reached& reached : batch) {
      interrupt.check();
      add_answers(s, reached);
    }
  });
  for (const Reached& reached : batch) {
    for (std::size_t i = 0; i < reached.slot.size(); ++i) {
      if (i == 0 || reached.slot[i] != reached.slot[i - 1]) ++n_votes_[reached.slot[i]];
    }
  }
}

void ShrinkageTrial::add_answers(std::size_t s, const Reached& reached) {
  const Tree& tree = reached.tree;
  const std::vector<double> answers = shrunk_answers(tree, strengths_[s]);
  const std::size_t width = tree.n_outputs(), k = target_.n_outputs();
  const bool vote = combine_ == Combine::vote && tree.n_classes > 0;
  double size[2] = {0.0, 0.0};  // of groups of classes
  for (const std::int32_t g : reached.groups) size[g] += 1.0;
  std::vector<double> mixed(width);
  for (std::size_t i = 0; i < reached.slot.size();) {
    const std::uint32_t slot = reached.slot[i];
    std::fill(mixed.begin(), mixed.end(), 0.0);
    for (; i < reached.slot.size() && reached.slot[i] == slot; ++i) {
      const double share = reached.share.empty() ? 1.0 : reached.share[i];
      const double* const answer = answers.data() + static_cast<std::size_t>(reached.leaf[i]) * width;
      for (std::size_t c = 0; c < width; ++c) mixed[c] += share * answer[c];
    }
    if (vote) {
      const ClassCode label = tree.cheapest(mixed.data());
      std::fill(mixed.begin(), mixed.end(), 0.0);
      mixed[label] = 1.0;
    }
    double* const sums = sum_[s].data() + slot * k;
    for (std::size_t c = 0; c < k; ++c) {
      sums[c] += reached.groups.empty() ? mixed[c] : mixed[reached.groups[c]] / (vote ? 1.0 : size[reached.groups[c]]);
    }
  }
}

double ShrinkageTrial::row_loss(std::size_t s, std::size_t slot) const {
  const std::size_t k = target_.n_outputs();
  const double* const sums = sum_[s].data() + slot * k;
  const RowIndex row = row_[slot];
  if (target_.n_classes == 0) {
    const double mean = sums[0] / static_cast<double>(n_votes_[slot]);
    return judge_.cost(mean, Judge::target_row(target_, row));
  }
  const double total = std::accumulate(sums, sums + k, 0.0);
  double loss = 0.0;
  for (std::size_t c = 0; c < k; ++c) {
    const double share = total > 0.0 ? sums[c] / total : 1.0 / static_cast<double>(k);
    const double off = share - (static_cast<std::size_t>(target_.codes[row]) == c ? 1.0 : 0.0);
    loss += off * off;
  }
  return loss;
}

std::vector<double> ShrinkageTrial::losses() const {
  std::vector<double> out(strengths_.size(), kNaN);
  for (std::size_t s = 0; s < strengths_.size(); ++s) {
    double total = 0.0, weight = 0.0;
    for (std::size_t slot = 0; slot < row_.size(); ++slot) {
      if (n_votes_[slot] == 0) continue;
      const double w = target_.weight[row_[slot]] * (target_.n_classes > 0 ? target_.scale_of(row_[slot]) : 1.0);
      total += w * row_loss(s, slot);
      weight += w;
    }
    if (weight > 0.0) out[s] = total / weight;
  }
  return out;
}

}  // namespace spinney
