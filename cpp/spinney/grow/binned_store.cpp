#include "spinney/grow/binned_store.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace spinney {

namespace {

constexpr std::size_t kSmallNode = 2048;  // below, clearing histograms costs more than sorting the rows once

}  // namespace

// A bin's cell: [rows, moments ...]; moments are class weights, or (weight, sum of w (y - origin)).

BinnedStore::BinnedStore(const Dataset& data, Samples& samples, std::size_t max_bins, ThreadTeam& team,
                         Interrupt& interrupt)
    : data_(data),
      samples_(samples),
      bins_(data, samples, max_bins, team, interrupt),
      small_(data, samples, nullptr, team.size(), interrupt),
      stride_(samples.n_classes > 0 ? 1 + static_cast<std::size_t>(samples.n_classes) : 3),
      side_(samples.size(), kUnknown),
      scratch_(team.size(), Scratch(interrupt)),
      sorter_(interrupt) {
  first_cell_.push_back(0);
  for (std::size_t f = 0; f < bins_.n_columns(); ++f) {
    first_cell_.push_back(first_cell_.back() + (bins_.n_bins(f) + 1) * stride_);  // one bin more for the missing
  }
  if (samples.n_classes == 0 && samples.size() > 0) origin_ = samples.y[samples.size() / 2];
}

std::vector<NodeRows> BinnedStore::start(std::span<const NodeId> leaf, std::size_t n_leaves) {
  std::vector<std::size_t> begin(n_leaves + 1, 0);
  for (const NodeId b : leaf) ++begin[b + 1];
  for (std::size_t b = 0; b < n_leaves; ++b) begin[b + 1] += begin[b];
  order_.resize(leaf.size());
  std::vector<std::size_t> at = begin;
  for (SampleIndex s = 0; s < leaf.size(); ++s) order_[at[leaf[s]]++] = s;
  std::vector<NodeRows> rows;
  for (std::size_t b = 0; b < n_leaves; ++b) rows.push_back(make_node(begin[b], begin[b + 1], nullptr));
  return rows;
}

NodeRows BinnedStore::make_node(std::size_t begin, std::size_t end, ThreadTeam* team) {
  if (end - begin <= kSmallNode) return sort_small(begin, end);
  return {nullptr, begin, end, count(std::span(order_).subspan(begin, end - begin), team)};
}

NodeRows BinnedStore::sort_small(std::size_t begin, std::size_t end) {
  const auto group = std::span(order_).subspan(begin, end - begin);
  auto block = std::make_shared<SortedColumns>(data_.columns.size(), group.size());
  for (std::size_t f = 0; f < data_.columns.size(); ++f) sorter_.sort(data_, samples_, f, group, block->column(f));
  return {std::move(block), 0, group.size(), nullptr};
}

void BinnedStore::add_sample(Histograms& histograms, SampleIndex s, std::size_t first, std::size_t last) const {
  const std::uint16_t* bin = bins_.of(s);
  const double w = samples_.split_weight_of(s);
  if (samples_.n_classes > 0) {
    const std::size_t place = 1 + static_cast<std::size_t>(samples_.label[s]);
    for (std::size_t f = first; f < last; ++f) {
      double* cell = histograms.data() + first_cell_[f] + bin[f] * stride_;
      cell[0] += 1.0;
      cell[place] += w;
    }
    return;
  }
  const double sum = w * (samples_.y[s] - origin_);
  for (std::size_t f = first; f < last; ++f) {
    double* cell = histograms.data() + first_cell_[f] + bin[f] * stride_;
    cell[0] += 1.0;
    cell[1] += w;
    cell[2] += sum;
  }
}

/// Threads take columns, not rows: every sum is made in the same order.
std::shared_ptr<BinnedStore::Histograms> BinnedStore::count(std::span<const SampleIndex> group,
                                                            ThreadTeam* team) const {
  auto histograms = std::make_shared<Histograms>(first_cell_.back(), 0.0);
  const std::size_t n_columns = bins_.n_columns(), n_parts = std::min(team ? team->size() : 1, n_columns);
  const auto count_part = [&](std::size_t part, std::size_t) {
    const std::size_t first = part * n_columns / n_parts, last = (part + 1) * n_columns / n_parts;
    for (const SampleIndex s : group) add_sample(*histograms, s, first, last);
  };
  if (team) {
    team->run(n_parts, count_part);
  } else if (n_parts > 0) {
    count_part(0, 0);
  }
  return histograms;
}

