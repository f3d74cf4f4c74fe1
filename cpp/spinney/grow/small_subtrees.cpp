#include "spinney/grow/small_subtrees.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "spinney/data/cut.hpp"
#include "spinney/multiversion.hpp"
#include "spinney/prefetch.hpp"
#include "spinney/splits/moments.hpp"
#include "spinney/tolerance.hpp"

#ifdef SPINNEY_HAS_VERSIONS
#include <immintrin.h>
#endif

namespace spinney {

namespace {

/// Those of n ids that are in a set, in their order. May write 64 ids more.
template <std::size_t kWords>
void keep_one_by_one(const std::uint8_t* ids, std::size_t n, const RowSet<kWords>& set, std::uint8_t* out) {
  for (std::size_t i = 0; i < n; ++i) {  // writes all and keeps some: nothing to guess
    *out = ids[i];
    out += set.has(ids[i]);
  }
}

#ifdef SPINNEY_HAS_VERSIONS

#define SPINNEY_AVX512 [[gnu::target("avx512f,avx512bw,avx512bitalg,avx512vbmi,avx512vbmi2,popcnt")]]

constexpr std::uint64_t first_bits(std::size_t n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

/// The same, 64 at a time.
SPINNEY_AVX512 void keep_together(const std::uint8_t* ids, std::size_t n, const RowSet<1>& set, std::uint8_t* out) {
  const __m512i all = _mm512_loadu_si512(ids);
  const __m512i members = _mm512_set1_epi64(static_cast<long long>(set.words[0]));
  const __mmask64 kept = _mm512_bitshuffle_epi64_mask(members, all) & first_bits(n);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, all));
}

SPINNEY_AVX512 void keep_together(const std::uint8_t* ids, std::size_t n, const RowSet<4>& set, std::uint8_t* out) {
  const __m512i members =
      _mm512_maskz_broadcast_i64x4(0xff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(set.words.data())));
  const __m512i bits = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201ULL));  // 1 << i in byte i
  for (std::size_t begin = 0; begin < n; begin += 64) {
    const __m512i all = _mm512_loadu_si512(ids + begin);
    const __m512i byte = _mm512_and_si512(_mm512_srli_epi16(all, 3), _mm512_set1_epi8(31));
    const __m512i bit = _mm512_shuffle_epi8(bits, _mm512_and_si512(all, _mm512_set1_epi8(7)));
    const __mmask64 kept =
        _mm512_test_epi8_mask(_mm512_maskz_permutexvar_epi8(~__mmask64{0}, byte, members), bit) & first_bits(n - begin);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, all));
    out += __builtin_popcountll(kept);
  }
}

#endif

template <std::size_t kWords>
void keep_members(const std::uint8_t* ids, std::size_t n, const RowSet<kWords>& set, std::uint8_t* out) {
#ifdef SPINNEY_HAS_VERSIONS
  if (kInstructions.avx512) return keep_together(ids, n, set, out);
#endif
  keep_one_by_one(ids, n, set, out);
}

}  // namespace

SmallSearch::SmallSearch(const GrowParams& params, const Target& target, const Samples& samples, const Limits& limits)
    : least_(limits.rows),
      most_rows_(kInstructions.avx512 ? SubtreesOf<4>::kRows : SubtreesOf<1>::kRows),
      unit_(samples.weight.unit) {
  if (small_task(params, target, samples, limits) == SmallTask::none) return;
  const std::vector<std::uint8_t>& times = samples.weight.times;
  const std::size_t most = samples.weight.is_equal() ? 1 : *std::max_element(times.begin(), times.end());
  inverse_ = make_inverses(most * most_rows_);
}

template <bool kTies>
Cut SmallSearch::classes(const Rows& rows, const std::uint8_t* tally, std::uint32_t units, std::uint32_t ones) const {
  const std::uint8_t* const ids = rows.order;
  const double* const inverse = inverse_.data();
  const double slack = rows.slack / 2.0 / unit_, all_ones = ones;
  const std::size_t last = rows.n - least_;
  std::uint32_t left_units = 0, left_ones = 0;
  Moment best;
  const auto add = [&](std::size_t i) {
    const std::uint32_t counted = tally[ids[i]], times = counted >> 1;
    left_units += times;
    left_ones += times & (0U - (counted & 1U));
  };
  for (std::size_t i = 0; i + 1 < least_; ++i) add(i);
  for (std::size_t i = least_ - 1; i < last; ++i) {
    add(i);
    if (kTies && rows.rank[ids[i]] == rows.rank[ids[i + 1]]) continue;
    const double left = left_ones, right = all_ones - left;
    const double score = left * left * inverse[left_units] + right * right * inverse[units - left_units];
    if (score > best.score + slack) best = {score, static_cast<std::uint32_t>(i)};
  }
  return {2.0 * (best.score - all_ones * all_ones * inverse[units]) * unit_, best.position};
}

