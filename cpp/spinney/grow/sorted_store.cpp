#include "spinney/grow/sorted_store.hpp"

#include <algorithm>
#include <utility>

#include "spinney/data/cut.hpp"
#include "spinney/data/ties.hpp"

namespace spinney {

namespace {

constexpr std::size_t kParallelEntries = 1 << 16;  // below this, waking threads costs more than it saves

// kTies: whether entries may be tied. Where none are, marks stay as they are.

/// Stable: left entries close up in place, right ones go by way of spare memory.
///   [ l r r l m ] -> [ l l | r r m ]
template <bool kTies>
void divide_entries(Entry* entries, std::size_t n, const std::uint8_t* side, Entry* spare, std::size_t n_left) {
  std::size_t left = 0, right = 0;
  KeptTies left_ties, right_ties;
  for (std::size_t i = 0; i < n; ++i) {  // writes both ways and keeps one: nothing to guess
    const Entry entry = entries[i];
    const std::uint32_t goes_right = side[entry.sample()];
    entries[left] = kTies ? left_ties.take(entry, 1 - goes_right) : entry;
    spare[right] = kTies ? right_ties.take(entry, goes_right) : entry;
    left += 1 - goes_right;
    right += goes_right;
  }
  std::copy(spare, spare + right, entries + n_left);
}

/// Only the left child goes on: its entries close up at the front.
template <bool kTies>
void keep_left_entries(Entry* entries, std::size_t n, const std::uint8_t* side) {
  std::size_t out = 0;
  KeptTies ties;
  for (std::size_t i = 0; i < n; ++i) {
    const Entry entry = entries[i];
    const std::uint32_t stays = 1U - side[entry.sample()];
    entries[out] = kTies ? ties.take(entry, stays) : entry;
    out += stays;
  }
}

/// Only the right child goes on: its entries close up at the back.
template <bool kTies>
void keep_right_entries(Entry* entries, std::size_t n, const std::uint8_t* side) {
  std::size_t out = n;
  for (std::size_t i = n; i-- > 0;) {
    const Entry entry = entries[i];
    const std::uint32_t stays = side[entry.sample()];
    if (kTies) {  // the last that stayed is tied to none before this one if this one is not; there may be none yet
      Entry& last = entries[std::min(out, n - 1)];
      last = last.marked(entry.mark() & (stays - 1U));
    }
    entries[out - 1] = entry;
    out -= stays;
  }
}

/// Divides one column of a node.
template <bool kTies>
void divide_column_of(std::span<Entry> entries, const DivisionPlan& plan, const std::uint8_t* side,
                      std::vector<Entry>& spare) {
  const std::size_t n = entries.size();
  if (plan.keep_left && plan.keep_right) {
    if (spare.size() < n) spare.resize(n);
    divide_entries<kTies>(entries.data(), n, side, spare.data(), plan.n_left);
  } else if (plan.keep_left) {
    keep_left_entries<kTies>(entries.data(), n, side);
  } else if (plan.keep_right) {
    keep_right_entries<kTies>(entries.data(), n, side);
  }
}

}  // namespace

/// Sorts the entries of every column into the leaves, in a stable way.
std::vector<NodeRows> SortedStore::start(std::span<const NodeId> leaf, std::size_t n_leaves) {
  std::vector<std::size_t> begin(n_leaves + 1, 0);
  for (const NodeId b : leaf) ++begin[b + 1];
  for (std::size_t b = 0; b < n_leaves; ++b) begin[b + 1] += begin[b];
  if (n_leaves > 1) {
    std::vector<Entry> spare(leaf.size());
    for (std::size_t f = 0; f < sorted_->n_columns(); ++f) {
      std::vector<std::size_t> at = begin;
      Entry* column = sorted_->column(f);
      DealtTies ties(n_leaves);
      for (std::size_t i = 0; i < leaf.size(); ++i) {
        const NodeId b = leaf[column[i].sample()];
        ties.pass(column[i]);
        spare[at[b]++] = ties.deal(column[i], b);
      }
      std::copy(spare.begin(), spare.end(), column);
    }
  }
  std::vector<NodeRows> rows;
  for (std::size_t b = 0; b < n_leaves; ++b) rows.push_back({sorted_, begin[b], begin[b + 1]});
  sorted_.reset();
  return rows;
}

BlockView SortedStore::blocks_of(FeatureIndex feature) const {
  const std::size_t first = static_cast<std::size_t>(feature) * BlockCodes::kBlocks;
  return {sums_.size, sums_.weight.data() + first, sums_.ones.data() + first, reached_[feature]};
}

void SortedStore::use_blocks(const BlockCodes& codes, const NodeRows& rows, const RootTask& task) {
  sums_ = BlockSums(codes, samples_);
  reached_.assign(data_.columns.size(), -kInfinity);
  for (std::size_t f = 0; f < reached_.size(); ++f) {
    const auto entries = rows.column(f);
    const bool numeric = data_.columns[f].kind != ColumnKind::nominal;
    if (numeric && count_observed(entries.data(), entries.size()) == entries.size())
      reached_[f] = task.scan.blocks()->best_between_blocks(entries, blocks_of(static_cast<FeatureIndex>(f)),
                                                            task.totals, task.limits);
  }
  if (task.best_only) std::fill(reached_.begin(), reached_.end(), *std::max_element(reached_.begin(), reached_.end()));
}

void SortedStore::search(const NodeRows& rows, const SearchTask& task, ColumnResult& result, std::size_t worker) {
  const auto& [feature, scan, totals, limits, path, missing] = task;
  const std::span<const Entry> all = rows.column(feature);
  const auto entries = all.first(count_observed(all.data(), all.size()));
  if (places_gaps(missing) && entries.size() < all.size())
    return search_with_gaps({all, entries.size()}, task, false, result, scratch_[worker]);
  result.constant = all_tied(entries);
  if (result.constant || entries.size() < 2 * limits.rows) return;
  Scratch& scratch = scratch_[worker];
  const bool complete = entries.size() == all.size();
  std::optional<Totals> observed;
  if (!complete) observed = scan.totals_of(entries, totals);
  const Totals& here = complete ? totals : *observed;
  if (data_.columns[feature].kind == ColumnKind::nominal) {
    result.split = scan.best_nominal(feature, entries, here, limits, scratch);
    return;
  }
  const bool by_blocks = complete && !sums_.weight.empty() && entries.size() == samples_.size();
  const Cut cut = by_blocks ? scan.blocks()->best_cut_by_blocks(entries, blocks_of(feature), here, limits)
                            : scan.best_cut(entries, here, limits, scratch);
  fill_in(result, feature, cut, limits);
}

void SortedStore::search_with_gaps(const GapEntries& entries, const SearchTask& task, bool ordered,
                                   ColumnResult& result, Scratch& scratch) const {
  const auto& [feature, scan, totals, limits, path, missing] = task;
  result.constant = entries.n_known == 0;
  if (result.constant || entries.all.size() < 2 * limits.rows) return;
  if (data_.columns[feature].kind == ColumnKind::nominal) {
    result.split = scan.best_nominal(feature, entries.all, totals, limits, scratch);
    take_gaps_out(result.split, static_cast<std::int32_t>(entries.n_known));
    return;
  }
  const GapCut found = best_gap_cut(scan, missing, entries, totals, limits, ordered, scratch);
  fill_in(result, feature, found.cut, limits);
  result.split.gap_branch = found.branch;
  if (found.apart) result.split.test.threshold = kInfinity;
}

void SortedStore::fill_in(ColumnResult& result, FeatureIndex feature, const Cut& cut, const Limits& limits) {
  if (!cut.found()) return;
  result.ordered = !limits.order.active();
  result.split.drop = cut.drop;
  result.split.position = cut.position;
  result.split.test.kind = TestKind::threshold;
  result.split.test.feature = feature;
}

void SortedStore::reorder(const NodeRows& rows, const SearchTask& task, ColumnResult& result, std::size_t worker) {
  const auto& [feature, scan, totals, limits, path, missing] = task;
  const std::span<const Entry> all = rows.column(feature);
  const auto entries = all.first(count_observed(all.data(), all.size()));
  const Cut best{result.split.drop, result.split.position};
  result.clear();
  if (places_gaps(missing) && entries.size() < all.size())
    return search_with_gaps({all, entries.size()}, task, true, result, scratch_[worker]);
  const bool complete = entries.size() == all.size();
  const Totals observed = complete ? Totals{} : scan.totals_of(entries, totals);
  const Totals& here = complete ? totals : observed;
  fill_in(result, feature, scan.best_ordered_cut(best, entries, here, limits, scratch_[worker]), limits);
}

void SortedStore::complete(const NodeRows& rows, Split& split, std::size_t) const {
  if (split.test.kind == TestKind::expression || split.test.threshold == kInfinity) return;
  const FeatureIndex f = split.test.feature;
  const Entry* entries = rows.column(f).data();
  if (split.test.kind == TestKind::subset) {
    for (auto& [code, branch] : split.test.codes) code = category_of(data_, samples_, f, entries[code].sample());
    return;
  }
  const auto value = [&](std::size_t i) { return data_.values.at(samples_.row[entries[i].sample()], f); };
  split.test.threshold = cut_between(value(split.position), value(split.position + 1));
}

bool SortedStore::locate(const NodeRows& rows, Split& split) const {
  if (split.test.kind == TestKind::expression) return true;
  const FeatureIndex f = split.test.feature;
  const auto all = rows.column(f);
  const auto entries = all.first(count_observed(all.data(), all.size()));
  if (split.test.kind == TestKind::threshold) {
    const auto low = [&](const Entry& entry) {
      return data_.values.at(samples_.row[entry.sample()], f) <= split.test.threshold;
    };
    const auto n_low = static_cast<std::size_t>(std::ranges::partition_point(entries, low) - entries.begin());
    split.position = static_cast<std::uint32_t>(n_low - 1);
    return n_low > 0 && (n_low < entries.size() || split.test.threshold == kInfinity);
  }
  const auto named = std::exchange(split.test.codes, {});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && entries[i].tied()) continue;
    const std::int32_t code = category_of(data_, samples_, f, entries[i].sample());
    const auto found = std::ranges::lower_bound(named, code, {}, [](const auto& pair) { return pair.first; });
    split.test.codes.emplace_back(code, found != named.end() && found->first == code ? found->second : 1);
  }
  return true;
}