Totals BinnedStore::read_groups(const NodeRows& rows, const SearchTask& task, Scratch& scratch) const {
  const auto f = static_cast<std::size_t>(task.feature);
  Groups& groups = scratch.groups;
  const bool classes = samples_.n_classes > 0;
  groups.clear(classes ? stride_ - 1 : 1);
  Totals totals;
  totals.origin = task.totals.origin;
  totals.loss = task.totals.loss;
  if (classes) totals.classes.assign(groups.k, 0.0);
  for (std::size_t bin = 0; bin < bins_.n_bins(f); ++bin) {
    const double* cell = rows.histograms->data() + first_cell_[f] + bin * stride_;
    if (cell[0] < 0.5) continue;
    groups.rank.push_back(static_cast<std::uint32_t>(bin));
    groups.rows.push_back(cell[0]);
    double weight = 0.0;
    if (classes) {
      for (std::size_t c = 0; c < groups.k; ++c) {
        const double w = std::max(0.0, cell[1 + c]);  // a difference of sums may fall below
        groups.moments.push_back(w);
        totals.classes[c] += w;
        weight += w;
      }
    } else {
      weight = cell[1];
      groups.moments.push_back(cell[2] - weight * (task.totals.origin - origin_));
    }
    groups.weight.push_back(weight);
    totals.weight += weight;
  }
  return totals;
}

ColumnResult BinnedStore::search(const NodeRows& rows, const SearchTask& task, std::size_t worker) {
  if (is_sorted(rows)) return small_.search(rows, task, worker);
  Scratch& scratch = scratch_[worker];
  const Totals totals = read_groups(rows, task, scratch);
  ColumnResult result;
  result.constant = scratch.groups.size() < 2;
  if (result.constant) return result;
  if (data_.columns[task.feature].kind == ColumnKind::nominal) {
    result.split = best_subset_test(task.scan, task.feature, totals, task.limits, scratch);
    return result;
  }
  const Cut cut = task.scan.best_group_cut(scratch.groups, totals, task.limits, scratch);
  if (!cut.found()) return result;
  const std::uint32_t lower = scratch.groups.rank[cut.position], upper = scratch.groups.rank[cut.position + 1];
  result.split.drop = cut.drop;
  result.split.position = lower;
  result.split.test = {TestKind::threshold, task.feature, bins_.cut(task.feature, lower, upper), {}, {}, {}};
  return result;
}

void BinnedStore::complete(const NodeRows& rows, Split& split) const {
  if (is_sorted(rows)) small_.complete(rows, split);
}

Marks BinnedStore::mark(const NodeRows& rows, const Split& split, bool alone) {
  if (is_sorted(rows)) return small_.mark(rows, split, alone);
  const auto f = static_cast<std::size_t>(split.test.feature);
  std::vector<std::uint8_t> side_of_bin(bins_.n_bins(f) + 1, kUnknown);
  if (split.test.kind == TestKind::threshold) {
    for (std::size_t bin = 0; bin < bins_.n_bins(f); ++bin) side_of_bin[bin] = bin <= split.position ? kLeft : kRight;
  } else {
    for (const auto& [code, branch] : split.test.codes) side_of_bin[code] = static_cast<std::uint8_t>(branch);
  }
  Marks marks{.sides = {.of = side_.data()}, .column = split.test.feature};
  Sides& sides = marks.sides;
  for (const SampleIndex s : samples_of(rows)) {
    side_[s] = side_of_bin[bins_.of(s)[f]];
    if (side_[s] == kUnknown) {
      sides.complete = false;
    } else {
      (side_[s] == kLeft ? sides.left : sides.right) += samples_.weight[s];
    }
  }
  return marks;
}