Cut SmallSearch::best_of_classes(const Rows& rows, const std::uint8_t* tally, std::uint32_t units,
                                 std::uint32_t ones) const {
  return rows.rank ? classes<true>(rows, tally, units, ones) : classes<false>(rows, tally, units, ones);
}

Cut SmallSearch::best_of_numbers(const Rows& rows, const double* moment, const std::uint8_t* times,
                                 std::uint32_t units) const {
  const std::uint8_t* const ids = rows.order;
  const double* const inverse = inverse_.data();
  const double slack = rows.slack / unit_;
  const std::size_t last = rows.n - least_;
  double left = 0.0;
  std::uint32_t left_units = 0;
  Moment best;
  for (std::size_t i = 0; i < last; ++i) {
    left_units += times ? times[ids[i]] : 1U;
    left += moment[ids[i]];
    if (i + 1 < least_ || (rows.rank && rows.rank[ids[i]] == rows.rank[ids[i + 1]])) continue;
    const double right = 0.0 - left;
    const double score = left * left * inverse[left_units] + right * right * inverse[units - left_units];
    if (score > best.score + slack) best = {score, static_cast<std::uint32_t>(i)};
  }
  return {best.score * unit_, best.position};
}

template <std::size_t kWords>
void SubtreesOf<kWords>::expect(const std::vector<FeatureIndex>& columns, std::size_t n) {
  n_ = n;
  slot_.resize(data_.columns.size());
  if (order_.size() >= columns.size()) return;
  order_.resize(columns.size());
  rank_.resize(columns.size());
  tied_.resize(columns.size());
}

template <std::size_t kWords>
void SubtreesOf<kWords>::keep_sums(std::size_t id, SampleIndex s) {
  row_[id] = samples_.row[s];
  times_[id] = samples_.weight.is_equal() ? 1 : samples_.weight.times[s];
  if (target_.n_classes > 0) {
    tally_[id] = static_cast<std::uint8_t>(2 * times_[id] + samples_.label[s]);
  } else {
    y_[id] = samples_.y[s];
  }
}

template <std::size_t kWords>
void SubtreesOf<kWords>::load(const NodeRows& rows, const std::vector<FeatureIndex>& columns, std::uint8_t* place) {
  expect(columns, rows.size());
  for (std::size_t slot = 0; slot < columns.size(); ++slot) {
    const std::span<const Entry> entries = rows.column(static_cast<std::size_t>(columns[slot]));
    slot_[columns[slot]] = slot;
    if (slot == 0) {
      for (std::size_t id = 0; id < n_; ++id) {
        sample_[id] = entries[id].sample();
        place[entries[id].sample()] = static_cast<std::uint8_t>(id);
      }
    }
    std::uint8_t *const order = order_[slot].data(), *const rank = rank_[slot].data();
    std::uint32_t r = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::uint8_t id = place[entries[i].sample()];
      r += i > 0 && !entries[i].tied() ? 1U : 0U;
      order[i] = id;
      rank[id] = static_cast<std::uint8_t>(r);
    }
    tied_[slot] = r + 1 < n_;
  }
  for (std::size_t id = 0; id < n_; ++id) keep_sums(id, sample_[id]);
}

template <std::size_t kWords>
template <std::size_t kMore>
void SubtreesOf<kWords>::load(const SubtreesOf<kMore>& from, const typename SubtreesOf<kMore>::Node& node) {
  const std::vector<FeatureIndex>& columns = *node.columns;
  expect(columns, node.n_rows);
  std::array<std::uint8_t, SubtreesOf<kMore>::kRows> place;     // their ids here, by the ids there
  std::array<std::uint8_t, SubtreesOf<kMore>::kRows + 64> ids;  // there
  for (std::size_t slot = 0; slot < columns.size(); ++slot) {
    const std::size_t theirs = from.slot_[columns[slot]];
    slot_[columns[slot]] = slot;
    from.order_rows(theirs, node, ids.data());
    if (slot == 0) {
      for (std::size_t id = 0; id < n_; ++id) {
        sample_[id] = from.sample_[ids[id]];
        place[ids[id]] = static_cast<std::uint8_t>(id);
      }
    }
    std::uint8_t *const order = order_[slot].data(), *const rank = rank_[slot].data();
    for (std::size_t i = 0; i < n_; ++i) order[i] = place[ids[i]];
    tied_[slot] = 0;
    if (from.tied_[theirs] == 0) continue;
    const std::uint8_t* const before = from.rank_[theirs].data();
    std::uint32_t r = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      r += i > 0 && before[ids[i]] != before[ids[i - 1]] ? 1U : 0U;
      rank[order[i]] = static_cast<std::uint8_t>(r);
    }
    tied_[slot] = r + 1 < n_;
  }
  for (std::size_t id = 0; id < n_; ++id) keep_sums(id, sample_[id]);
}