void SortedStore::mark_expression(const NodeRows& rows, const Test& test, Marks& marks) {
  Sides& sides = marks.sides;
  for (const Entry& entry : rows.column(marks.column)) {
    const std::int32_t branch = branch_of(test.tokens, data_.values, samples_.row[entry.sample()]);
    if (branch == kNoBranch) {
      side_[entry.sample()] = kUnknown;
      marks.unknown.push_back(entry.sample());
    } else {
      side_[entry.sample()] = static_cast<std::uint8_t>(branch);
      (branch == 0 ? sides.left : sides.right) += samples_.weight[entry.sample()];
    }
  }
  sides.complete = marks.unknown.empty();
}

// In both loops sums and bounds are locals: the compiler must take it that a byte of side_ could be any of them.

void SortedStore::mark_cut(std::span<const Entry> entries, std::size_t n_low, Sides& sides) {
  std::uint8_t* const side = side_.data();
  if (samples_.weight.is_equal()) {
    for (const Entry& entry : entries.first(n_low)) side[entry.sample()] = kLeft;
    for (const Entry& entry : entries.subspan(n_low)) side[entry.sample()] = kRight;
    sides.left = static_cast<double>(n_low) * samples_.weight.unit;
    sides.right = static_cast<double>(entries.size() - n_low) * samples_.weight.unit;
    return;
  }
  const double* const weight = samples_.weight.values.data();
  double left = 0.0, right = 0.0;
  for (const Entry& entry : entries.first(n_low)) {
    side[entry.sample()] = kLeft;
    left += weight[entry.sample()];
  }
  for (const Entry& entry : entries.subspan(n_low)) {
    side[entry.sample()] = kRight;
    right += weight[entry.sample()];
  }
  sides.left = left;
  sides.right = right;
}

