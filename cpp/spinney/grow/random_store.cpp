#include "spinney/grow/random_store.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "spinney/splits/random_cut.hpp"

namespace spinney {

std::vector<SampleRange> RandomStore::start(std::span<const NodeId> leaf, std::size_t n_leaves) const {
  std::vector<std::size_t> begin(n_leaves + 1, 0);
  for (const NodeId b : leaf) ++begin[b + 1];
  for (std::size_t b = 0; b < n_leaves; ++b) begin[b + 1] += begin[b];
  auto block = std::make_shared<std::vector<SampleIndex>>(leaf.size());
  std::vector<std::size_t> at = begin;
  for (SampleIndex s = 0; s < leaf.size(); ++s) (*block)[at[leaf[s]]++] = s;
  std::vector<SampleRange> rows;
  for (std::size_t b = 0; b < n_leaves; ++b) rows.push_back({block, begin[b], begin[b + 1]});
  return rows;
}

/// Samples without a value are left out, in worker.missing.
RandomStore::Observed RandomStore::observe(const SampleRange& rows, FeatureIndex feature, Worker& worker) const {
  const std::span<const SampleIndex> members = rows.members();
  if (worker.value.size() < members.size()) worker.value.resize(members.size());
  worker.in_lanes = {};
  worker.missing.clear();
  ValueRange range;
  if (values_) {
    range = gather_values(values_->data() + feature, values_->n_columns(), members, worker.value.data());
  } else {
    std::vector<double> column(members.size());
    std::vector<SampleIndex> places(members.size());
    std::iota(places.begin(), places.end(), SampleIndex{0});
    for (std::size_t i = 0; i < members.size(); ++i) column[i] = data_.values.at(samples_.row[members[i]], feature);
    range = gather_values(column.data(), 1, places, worker.value.data());
  }
  if (range.n_missing == 0) return {members, range.low, range.high};
  worker.observed.clear();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double value = worker.value[i];
    worker.value[worker.observed.size()] = value;
    (std::isnan(value) ? worker.missing : worker.observed).push_back(members[i]);
  }
  return {worker.observed, range.low, range.high};
}

/// The categories among n values, each sent one way or the other, but not all the same way.
void RandomStore::draw_categories(Test& test, std::size_t n_values, RandomStream& random, Worker& worker) const {
  std::vector<std::uint32_t>& codes = worker.categories;
  const auto n_categories = static_cast<std::size_t>(data_.columns[test.feature].n_categories);
  if (worker.goes_right.size() < n_categories) worker.goes_right.resize(n_categories, kUnknown);
  codes.clear();
  for (std::size_t i = 0; i < n_values; ++i) {
    const auto code = static_cast<std::uint32_t>(worker.value[i]);
    if (worker.goes_right[code] == kUnknown) codes.push_back(code);
    worker.goes_right[code] = kLeft;
  }
  for (const std::uint32_t code : codes) worker.goes_right[code] = kUnknown;
  std::sort(codes.begin(), codes.end());
  std::vector<std::int32_t> side(codes.size());
  draw_sides(side, random);
  for (std::size_t i = 0; i < codes.size(); ++i) test.codes.emplace_back(static_cast<std::int32_t>(codes[i]), side[i]);
}

void RandomStore::draw_test(const SearchTask& task, const Observed& observed, Worker& worker, Test& test) const {
  test.feature = task.feature;
  if (data_.columns[task.feature].kind == ColumnKind::nominal) {
    RandomStream random = cut_stream(params_.seed, task.path, task.feature);
    test.kind = TestKind::subset;
    draw_categories(test, observed.members.size(), random, worker);
  } else {
    test.kind = TestKind::threshold;
    test.threshold = draw_cut(task, task.feature, observed.low, observed.high);
  }
}

double RandomStore::draw_cut(const SearchTask& task, FeatureIndex feature, double low, double high) const {
  RandomStream random = cut_stream(params_.seed, task.path, feature);
  return draw_threshold(low, high, random);
}

/// How a test divides samples whose values are in worker.value. Of categories it leaves their branches there.
GivenCut RandomStore::cut_of(const Test& test, std::span<const SampleIndex> members, Worker& worker) const {
  if (test.kind == TestKind::threshold) return {members, worker.value.data(), test.threshold};
  const auto n_categories = static_cast<std::size_t>(data_.columns[test.feature].n_categories);
  if (worker.goes_right.size() < n_categories) worker.goes_right.resize(n_categories, kUnknown);
  for (const auto& [code, branch] : test.codes) worker.goes_right[code] = static_cast<std::uint8_t>(branch);
  for (std::size_t i = 0; i < members.size(); ++i)
    worker.value[i] = worker.goes_right[static_cast<std::size_t>(worker.value[i])];
  for (const auto& [code, branch] : test.codes) worker.goes_right[code] = kUnknown;
  return {members, worker.value.data(), 0.5};
}

