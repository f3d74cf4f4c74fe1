#include "spinney/data/border_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "spinney/data/radix_sort.hpp"
#include "spinney/multiversion.hpp"
#include "spinney/types.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBucketSize = 256;   // values, about: what is sorted for one border
constexpr std::size_t kSortedShare = 768;  // values of a bin up to which all of them are sorted
constexpr std::size_t kPerSplitter = 2;    // values of the sample
constexpr std::size_t kTile = 1024;        // values looked at together
constexpr std::size_t kBetweenChecks = std::size_t{1} << 20;
constexpr std::size_t kWorthTable = std::size_t{1} << 15;  // searches that pay for a table
constexpr std::size_t kTableSize = std::size_t{1} << 16;

/// Sign, exponent and the first digits: larger numbers have larger ones, or the same.
std::size_t leading_bits(double number) {
  const auto bits = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(number + 0.0) >> 48);
  return bits ^ (0x8000U + (bits >> 15) * 0x7fffU);  // all bits of a negative one, the sign of another: no jump
}

SPINNEY_TWO_VERSIONS(void, search_from,
                     (const double* sorted, int n_steps, const double* x, std::size_t n, std::uint32_t* place),
                     (sorted, n_steps, x, n, place)) {
  for (int step = n_steps; step-- > 0;) {
    const std::uint32_t width = std::uint32_t{1} << step;
    for (std::size_t i = 0; i < n; ++i) place[i] += sorted[place[i] + width - 1] < x[i] ? width : 0;
  }
}

}  // namespace

PlaceSearch::PlaceSearch(std::vector<double> sorted, std::size_t n_searches)
    : n_(sorted.size()), sorted_(std::move(sorted)) {
  std::size_t most = n_;  // that have leading bits in common
  if (n_searches >= kWorthTable) {
    first_.assign(kTableSize, 0);
    for (const double number : sorted_) ++first_[leading_bits(number)];
    most = *std::max_element(first_.begin(), first_.end());
    std::uint32_t below = 0;
    for (std::uint32_t& count : first_) below += std::exchange(count, below);
  }
  n_steps_ = static_cast<int>(std::bit_width(most));
  sorted_.resize(n_ + (std::size_t{1} << n_steps_), kInfinity);
}

void PlaceSearch::find(const double* x, std::size_t n, std::uint32_t* place) const {
  if (first_.empty()) {
    std::fill(place, place + n, 0U);
  } else {
    for (std::size_t i = 0; i < n; ++i) place[i] = first_[leading_bits(x[i])];
  }
  search_from(sorted_.data(), n_steps_, x, n, place);
}

void BorderSearch::find(std::vector<double>& values, std::size_t max_bins, std::vector<double>& low,
                        std::vector<double>& high) {
  if (values.empty()) return;
  values_ = &values;
  max_bins_ = max_bins;
  if (values.size() <= max_bins * kSortedShare) return find_sorted(low, high);
  deal();
  cursor_ = 0;
  each_value_ = !has_more_values(max_bins);
  if (!each_value_) mark_buckets();
  std::size_t begin = 0;
  double lowest = first_value_from(0);
  for (std::size_t n_made = 0; begin < values.size(); ++n_made) {
    const Run run = run_at(last_of_share(begin, n_made));
    low.push_back(lowest);
    high.push_back(run.value);
    begin = run.end;
    if (begin < values.size()) lowest = std::isnan(run.next) ? first_value_from(begin) : run.next;
  }
}

/// Borders would fall into so many buckets that all values are sorted in less time.
void BorderSearch::find_sorted(std::vector<double>& low, std::vector<double>& high) {
  keys_.clear();
  for (const double value : *values_) keys_.push_back(sortable(value));
  radix_sort(keys_, spare_, std::identity{}, *interrupt_);
  std::size_t n_values = 1;
  for (std::size_t i = 1; i < keys_.size(); ++i) n_values += keys_[i] != keys_[i - 1] ? 1 : 0;
  each_value_ = n_values <= max_bins_;
  std::size_t begin = 0;
  for (std::size_t n_made = 0; begin < keys_.size(); ++n_made) {
    const std::uint64_t last = keys_[last_of_share(begin, n_made)];
    low.push_back(unsortable(keys_[begin]));
    high.push_back(unsortable(last));
    const auto from = keys_.begin() + static_cast<std::ptrdiff_t>(begin);
    begin = static_cast<std::size_t>(std::upper_bound(from, keys_.end(), last) - keys_.begin());
  }
}

