#include "spinney/grow/sorted_store.hpp"

#include <algorithm>
#include <cmath>

#include "spinney/multiversion.hpp"

namespace spinney {

namespace {

constexpr std::uint8_t kBoth = 3;                 // while a node is shared out
constexpr std::size_t kParallelEntries = 1 << 16;  // below this, waking threads costs more than it saves

/// Stable: left entries close up in place, right ones go by way of spare memory.
///   [ l r r l m ] -> [ l l | r r m ]
SPINNEY_MULTIVERSION
void divide_entries(Entry* entries, std::size_t n, const std::uint8_t* side, Entry* spare, std::size_t n_left) {
  std::size_t left = 0, right = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Entry entry = entries[i];
    const std::size_t goes_right = side[entry.sample];
    entries[left] = entry;
    spare[right] = entry;
    left += 1 - goes_right;
    right += goes_right;
  }
  std::copy(spare, spare + right, entries + n_left);
}

/// Only one child goes on: its entries close up at the front.
SPINNEY_MULTIVERSION
void keep_entries(Entry* entries, std::size_t n, const std::uint8_t* side, std::uint8_t kept) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Entry entry = entries[i];
    entries[out] = entry;
    out += side[entry.sample] == kept ? 1 : 0;
  }
}

}  // namespace

FeatureResult SortedStore::search(const NodeRows& rows, FeatureIndex feature, const Scan& scan, const Totals& totals,
                                  const Limits& limits, bool any, std::size_t worker) {
  const std::span<const Entry> all = rows.column(feature);
  const auto entries = all.first(count_observed(all.data(), all.size()));
  FeatureResult result;
  result.constant = entries.empty() || entries.front().rank == entries.back().rank;
  if (result.constant || entries.size() < 2 * limits.rows) return result;
  Scratch& scratch = scratch_[worker];
  const bool complete = entries.size() == all.size();
  const Totals observed = complete ? Totals{} : scan.totals_of(entries, totals);
  const Totals& here = complete ? totals : observed;
  if (data_.columns[feature].kind == ColumnKind::nominal) {
    result.split = best_nominal(scan, feature, entries, here, limits, any, samples_, scratch);
    return result;
  }
  Cut cut;
  if (any) {
    if (const auto position = first_cut(entries, here, limits, samples_)) cut = {0.0, *position};
  } else {
    cut = scan.best_cut(entries, here, limits, scratch);
  }
  if (cut.found()) {
    result.split.drop = cut.drop;
    result.split.position = cut.position;
    result.split.test.kind = TestKind::threshold;
    result.split.test.feature = feature;
  }
  return result;
}

void SortedStore::complete(const NodeRows& rows, Split& split) const {
  if (split.test.kind != TestKind::threshold) return;
  const FeatureIndex f = split.test.feature;
  const Entry* entries = rows.column(f).data();
  const auto value = [&](std::size_t i) { return data_.values.at(samples_.row[entries[i].sample], f); };
  split.test.threshold = cut_between(value(split.position), value(split.position + 1));
}

Sides SortedStore::mark(const NodeRows& rows, const Split& split) {
  const auto entries = rows.column(split.test.feature);
  const std::size_t n_observed = count_observed(entries.data(), entries.size());
  if (split.test.kind == TestKind::threshold) {
    for (std::size_t i = 0; i < n_observed; ++i) side_[entries[i].sample] = i <= split.position ? kLeft : kRight;
  } else {
    auto code = split.test.codes.begin();  // both ascend
    for (std::size_t i = 0; i < n_observed; ++i) {
      while (static_cast<std::uint32_t>(code->first) != entries[i].rank) ++code;
      side_[entries[i].sample] = static_cast<std::uint8_t>(code->second);
    }
  }
  Sides sides{side_.data()};
  sides.complete = n_observed == entries.size();
  for (std::size_t i = 0; i < n_observed; ++i) {
    (side_[entries[i].sample] == kLeft ? sides.left : sides.right) += samples_.weight[entries[i].sample];
  }
  for (std::size_t i = n_observed; i < entries.size(); ++i) side_[entries[i].sample] = kUnknown;
  return sides;
}

void SortedStore::place_unknown(const NodeRows& rows, FeatureIndex split_feature, const Fork& fork) {
  const auto entries = rows.column(split_feature);
  for (const Entry& entry : entries.subspan(count_observed(entries.data(), entries.size()))) {
    side_[entry.sample] = static_cast<std::uint8_t>(fork.branch(data_.values, samples_.row[entry.sample]));
  }
}