void SortedStore::mark_subset(std::span<const Entry> entries, const Test& test, Sides& sides) {
  std::uint8_t* const side = side_.data();
  const double* const weight = samples_.weight.values.data();
  double left = 0.0, right = 0.0;
  auto code = test.codes.begin();  // ascends with the entries: it names every category that they hold
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && !entries[i].tied()) ++code;
    const SampleIndex s = entries[i].sample();
    side[s] = static_cast<std::uint8_t>(code->second);
    left += code->second == 0 ? weight[s] : 0.0;
    right += code->second == 0 ? 0.0 : weight[s];
  }
  sides.left = left;
  sides.right = right;
}

Marks SortedStore::mark(const NodeRows& rows, const Split& split, bool alone, std::size_t) {
  Marks marks{.sides = {.of = side_.data()}, .column = column_of(split.test)};
  if (split.test.kind == TestKind::expression) {
    mark_expression(rows, split.test, marks);
    return marks;
  }
  const auto entries = rows.column(marks.column);
  const std::size_t n_observed = count_observed(entries.data(), entries.size());
  const bool threshold = split.test.kind == TestKind::threshold;
  Sides& sides = marks.sides;
  sides.complete = n_observed == entries.size();
  marks.parted = threshold && sides.complete;
  marks.n_low = split.position + 1;
  if (marks.parted && alone && samples_.weight.is_equal()) {
    sides.left = static_cast<double>(marks.n_low) * samples_.weight.unit;
    sides.right = static_cast<double>(entries.size() - marks.n_low) * samples_.weight.unit;
    return marks;
  }
  if (threshold) {
    mark_cut(entries.first(n_observed), marks.n_low, sides);
  } else {
    mark_subset(entries.first(n_observed), split.test, sides);
  }
  for (const Entry& entry : entries.subspan(n_observed)) {
    side_[entry.sample()] = kUnknown;
    marks.unknown.push_back(entry.sample());
  }
  return marks;
}