template <std::size_t kWords>
void SubtreesOf<kWords>::order_rows(std::size_t slot, const Node& node, std::uint8_t* out) const {
  const std::uint8_t* const order = order_[slot].data();
  if (node.n_rows == n_) {
    std::copy(order, order + n_, out);
  } else {
    keep_members(order, n_, node.rows, out);
  }
}

template <std::size_t kWords>
bool SubtreesOf<kWords>::is_constant(std::size_t slot, const Node& node, const std::uint8_t* order) const {
  const std::uint8_t* const rank = rank_[slot].data();
  return tied_[slot] && rank[order[0]] == rank[order[node.n_rows - 1]];
}

/// Of any two rows, whatever the order of the answers.
template <std::size_t kWords>
Cut SubtreesOf<kWords>::best_cut(std::size_t slot, const Node& node, const std::uint8_t* order) const {
  const double slack = tolerance::kDrop * node.loss;
  const SmallSearch::Rows rows{node.n_rows, order, tied_[slot] ? rank_[slot].data() : nullptr, slack};
  const std::uint8_t* const times = samples_.weight.is_equal() ? nullptr : times_.data();
  return target_.n_classes > 0 ? search_.best_of_classes(rows, tally_.data(), node.units, node.ones)
                               : search_.best_of_numbers(rows, moment_.data(), times, node.units);
}

/// The best cut of some columns, ascending: the first of equals. Columns that are constant are noted.
template <std::size_t kWords>
void SubtreesOf<kWords>::search_columns(const Node& node, std::span<const FeatureIndex> columns) {
  const double slack = tolerance::kDrop * node.loss;
  for (const FeatureIndex column : columns) {
    const std::size_t slot = slot_[column];
    std::uint8_t* const order = orders_[best_.order == orders_[0].data() ? 1 : 0].data();
    order_rows(slot, node, order);
    if (is_constant(slot, node, order)) {
      constant_.push_back(column);
      continue;
    }
    if (node.n_rows < 2 * search_.least()) continue;
    const Cut cut = best_cut(slot, node, order);
    if (!cut.found() || (best_.column >= 0 && !(cut.drop > best_.cut.drop + slack))) continue;
    best_ = {column, cut, order};
  }
}

template <std::size_t kWords>
Totals SubtreesOf<kWords>::totals_of(const Node& node) const {
  Totals totals;
  totals.loss = node.loss;
  if (target_.n_classes == 0) {
    totals.weight = node.weight;
    totals.origin = node.origin;
    totals.centred = true;
    return totals;
  }
  const double unit = samples_.weight.unit;
  totals.classes = {(node.units - node.ones) * unit, node.ones * unit};
  totals.weight = totals.classes[0] + totals.classes[1];
  return totals;
}

/// As SplitChooser::best_place: the place of the best cut, the first of equals.
template <std::size_t kWords>
std::size_t SubtreesOf<kWords>::best_place(double slack) const {
  std::size_t best = found_.size();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (found_[i].cut.found() && (best == found_.size() || found_[i].cut.drop > found_[best].cut.drop + slack))
      best = i;
  }
  return best;
}

template <std::size_t kWords>
Cut SubtreesOf<kWords>::best_ordered_cut(const Found& found, const Node& node, const Totals& totals) {
  const std::size_t slot = slot_[found.column];
  std::uint8_t* const order = orders_[0].data();
  order_rows(slot, node, order);
  entries_.resize(node.n_rows);
  for (std::uint32_t i = 0; i < node.n_rows; ++i) {
    const bool tied = i > 0 && tied_[slot] && rank_[slot][order[i]] == rank_[slot][order[i - 1]];
    entries_[i] = Entry(sample_[order[i]], tied);
  }
  const Limits limits{search_.least(), 0.0, {sign_of(params_.monotone, found.column), node.bounds}};
  return scan_.best_ordered_cut(found.cut, entries_, totals, limits, scratch_);
}