void BorderSearch::choose_splitters() {
  const std::vector<double>& values = *values_;
  const std::size_t wanted = std::min(kMostSplitters, values.size() / kBucketSize + 1);
  const std::size_t n_sample = std::min(values.size(), wanted * kPerSplitter);
  std::vector<double> sample(n_sample);
  for (std::size_t i = 0; i < n_sample; ++i) sample[i] = values[i * values.size() / n_sample];
  std::sort(sample.begin(), sample.end());
  std::vector<double> splitters;
  for (std::size_t i = kPerSplitter / 2; i < n_sample; i += kPerSplitter) {
    if (splitters.empty() || splitters.back() < sample[i]) splitters.push_back(sample[i]);
  }
  splitters_ = PlaceSearch(std::move(splitters), values.size());
}

void BorderSearch::deal() {
  const std::vector<double>& values = *values_;
  choose_splitters();
  begin_.assign(2 * (splitters_.size() + 1) + 1, 0);
  bucket_.resize(values.size());
  places_.resize(kTile);
  for (std::size_t from = 0; from < values.size(); from += kTile) {
    if (from % kBetweenChecks == 0) interrupt_->check();
    const std::size_t n = std::min(kTile, values.size() - from);
    splitters_.find(values.data() + from, n, places_.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t place = places_[i];
      const std::uint32_t bucket = 2 * place + (values[from + i] == splitters_[place] ? 1 : 0);
      bucket_[from + i] = static_cast<std::uint16_t>(bucket);
      ++begin_[bucket + 1];
    }
  }
  for (std::size_t b = 1; b < begin_.size(); ++b) begin_[b] += begin_[b - 1];
  wanted_.assign(begin_.size() - 1, 0);
  is_sorted_.assign(wanted_.size(), 0);
}

/// Buckets that hold anything are as many values at least; if they are few, each is sorted and its values counted.
bool BorderSearch::has_more_values(std::size_t most) {
  std::size_t n_values = 0;
  for (std::size_t b = 0; b < wanted_.size(); ++b) n_values += n_in(b) > 0 ? 1 : 0;
  if (n_values > most) return true;
  std::fill(wanted_.begin(), wanted_.end(), std::uint8_t{1});
  collect();
  for (std::size_t b = 0; b < wanted_.size() && n_values <= most; ++b) {
    if (is_one_value(b) || n_in(b) < 2) continue;
    sort_bucket(b);
    const double* const v = collected_.data() + start_[b];
    for (std::size_t i = 1; i < n_in(b); ++i) n_values += v[i] != v[i - 1] ? 1 : 0;
  }
  return n_values > most;
}

std::size_t BorderSearch::last_of_share(std::size_t begin, std::size_t n_made) const {
  if (each_value_) return begin;
  const std::size_t left = values_->size() - begin, bins_left = max_bins_ - n_made;
  return begin + (left + bins_left - 1) / bins_left - 1;
}

/// Collects the buckets that borders would fall into if no value between splitters came twice.
void BorderSearch::mark_buckets() {
  if (!collected_.empty() && wanted_[0]) return;  // all are there
  std::size_t begin = 0;
  for (std::size_t n_made = 0; begin < values_->size(); ++n_made) {
    wanted_[bucket_at(begin)] = 1;  // for the lowest value of the bin
    const std::size_t place = last_of_share(begin, n_made), bucket = bucket_at(place);
    wanted_[bucket] = 1;
    begin = is_one_value(bucket) ? begin_[bucket + 1] : place + 1;
  }
  cursor_ = 0;
  collect();
}