std::size_t SortedStore::count_left(const NodeRows& rows, const Marks& marks) const {
  if (marks.parted) return marks.n_low;
  std::size_t n = 0;
  for (const Entry& entry : rows.column(marks.column)) n += side_[entry.sample()] == kLeft ? 1 : 0;
  return n;
}

void SortedStore::list(const NodeRows& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const {
  out.clear();
  const auto entries = rows.column(marks.column);
  if (marks.parted) {
    for (const Entry& entry : side == kLeft ? entries.first(marks.n_low) : entries.subspan(marks.n_low))
      out.push_back(entry.sample());
    return;
  }
  for (const Entry& entry : entries) {
    const std::uint8_t at = side_[entry.sample()];
    if (at == side) out.push_back(entry.sample());
    if (at == kBoth) out.push_back(side == kLeft ? entry.sample() : twin_[entry.sample()]);
  }
}

void SortedStore::list_all(const NodeRows& rows, FeatureIndex column, std::vector<SampleIndex>& out) const {
  out.clear();
  for (const Entry& entry : rows.column(column)) out.push_back(entry.sample());
  std::sort(out.begin(), out.end());
}

void SortedStore::divide_column(const NodeRows& rows, const DivisionPlan& plan, FeatureIndex column,
                                std::size_t worker) {
  const std::span<Entry> entries(rows.block->column(static_cast<std::size_t>(column)) + rows.begin, rows.size());
  if (rows.block->has_ties(static_cast<std::size_t>(column))) {
    divide_column_of<true>(entries, plan, side_.data(), spare_[worker]);
  } else {
    divide_column_of<false>(entries, plan, side_.data(), spare_[worker]);
  }
}

std::pair<NodeRows, NodeRows> SortedStore::divide(const NodeRows& rows, const Marks& marks, const DivisionPlan& plan,
                                                  ThreadTeam* team, std::size_t worker) {
  if (marks.shared) return divide_shares(rows, plan);
  const FeatureIndex stays = marks.parted ? marks.column : -1;
  const auto move_column = [&](std::size_t c, std::size_t mover) {
    if (plan.columns[c] != stays) divide_column(rows, plan, plan.columns[c], mover);
  };
  const std::size_t n_moved = plan.keep_left || plan.keep_right ? plan.columns.size() : 0;
  if (team && rows.size() * n_moved >= kParallelEntries) {
    team->run(n_moved, move_column);
  } else {
    for (std::size_t c = 0; c < n_moved; ++c) move_column(c, worker);
  }
  const std::size_t middle = rows.begin + plan.n_left;
  return {NodeRows{rows.block, rows.begin, middle}, NodeRows{rows.block, middle, rows.end}};
}

/// Children that share rows need more room than their parent had: each gets a block of its own.
std::pair<NodeRows, NodeRows> SortedStore::divide_shares(const NodeRows& rows, const DivisionPlan& plan) {
  const std::size_t n_columns = rows.block->n_columns();
  NodeRows left{std::make_shared<SortedColumns>(n_columns, plan.n_left), 0, plan.n_left};
  NodeRows right{std::make_shared<SortedColumns>(n_columns, plan.n_right), 0, plan.n_right};
  for (const FeatureIndex f : plan.columns) {
    Entry* to_left = left.block->column(f);
    Entry* to_right = right.block->column(f);
    DealtTies ties(2);
    for (const Entry& entry : rows.column(f)) {
      const std::uint8_t side = side_[entry.sample()];
      ties.pass(entry);
      if (side == kLeft || side == kBoth) *to_left++ = ties.deal(entry, kLeft);
      if (side == kRight) *to_right++ = ties.deal(entry, kRight);
      if (side == kBoth) *to_right++ = ties.deal(entry, kRight).of_sample(twin_[entry.sample()]);
    }
    left.block->set_ties(f, rows.block->has_ties(f));
    right.block->set_ties(f, rows.block->has_ties(f));
  }
  return {std::move(left), std::move(right)};
}

}  // namespace spinney