/// The same where some columns are constrained: only cuts that would win are asked whether they keep the order.
template <std::size_t kWords>
void SubtreesOf<kWords>::search_in_order(const Node& node, std::span<const FeatureIndex> columns) {
  const Totals totals = totals_of(node);
  const double answer = target_.n_classes > 0 ? totals.classes[1] / totals.weight : totals.origin + samples_.y_shift;
  const bool hopeless = !node.bounds.hold(answer);  // of both sides together it lies between theirs
  std::uint8_t* const order = orders_[0].data();
  found_.clear();
  for (const FeatureIndex column : columns) {
    const std::size_t slot = slot_[column];
    order_rows(slot, node, order);
    const bool constrained = sign_of(params_.monotone, column) != 0;
    if (is_constant(slot, node, order)) {
      constant_.push_back(column);
    } else if (node.n_rows >= 2 * search_.least() && !(constrained && hopeless)) {
      found_.push_back({column, best_cut(slot, node, order), !constrained});
    }
  }
  std::size_t best = best_place(totals.slack());
  while (best < found_.size() && !found_[best].ordered) {
    found_[best].cut = best_ordered_cut(found_[best], node, totals);
    found_[best].ordered = true;
    best = best_place(totals.slack());
  }
  if (best == found_.size()) return;
  order_rows(slot_[found_[best].column], node, order);
  best_ = {found_[best].column, found_[best].cut, order};
}

/// Finds the test of a node, and strikes columns off that are constant.
template <std::size_t kWords>
bool SubtreesOf<kWords>::search(Node& node) {
  if (target_.n_classes == 0) {
    const bool equal = samples_.weight.is_equal();
    for (std::size_t word = 0; word < kWords; ++word) {
      for (std::uint64_t left = node.rows.words[word]; left != 0; left &= left - 1) {
        const std::size_t id = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
        const double distance = y_[id] - node.origin;
        moment_[id] = equal ? distance : times_[id] * distance;
      }
    }
  }
  const double slack = tolerance::kDrop * node.loss;
  const auto best_of = [&](std::span<const FeatureIndex> some) {
    best_ = {};
    constant_.clear();
    params_.monotone.empty() ? search_columns(node, some) : search_in_order(node, some);
    if (!constant_.empty()) {
      std::vector<FeatureIndex> kept = *node.columns;
      for (const FeatureIndex column : constant_) std::erase(kept, column);
      node.columns = std::make_shared<const std::vector<FeatureIndex>>(std::move(kept));
    }
    return best_.column >= 0 && !(best_.cut.drop < -slack);
  };
  bool found = false;
  if (draws_) {
    draw_.start(params_, node.path, *node.columns);
    while (!found && !draw_.empty()) found = best_of(draw_.next());
  } else {
    const ColumnList all = node.columns;
    found = best_of(*all);
  }
  return found && gains_enough(params_, best_.cut.drop, total_weight_);
}

/// What a child knows of itself, and whether it may be divided. Sums of units are exact in any order; numbers are added
/// up in the order of the column that divides the parent.
template <std::size_t kWords>
void SubtreesOf<kWords>::add_child(Node& child, const Node& parent, std::int32_t branch, NodeStats& stats,
                                   bool& goes_on) {
  child.depth = parent.depth + 1;
  child.path = child_path(parent.path, branch);
  child.columns = parent.columns;
  stats.answer.clear();
  bool pure = false;
  if (target_.n_classes > 0) {
    const double unit = samples_.weight.unit;
    pure = describe_classes(target_, (child.units - child.ones) * unit, child.ones * unit, child.n_rows, stats);
    child.loss = stats.weight;
  } else {
    Summary summary = summarizer_.summarize(group_);
    child.origin = summary.totals.origin;
    child.loss = summary.totals.loss;
    child.weight = summary.totals.weight;
    child.units = static_cast<std::uint32_t>(std::round(summary.totals.weight / samples_.weight.unit));
    pure = summary.pure;
    stats = std::move(summary.stats);
  }
  goes_on = may_divide(params_, pure, child.n_rows, child.depth);
}