void RandomStore::search(const SampleRange& rows, const SearchTask& task, ColumnResult& result, std::size_t worker) {
  Worker& own = workers_[worker];
  const Observed observed = observe(rows, task.feature, own);
  result.constant = !(observed.low < observed.high);
  if (result.constant || observed.members.size() < 2 * task.limits.rows) return;
  std::optional<Totals> known;
  const bool complete = own.missing.empty();
  if (!complete) {
    own.scratch.entries.clear();
    for (const SampleIndex s : observed.members) own.scratch.entries.emplace_back(s, true);
    known = task.scan.totals_of(own.scratch.entries, task.totals);
  }
  Split& split = result.split;
  draw_test(task, observed, own, split.test);
  const GivenCut cut = cut_of(split.test, observed.members, own);
  split.drop = task.scan.drop_of(cut, complete ? task.totals : *known, task.limits, own.scratch);
  if (!(split.drop > -kInfinity)) split.clear();
}

void RandomStore::search_together(const SampleRange& rows, const SearchTask& task,
                                  std::span<const FeatureIndex> columns, std::span<ColumnResult> results,
                                  std::size_t worker) {
  std::array<FeatureIndex, kRowLanes> lanes{};
  std::array<ColumnResult*, kRowLanes> found;
  std::size_t n = 0;
  const auto flush = [&] {
    std::fill(lanes.begin() + static_cast<std::ptrdiff_t>(n), lanes.end(), lanes[0]);
    if (n > 0) search_lanes(rows, task, lanes, std::span(found).first(n), workers_[worker]);
    n = 0;
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!is_plain(columns[i])) {
      search(rows, task.of(columns[i]), results[i], worker);
      continue;
    }
    lanes[n] = columns[i];
    found[n++] = &results[i];
    if (n == kRowLanes) flush();
  }
  flush();
}

/// Of up to four plain columns.
void RandomStore::search_lanes(const SampleRange& rows, const SearchTask& task,
                               const std::array<FeatureIndex, kRowLanes>& columns,
                               std::span<ColumnResult* const> results, Worker& worker) const {
  const std::span<const SampleIndex> members = rows.members();
  if (worker.value.size() < kRowLanes * members.size()) worker.value.resize(kRowLanes * members.size());
  const LaneRanges range = gather_lanes(values_->data(), values_->n_columns(), members, columns, worker.value.data());
  worker.in_lanes = rows.members();
  worker.lanes = columns;
  GivenCuts cuts{members, worker.value.data(), {}};
  for (std::size_t lane = 0; lane < kRowLanes; ++lane)
    cuts.threshold[lane] = draw_cut(task, columns[lane], range.low[lane], range.high[lane]);
  const auto drops = task.scan.drops_of(cuts, task.totals, task.limits, worker.scratch);
  for (std::size_t lane = 0; lane < results.size(); ++lane) {
    ColumnResult& result = *results[lane];
    result.constant = !(range.low[lane] < range.high[lane]);
    if (result.constant || !(drops[lane] > -kInfinity)) continue;
    result.split.drop = drops[lane];
    result.split.test.kind = TestKind::threshold;
    result.split.test.feature = columns[lane];
    result.split.test.threshold = cuts.threshold[lane];
  }
}

void RandomStore::weigh(Sides& sides, const PartedSamples& parted) const {
  const auto sum = [&](std::span<const SampleIndex> side) {
    if (samples_.weight.is_equal()) return static_cast<double>(side.size()) * samples_.weight.unit;
    double weight = 0.0;
    for (const SampleIndex s : side) weight += samples_.weight[s];
    return weight;
  };
  sides.left = sum(parted.left);
  sides.right = sum(parted.right);
}

SampleIndex* RandomStore::room_for(const SampleRange& rows, Worker& worker) const {
  std::vector<SampleIndex>& spare = worker.scratch.others;
  if (spare.size() < rows.size() + 1) spare.resize(rows.size() + 1);
  return spare.data();
}