std::optional<Surrogate> BinnedStore::surrogate(const NodeRows& rows, FeatureIndex feature, const Sides& sides,
                                                std::size_t worker) {
  if (is_sorted(rows)) return small_.surrogate(rows, feature, sides, worker);
  const auto f = static_cast<std::size_t>(feature);
  std::vector<Tally> all(bins_.n_bins(f) + 1), tallies;
  for (const SampleIndex s : samples_of(rows)) {
    if (side_[s] == kUnknown) continue;
    Tally& tally = all[bins_.of(s)[f]];
    ++tally.rows;
    (side_[s] == kLeft ? tally.left : tally.right) += samples_.weight[s];
  }
  for (std::uint32_t bin = 0; bin < bins_.n_bins(f); ++bin) {
    all[bin].rank = bin;
    if (all[bin].rows > 0) tallies.push_back(all[bin]);
  }
  const bool nominal = data_.columns[f].kind == ColumnKind::nominal;
  return surrogate_from_tallies(feature, nominal, tallies,
                                [&](std::uint32_t low, std::uint32_t high) { return bins_.cut(f, low, high); });
}

void BinnedStore::place_unknown(const NodeRows& rows, const Marks& marks, const Fork& fork) {
  if (is_sorted(rows)) return small_.place_unknown(rows, marks, fork);
  for (const SampleIndex s : samples_of(rows)) {
    if (side_[s] == kUnknown) side_[s] = static_cast<std::uint8_t>(fork.branch(data_.values, samples_.row[s]));
  }
}

void BinnedStore::share_unknown(Marks&, double) {
  throw std::invalid_argument("max_bins does not work with the fractional rule for missing values");
}

std::size_t BinnedStore::count_left(const NodeRows& rows, const Marks& marks) const {
  if (is_sorted(rows)) return small_.count_left(rows, marks);
  const auto group = samples_of(rows);
  return static_cast<std::size_t>(
      std::count_if(group.begin(), group.end(), [&](SampleIndex s) { return side_[s] == kLeft; }));
}

void BinnedStore::list(const NodeRows& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const {
  if (is_sorted(rows)) return small_.list(rows, marks, side, out);
  out.clear();
  for (const SampleIndex s : samples_of(rows)) {
    if (side_[s] == side) out.push_back(s);
  }
}

/// The smaller child is counted; the larger one's histograms are what is left of the parent's.
std::pair<NodeRows, NodeRows> BinnedStore::divide(const NodeRows& rows, const Marks& marks, const DivisionPlan& plan,
                                                  ThreadTeam* team, std::size_t worker) {
  if (is_sorted(rows)) return small_.divide(rows, marks, plan, team, worker);
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(rows.begin);
  std::stable_partition(begin, begin + static_cast<std::ptrdiff_t>(rows.size()),
                        [&](SampleIndex s) { return side_[s] == kLeft; });
  const std::size_t middle = rows.begin + plan.n_left;
  const bool left_is_smaller = plan.n_left <= plan.n_right;
  const bool keep_larger = left_is_smaller ? plan.keep_right : plan.keep_left;
  const bool keep_smaller = left_is_smaller ? plan.keep_left : plan.keep_right;
  const std::size_t n_larger = std::max(plan.n_left, plan.n_right);
  NodeRows smaller =
      left_is_smaller ? NodeRows{nullptr, rows.begin, middle, nullptr} : NodeRows{nullptr, middle, rows.end, nullptr};
  NodeRows larger =
      left_is_smaller ? NodeRows{nullptr, middle, rows.end, nullptr} : NodeRows{nullptr, rows.begin, middle, nullptr};
  if (keep_larger && n_larger > kSmallNode) {
    const auto counted = count(samples_of(smaller), team);
    auto rest = std::make_shared<Histograms>(*rows.histograms);
    for (std::size_t i = 0; i < rest->size(); ++i) (*rest)[i] -= (*counted)[i];
    larger.histograms = std::move(rest);
    smaller.histograms = counted;
  } else if (keep_larger) {
    larger = sort_small(larger.begin, larger.end);
  }
  if (keep_smaller && (smaller.size() <= kSmallNode || !smaller.histograms)) {
    smaller = make_node(smaller.begin, smaller.end, team);
  }
  if (left_is_smaller) return {std::move(smaller), std::move(larger)};
  return {std::move(larger), std::move(smaller)};
}

}  // namespace spinney