template <std::size_t kWords>
void SubtreesOf<kWords>::divide(const Node& node, TreeBuilder& builder) {
  const std::uint8_t* const order = best_.order;
  const std::uint32_t n_left = best_.cut.position + 1;
  std::array<Node, 2> children{};
  std::array<double, 2> weight{};
  std::array<bool, 2> goes_on{};
  for (std::size_t b = 0; b < 2; ++b) {
    Node& child = children[b];
    const std::size_t begin = b == 0 ? 0 : n_left, end = b == 0 ? n_left : node.n_rows;
    child.n_rows = static_cast<std::uint32_t>(end - begin);
    group_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t id = order[i];
      child.rows.add(id);
      if (target_.n_classes == 0) {
        group_.push_back(sample_[id]);
      } else {
        child.units += times_[id];
        child.ones += (tally_[id] & 1U) != 0 ? times_[id] : 0U;
      }
      if (!samples_.weight.is_equal()) weight[b] += samples_.weight.values[sample_[id]];
    }
    if (samples_.weight.is_equal()) weight[b] = static_cast<double>(end - begin) * samples_.weight.unit;
    bool open = false;
    add_child(child, node, static_cast<std::int32_t>(b), stats_[b], open);
    goes_on[b] = open;
  }
  if (!params_.monotone.empty()) {
    const std::int32_t sign = sign_of(params_.monotone, best_.column);
    const auto bounds = settle_children(stats_[0], stats_[1], node.bounds, sign, like_);
    for (const std::size_t b : {0, 1}) children[b].bounds = bounds[b];
  }
  Division division;
  division.test.kind = TestKind::threshold;
  division.test.feature = best_.column;
  division.gain = best_.cut.drop;
  division.default_branch = weight[1] > weight[0] ? 1 : 0;
  const NodeId first = builder.divide(node.id, std::move(division), stats_);
  pending_.push_back({node.id, best_.column, row_[order[n_left - 1]], row_[order[n_left]]});
  for (const std::size_t b : {1, 0}) {  // the left child is on top of the stack
    if (!goes_on[b]) continue;
    children[b].id = first + static_cast<NodeId>(b);
    open_.push_back(std::move(children[b]));
  }
}

template <std::size_t kWords>
void SubtreesOf<kWords>::grow(Node root, TreeBuilder& builder, SubtreesOf<1>* smaller) {
  for (std::size_t id = 0; id < n_; ++id) root.rows.add(id);
  open_.push_back(std::move(root));
  while (!open_.empty()) {
    Node node = std::move(open_.back());
    open_.pop_back();
    if (smaller && node.n_rows <= SubtreesOf<1>::kRows) {
      smaller->load(*this, node);
      smaller->grow({.id = node.id,
                     .rows = {},
                     .n_rows = node.n_rows,
                     .units = node.units,
                     .ones = node.ones,
                     .depth = node.depth,
                     .path = node.path,
                     .columns = std::move(node.columns),
                     .origin = node.origin,
                     .loss = node.loss,
                     .weight = node.weight,
                     .bounds = node.bounds},
                    builder, nullptr);
    } else if (search(node)) {
      divide(node, builder);
    }
  }
  set_thresholds(builder);
}

/// Values lie anywhere in the table: they are all asked for before the first of them is waited for.
template <std::size_t kWords>
void SubtreesOf<kWords>::set_thresholds(TreeBuilder& builder) {
  const Matrix& x = data_.values;
  for (const Pending& cut : pending_) {
    prefetch(x.address(cut.low, cut.column));
    prefetch(x.address(cut.high, cut.column));
  }
  for (const Pending& cut : pending_)
    builder.set_threshold(cut.node, cut_between(x.at(cut.low, cut.column), x.at(cut.high, cut.column)));
  pending_.clear();
}

bool SmallSubtrees::takes(const NodeRows& rows, const ColumnList& columns) const {
  if (!search_.usable() || rows.size() > search_.most_rows()) return false;
  return std::ranges::all_of(*columns, [&](FeatureIndex f) {
    return data_.columns[f].kind != ColumnKind::nominal && !rows.column(f).back().missing();
  });
}

void SmallSubtrees::grow(NodeId leaf, const NodeRows& rows, const Origin& origin, const ColumnList& columns,
                         const Totals& totals, TreeBuilder& builder) {
  const auto in_units = [&](double weight) {
    return static_cast<std::uint32_t>(std::round(weight / samples_.weight.unit));
  };
  const auto grow_by = [&]<class Subtrees>(Subtrees& subtrees, SubtreesOf<1>* smaller) {
    subtrees.load(rows, *columns, store_.places());
    subtrees.grow({.id = leaf,
                   .rows = {},
                   .n_rows = static_cast<std::uint32_t>(rows.size()),
                   .units = in_units(totals.weight),
                   .ones = totals.classes.empty() ? 0 : in_units(totals.classes[1]),
                   .depth = origin.depth,
                   .path = origin.path,
                   .columns = columns,
                   .origin = totals.origin,
                   .loss = totals.loss,
                   .weight = totals.weight,
                   .bounds = origin.bounds},
                  builder, smaller);
  };
  if (rows.size() <= SubtreesOf<1>::kRows) {
    grow_by(few_, nullptr);
  } else {
    grow_by(more_, &few_);
  }
}

}  // namespace spinney