void RandomStore::complete(const SampleRange& rows, Split& split, std::size_t worker) {
  Worker& own = workers_[worker];
  const std::span<SampleIndex> members = rows.members(), seen = std::exchange(own.in_lanes, {});
  const bool is_there = seen.data() == members.data() && seen.size() == members.size();
  if (!is_there || split.test.kind != TestKind::threshold || !parts_plainly(split.test)) return;
  const auto found = std::ranges::find(own.lanes, split.test.feature);
  if (found == own.lanes.end()) return;
  const auto lane = static_cast<std::size_t>(found - own.lanes.begin());
  GivenCuts cuts{members, own.value.data(), {}};
  cuts.threshold[lane] = split.test.threshold;
  split.position = static_cast<std::uint32_t>(part_by_lane(cuts, lane, members, room_for(rows, own)));
}

/// At once and in place, where nobody asks for the side of a sample.
Marks RandomStore::part_plainly(const SampleRange& rows, const Split& split, Worker& worker) {
  const Test& test = split.test;
  const std::size_t n_left = split.position > 0 ? split.position
                                                : part_in_place(values_->data() + test.feature, values_->n_columns(),
                                                                test.threshold, rows.members(), room_for(rows, worker));
  Marks marks{.sides = {.of = side_.data()}, .column = test.feature, .parted = true, .n_low = n_left};
  weigh(marks.sides, {rows.members().first(n_left), rows.members().subspan(n_left)});
  marks.sides.complete = true;
  return marks;
}

Marks RandomStore::mark(const SampleRange& rows, const Split& split, bool, std::size_t worker) {
  Worker& own = workers_[worker];
  if (parts_plainly(split.test)) return part_plainly(rows, split, own);
  Marks marks{.sides = {.of = side_.data()}, .column = split.test.feature};
  const Observed observed = observe(rows, split.test.feature, own);
  const PartedSamples parted = part(cut_of(split.test, observed.members, own), own.scratch);
  weigh(marks.sides, parted);
  marks.sides.complete = marks.parted = own.missing.empty();
  marks.n_low = parted.left.size();
  if (!marks.parted || finds_surrogates_) {
    for (const SampleIndex s : parted.left) side_[s] = kLeft;
    for (const SampleIndex s : parted.right) side_[s] = kRight;
    for (const SampleIndex s : own.missing) side_[s] = kUnknown;
    marks.unknown = own.missing;
  }
  if (marks.parted) {
    SampleIndex* const members = rows.members().data();
    std::copy(parted.right.begin(), parted.right.end(), std::copy(parted.left.begin(), parted.left.end(), members));
  }
  return marks;
}

std::optional<Surrogate> RandomStore::surrogate(const SampleRange& rows, FeatureIndex feature, const Sides& sides,
                                                SurrogateStyle style, std::size_t worker) {
  Worker& own = workers_[worker];
  std::vector<SampleIndex> members(rows.members().begin(), rows.members().end());
  std::sort(members.begin(), members.end());  // they may stand parted
  std::vector<Entry> entries(members.size() + 1);
  own.sorter.sort(data_, samples_, static_cast<std::size_t>(feature), members, entries.data());
  entries.pop_back();
  return find_surrogate(data_, samples_, feature, entries, sides, style, own.scratch);
}

std::size_t RandomStore::count_left(const SampleRange& rows, const Marks& marks) const {
  if (marks.parted) return marks.n_low;
  const auto members = rows.members();
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [&](SampleIndex s) { return side_[s] == kLeft; }));
}

void RandomStore::list(const SampleRange& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const {
  const std::span<const SampleIndex> members = rows.members();
  if (marks.parted) {
    const auto own = side == kLeft ? members.first(marks.n_low) : members.subspan(marks.n_low);
    out.assign(own.begin(), own.end());
    return;
  }
  out.clear();
  for (const SampleIndex s : members) {
    if (side_[s] == side) out.push_back(s);
    if (side_[s] == kBoth) out.push_back(side == kLeft ? s : twin_[s]);
  }
}

std::pair<SampleRange, SampleRange> RandomStore::divide(SampleRange rows, const Marks& marks, const DivisionPlan& plan,
                                                        ThreadTeam*, std::size_t) {
  if (marks.shared) {  // children that share rows need more room than their parent had
    auto left = std::make_shared<std::vector<SampleIndex>>(), right = std::make_shared<std::vector<SampleIndex>>();
    list(rows, marks, kLeft, *left);
    list(rows, marks, kRight, *right);
    std::sort(right->begin(), right->end());
    return {{left, 0, left->size()}, {right, 0, right->size()}};
  }
  if (!marks.parted) {
    const auto members = rows.members();
    std::stable_partition(members.begin(), members.end(), [&](SampleIndex s) { return side_[s] == kLeft; });
  }
  SampleRange right{rows.block, rows.begin + plan.n_left, rows.end};
  rows.end = right.begin;
  return {std::move(rows), std::move(right)};
}

}  // namespace spinney