void SortedStore::share_unknown(const NodeRows& rows, FeatureIndex split_feature, double left_share) {
  twin_of_.clear();
  const auto entries = rows.column(split_feature);
  const std::size_t n_observed = count_observed(entries.data(), entries.size());
  if (n_observed == entries.size()) return;
  if (samples_.is_unit()) samples_.split_weight.assign(samples_.size(), samples_.unit_weight);
  samples_.equal_weights = false;
  twin_of_.resize(samples_.size(), kAbsent);
  for (const Entry& entry : entries.subspan(n_observed)) {
    const SampleIndex s = entry.sample;
    twin_of_[s] = static_cast<SampleIndex>(samples_.size());
    samples_.row.push_back(samples_.row[s]);
    if (!samples_.label.empty()) samples_.label.push_back(samples_.label[s]);
    if (!samples_.is_one.empty()) samples_.is_one.push_back(samples_.is_one[s]);
    if (!samples_.y.empty()) samples_.y.push_back(samples_.y[s]);
    samples_.weight.push_back(samples_.weight[s] * (1.0 - left_share));
    samples_.split_weight.push_back(samples_.split_weight[s] * (1.0 - left_share));
    samples_.weight[s] *= left_share;
    samples_.split_weight[s] *= left_share;
    side_[s] = kBoth;
    side_.push_back(kRight);
  }
}

void SortedStore::list(const NodeRows& rows, FeatureIndex split_feature, Side side,
                       std::vector<SampleIndex>& out) const {
  out.clear();
  for (const Entry& entry : rows.column(split_feature)) {
    const std::uint8_t at = side_[entry.sample];
    if (at == side) out.push_back(entry.sample);
    if (at == kBoth) out.push_back(side == kLeft ? entry.sample : twin_of_[entry.sample]);
  }
}

std::pair<NodeRows, NodeRows> SortedStore::divide(const NodeRows& rows, std::span<const FeatureIndex> columns,
                                                  std::size_t n_left, std::size_t n_right, bool keep_left,
                                                  bool keep_right, ThreadTeam& team) {
  if (has_shares()) return divide_shares(rows, columns, n_left, n_right);
  const bool both = keep_left && keep_right;
  const auto move_column = [&](std::size_t c, std::size_t worker) {
    Entry* entries = rows.block->column(columns[c]) + rows.begin;
    if (both) {
      if (spare_[worker].size() < rows.size()) spare_[worker].resize(rows.size());
      divide_entries(entries, rows.size(), side_.data(), spare_[worker].data(), n_left);
    } else {
      keep_entries(entries, rows.size(), side_.data(), keep_left ? kLeft : kRight);
    }
  };
  if (keep_left || keep_right) {
    if (rows.size() * columns.size() >= kParallelEntries) {
      team.run(columns.size(), move_column);
    } else {
      for (std::size_t c = 0; c < columns.size(); ++c) move_column(c, 0);
    }
  }
  const std::size_t middle = rows.begin + (both ? n_left : 0);
  return {NodeRows{rows.block, rows.begin, rows.begin + n_left}, NodeRows{rows.block, middle, middle + n_right}};
}

/// Children that share rows need more room than their parent had: each gets a block of its own.
std::pair<NodeRows, NodeRows> SortedStore::divide_shares(const NodeRows& rows, std::span<const FeatureIndex> columns,
                                                         std::size_t n_left, std::size_t n_right) {
  NodeRows left{std::make_shared<SortedColumns>(rows.block->n_columns(), n_left), 0, n_left};
  NodeRows right{std::make_shared<SortedColumns>(rows.block->n_columns(), n_right), 0, n_right};
  for (const FeatureIndex f : columns) {
    Entry* to_left = left.block->column(f);
    Entry* to_right = right.block->column(f);
    for (const Entry& entry : rows.column(f)) {
      const std::uint8_t side = side_[entry.sample];
      if (side == kLeft || side == kBoth) *to_left++ = entry;
      if (side == kRight) *to_right++ = entry;
      if (side == kBoth) *to_right++ = {entry.rank, twin_of_[entry.sample]};
    }
  }
  return {std::move(left), std::move(right)};
}

}  // namespace spinney
