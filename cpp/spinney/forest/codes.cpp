#include "spinney/forest/codes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace spinney {

namespace {

constexpr std::size_t kMostThresholds = 0xfffe;  // ranks 0 .. 0xfffe; a gap is above them
constexpr std::size_t kMostSlots = 0xffff / kPlacesASlot;
constexpr std::size_t kTile = 64 * kLanes;  // rows whose values are searched for together
constexpr std::uint16_t kHighest = 0xffff;

void sort_once(std::vector<double>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
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
        column.asked_slots.push_back(
            {ask_of_slot(step), step.word, static_cast<std::uint16_t>(n_slots * kPlacesASlot)});
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
    const std::size_t n_searches = 2 * column.thresholds.size();  // at least: who has many nodes is asked much
    column.ranks = PlaceSearch(std::exchange(column.thresholds, {}), n_searches);
    column.asked = {};
  }
}

std::uint16_t CodeTable::place(const Step& step) const {
  return step.ask == Ask::nothing ? 0 : columns_[static_cast<std::size_t>(step.feature)].find(step)->place;
}

std::uint16_t CodeTable::code(const Step& step) const {
  if (step.ask == Ask::gap) return kHighest - 1;
  if (step.ask == Ask::nothing || step.ask == Ask::category_in_word) return kNever;
  std::uint32_t rank = 0;
  columns_[static_cast<std::size_t>(step.feature)].ranks.find(&step.threshold, 1, &rank);
  return static_cast<std::uint16_t>(rank);
}

/// values: those of a column in some rows, the groups filled up.
void CodeTable::encode_column(const Column& column, std::span<const double> values, std::uint16_t* codes) const {
  std::uint32_t rank[kTile] = {};
  if (column.ranks.size() > 0) column.ranks.find(values.data(), values.size(), rank);
  const std::size_t n_group = n_slots_ * kLanes;
  for (const Slot& slot : column.slots) {
    const std::uint16_t gap = slot.ask == Ask::above_gap_high ? kHighest : 0;
    std::uint16_t* out = codes + slot.place / kPlacesASlot * kLanes;
    for (std::size_t first = 0; first < values.size(); first += kLanes, out += n_group) {
      const double* const value = values.data() + first;
      const std::uint32_t* const own = rank + first;
      if (slot.ask == Ask::category_in_word) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = bit_of(value[lane], slot.word);
      } else {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          out[lane] = value[lane] == value[lane] ? static_cast<std::uint16_t>(own[lane]) : gap;
      }
    }
  }
}

void CodeTable::encode(const RowRange& rows, std::vector<std::uint16_t>& codes) const {
  codes.resize(std::max<std::size_t>((rows.size() + kLanes - 1) / kLanes * kLanes * n_slots_, kLanes));
  std::vector<double> values(kTile);
  for (const FeatureIndex f : used_) {  // one column after the other: its thresholds stay in the cache
    const Column& column = columns_[static_cast<std::size_t>(f)];
    for (std::size_t first = 0; first < rows.size(); first += kTile) {
      const std::size_t n = std::min(kTile, rows.size() - first);
      for (std::size_t i = 0; i < n; ++i) values[i] = rows.x.at(rows.begin + first + i, static_cast<std::size_t>(f));
      const std::size_t n_filled = (n + kLanes - 1) / kLanes * kLanes;
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(n), values.begin() + static_cast<std::ptrdiff_t>(n_filled),
                0.0);
      encode_column(column, {values.data(), n_filled}, codes.data() + first * n_slots_);
    }
  }
}

}  // namespace spinney