/// Writes all values and moves on after those that are wanted: nothing to guess.
void BorderSearch::collect() {
  interrupt_->check();
  const std::vector<double>& values = *values_;
  start_.assign(wanted_.size(), 0);
  std::vector<std::size_t> step(wanted_.size(), 0);
  std::size_t end = 1;  // before it is the place for the others
  for (std::size_t b = 0; b < wanted_.size(); ++b) {
    if (!wanted_[b] || is_one_value(b)) continue;
    start_[b] = end;
    step[b] = 1;
    end += n_in(b);
  }
  collected_.resize(end);
  std::vector<std::size_t> at = start_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t b = bucket_[i];
    collected_[at[b]] = values[i];
    at[b] += step[b];
  }
  std::fill(is_sorted_.begin(), is_sorted_.end(), std::uint8_t{0});
}

void BorderSearch::sort_bucket(std::size_t bucket) {
  if (is_sorted_[bucket]) return;
  const auto first = collected_.begin() + static_cast<std::ptrdiff_t>(start_[bucket]);
  std::sort(first, first + static_cast<std::ptrdiff_t>(n_in(bucket)));
  is_sorted_[bucket] = 1;
}

std::size_t BorderSearch::bucket_at(std::size_t place) {
  while (begin_[cursor_ + 1] <= place) ++cursor_;
  return cursor_;
}

BorderSearch::Run BorderSearch::run_at(std::size_t place) {
  const std::size_t bucket = bucket_at(place);
  if (is_one_value(bucket)) return {splitters_[bucket / 2], begin_[bucket + 1], kNaN};
  if (!wanted_[bucket]) {  // values came more than once and borders moved on: from here on all may be needed
    std::fill(wanted_.begin() + static_cast<std::ptrdiff_t>(bucket), wanted_.end(), std::uint8_t{1});
    collect();
  }
  if (!is_sorted_[bucket] && !asked_often(bucket)) return select(bucket, place);
  sort_bucket(bucket);
  const auto first = collected_.begin() + static_cast<std::ptrdiff_t>(start_[bucket]);
  const double value = first[static_cast<std::ptrdiff_t>(place - begin_[bucket])];
  const auto last = std::upper_bound(first, first + static_cast<std::ptrdiff_t>(n_in(bucket)), value);
  return {value, begin_[bucket] + static_cast<std::size_t>(last - first), kNaN};
}

/// The same for a bucket that is asked once: no need to sort what is not at the place.
BorderSearch::Run BorderSearch::select(std::size_t bucket, std::size_t place) {
  const auto first = collected_.begin() + static_cast<std::ptrdiff_t>(start_[bucket]);
  const auto middle = first + static_cast<std::ptrdiff_t>(place - begin_[bucket]);
  const auto last = first + static_cast<std::ptrdiff_t>(n_in(bucket));
  std::nth_element(first, middle, last);
  Run run{*middle, place, kInfinity};
  for (auto value = middle; value != last; ++value) {
    run.end += *value == run.value ? 1 : 0;
    run.next = *value > run.value ? std::min(run.next, *value) : run.next;
  }
  if (run.end == begin_[bucket + 1]) run.next = kNaN;  // it is in another bucket
  return run;
}

/// The value at a place that is the first of its value.
double BorderSearch::first_value_from(std::size_t place) {
  const std::size_t bucket = bucket_at(place);
  if (is_one_value(bucket)) return splitters_[bucket / 2];
  double least = kInfinity;
  if (wanted_[bucket]) {
    const auto first = collected_.begin() + static_cast<std::ptrdiff_t>(start_[bucket]);
    const auto last = first + static_cast<std::ptrdiff_t>(n_in(bucket));
    if (place == begin_[bucket]) return *std::min_element(first, last);
    sort_bucket(bucket);
    return first[static_cast<std::ptrdiff_t>(place - begin_[bucket])];
  }
  for (std::size_t i = 0; i < values_->size(); ++i) {
    if (bucket_[i] == bucket) least = std::min(least, (*values_)[i]);
  }
  return least;
}

}  // namespace spinney
