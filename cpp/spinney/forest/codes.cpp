#include "spinney/forest/codes.hpp"

#include <algorithm>
#include <limits>

namespace spinney {

namespace {

constexpr std::size_t kMostThresholds = 0xfffe;  // ranks 0 .. 0xfffe; a gap is above them
constexpr std::size_t kMostSlots = 0xffff / kLanes;
constexpr std::uint16_t kHighest = 0xffff;

void sort_once(std::vector<double>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// For each value, how many of the ascending thresholds are below it: binary search without a branch to guess. None
/// are below NaN.
template <std::size_t n_values>
void count_below(const std::vector<double>& thresholds, const double* value, std::uint16_t* out) {
  std::size_t at[n_values] = {};
  const double* const t = thresholds.data();
  for (std::size_t n = thresholds.size(); n > 1;) {
    const std::size_t half = n / 2;
    for (std::size_t i = 0; i < n_values; ++i) at[i] += t[at[i] + half - 1] < value[i] ? half : 0;
    n -= half;
  }
  for (std::size_t i = 0; i < n_values; ++i) out[i] = static_cast<std::uint16_t>(at[i] + (t[at[i]] < value[i] ? 1 : 0));
}

/// The bit of a category in a word, 0 for gaps and for categories of other words.
std::uint16_t bit_of(double value, std::int32_t word) {
  if (!(value >= 0.0 && value <= static_cast<double>(std::numeric_limits<std::int32_t>::max()))) return 0;
  const std::int32_t place = static_cast<std::int32_t>(value) - word * kWordCategories;
  return place >= 0 && place < kWordCategories ? static_cast<std::uint16_t>(place + 1) : 0;
}

/// Steps that ask for a gap are content with ranks where it is the highest.
Ask ask_of_slot(const Step& step) { return step.ask == Ask::gap ? Ask::above_gap_high : step.ask; }

}  // namespace

const CodeTable::Slot* CodeTable::Column::find(const Step& step) const {
  for (const auto* list : {&slots, &asked_slots}) {
    for (const Slot& slot : *list) {
      if (slot.ask == ask_of_slot(step) && slot.word == step.word) return &slot;
    }
  }
  return nullptr;
}

bool CodeTable::Column::has_room() const {
  if (thresholds.size() + asked.size() <= kMostThresholds) return true;
  std::vector<double> all = thresholds;
  all.insert(all.end(), asked.begin(), asked.end());
  sort_once(all);
  return all.size() <= kMostThresholds;
}

bool CodeTable::add(const Steps& tree) {
  std::size_t n_slots = n_slots_;
  for (const Step& step : tree.steps) {
    if (step.ask == Ask::nothing) continue;
    Column& column = columns_[static_cast<std::size_t>(step.feature)];
    if (!column.find(step)) {
      if (n_slots < kMostSlots)
        column.asked_slots.push_back({ask_of_slot(step), step.word, static_cast<std::uint16_t>(n_slots * kLanes)});
      ++n_slots;
    }
    const bool ranks = step.ask == Ask::above_gap_low || step.ask == Ask::above_gap_high;
    if (ranks) column.asked.push_back(step.threshold);
  }
  const bool fits = n_slots <= kMostSlots &&
                    std::all_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.has_room(); });
  for (Column& column : columns_) {
    if (fits) {
      const bool full = column.thresholds.size() + column.asked.size() > kMostThresholds;
      column.thresholds.insert(column.thresholds.end(), column.asked.begin(), column.asked.end());
      column.slots.insert(column.slots.end(), column.asked_slots.begin(), column.asked_slots.end());
      if (full) sort_once(column.thresholds);
    }
    column.asked.clear();
    column.asked_slots.clear();
  }
  if (fits) n_slots_ = n_slots;
  return fits;
}

void CodeTable::close() {
  for (std::size_t f = 0; f < columns_.size(); ++f) {
    Column& column = columns_[f];
    if (column.slots.empty()) continue;
    used_.push_back(static_cast<FeatureIndex>(f));
    sort_once(column.thresholds);
    column.thresholds.shrink_to_fit();
    column.asked = {};
  }
}

std::uint16_t CodeTable::place(const Step& step) const {
  return step.ask == Ask::nothing ? 0 : columns_[static_cast<std::size_t>(step.feature)].find(step)->place;
}

std::uint16_t CodeTable::code(const Step& step) const {
  if (step.ask == Ask::gap) return kHighest - 1;
  if (step.ask == Ask::nothing || step.ask == Ask::category_in_word) return kNever;
  std::uint16_t rank = 0;
  count_below<1>(columns_[static_cast<std::size_t>(step.feature)].thresholds, &step.threshold, &rank);
  return rank;
}

void CodeTable::encode_column(const Column& column, const double* value, std::uint16_t* group) const {
  std::uint16_t rank[kLanes] = {};
  if (!column.thresholds.empty()) count_below<kLanes>(column.thresholds, value, rank);
  bool gaps = false;
  for (std::size_t lane = 0; lane < kLanes; ++lane) gaps |= value[lane] != value[lane];
  for (const Slot& slot : column.slots) {
    std::uint16_t* const out = group + slot.place;
    if (slot.ask == Ask::category_in_word) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = bit_of(value[lane], slot.word);
    } else if (!gaps) {
      std::copy(rank, rank + kLanes, out);
    } else {
      const std::uint16_t gap = slot.ask == Ask::above_gap_high ? kHighest : 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = value[lane] == value[lane] ? rank[lane] : gap;
    }
  }
}

void CodeTable::encode(const RowRange& rows, std::vector<std::uint16_t>& codes) const {
  codes.resize(std::max<std::size_t>((rows.size() + kLanes - 1) / kLanes * kLanes * n_slots_, kLanes));
  for (const FeatureIndex f : used_) {  // one column after the other: its thresholds stay in the cache
    const Column& column = columns_[static_cast<std::size_t>(f)];
    double value[kLanes] = {};
    for (std::size_t first = 0; first < rows.size(); first += kLanes) {
      const std::size_t n_lanes = std::min(kLanes, rows.size() - first);
      for (std::size_t lane = 0; lane < n_lanes; ++lane)
        value[lane] = rows.x.at(rows.begin + first + lane, static_cast<std::size_t>(f));
      encode_column(column, value, codes.data() + first * n_slots_);
    }
  }
}

}  // namespace spinney
