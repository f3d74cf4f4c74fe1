#include "spinney/data/border_search.hpp"

#include <algorithm>
#include <bit>

#include "spinney/multiversion.hpp"
#include "spinney/types.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBucketSize = 256;       // values, about: what is sorted for one border
constexpr std::size_t kMostSplitters = 16383;  // numbers of buckets have 16 bits
constexpr std::size_t kPerSplitter = 2;        // values of the sample
constexpr std::size_t kTile = 1024;            // values looked at together
constexpr std::size_t kBetweenChecks = std::size_t{1} << 20;

}  // namespace

int steps_for(std::size_t n_sorted) { return static_cast<int>(std::bit_width(n_sorted)); }

SPINNEY_MULTIVERSION
void search_all(const std::vector<double>& sorted, int n_steps, const double* x, std::size_t n, std::uint32_t* place) {
  const double* const from = sorted.data();
  for (std::size_t i = 0; i < n; ++i) place[i] = 0;
  for (int step = n_steps; step-- > 0;) {
    const std::uint32_t width = std::uint32_t{1} << step;
    for (std::size_t i = 0; i < n; ++i) place[i] += from[place[i] + width - 1] < x[i] ? width : 0;
  }
}

void BorderSearch::find(std::vector<double>& values, std::size_t max_bins, std::vector<double>& low,
                        std::vector<double>& high) {
  if (values.empty()) return;
  values_ = &values;
  max_bins_ = max_bins;
  for (double& value : values) value += 0.0;  // both zeros are one
  deal();
  cursor_ = 0;
  each_value_ = !has_more_values(max_bins);
  if (!each_value_) foresee_buckets();
  std::size_t begin = 0;
  double lowest = *std::min_element(values.begin(), values.end());
  for (std::size_t n_made = 0; begin < values.size(); ++n_made) {
    const Run run = run_at(last_of_share(begin, n_made));
    low.push_back(lowest);
    high.push_back(run.value);
    begin = run.end;
    if (begin < values.size()) lowest = first_value_from(begin);
  }
}

void BorderSearch::choose_splitters() {
  const std::vector<double>& values = *values_;
  const std::size_t wanted = std::min(kMostSplitters, std::bit_floor(values.size() / kBucketSize + 1));
  const std::size_t n_sample = std::min(values.size(), wanted * kPerSplitter);
  std::vector<double> sample(n_sample);
  for (std::size_t i = 0; i < n_sample; ++i) sample[i] = values[i * values.size() / n_sample];
  std::sort(sample.begin(), sample.end());
  splitters_.clear();
  for (std::size_t i = kPerSplitter / 2; i < n_sample; i += kPerSplitter) {
    if (splitters_.empty() || splitters_.back() < sample[i]) splitters_.push_back(sample[i]);
  }
}

void BorderSearch::deal() {
  const std::vector<double>& values = *values_;
  choose_splitters();
  const int n_steps = steps_for(splitters_.size());
  splitters_.resize(std::size_t{1} << n_steps, kInfinity);
  begin_.assign(2 * splitters_.size() + 1, 0);
  bucket_.resize(values.size());
  places_.resize(kTile);
  for (std::size_t from = 0; from < values.size(); from += kTile) {
    if (from % kBetweenChecks == 0) interrupt_->check();
    const std::size_t n = std::min(kTile, values.size() - from);
    search_all(splitters_, n_steps, values.data() + from, n, places_.data());
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
void BorderSearch::foresee_buckets() {
  if (!collected_.empty() && wanted_[0]) return;  // all are there
  std::size_t begin = 0;
  for (std::size_t n_made = 0; begin < values_->size(); ++n_made) {
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
  if (is_one_value(bucket)) return {splitters_[bucket / 2], begin_[bucket + 1]};
  if (!wanted_[bucket]) {  // values came more than once and borders moved on: from here on all may be needed
    std::fill(wanted_.begin() + static_cast<std::ptrdiff_t>(bucket), wanted_.end(), std::uint8_t{1});
    collect();
  }
  sort_bucket(bucket);
  const auto first = collected_.begin() + static_cast<std::ptrdiff_t>(start_[bucket]);
  const double value = first[static_cast<std::ptrdiff_t>(place - begin_[bucket])];
  const auto last = std::upper_bound(first, first + static_cast<std::ptrdiff_t>(n_in(bucket)), value);
  return {value, begin_[bucket] + static_cast<std::size_t>(last - first)};
}

/// The value at a place that is the first of its value.
double BorderSearch::first_value_from(std::size_t place) {
  const std::size_t bucket = bucket_at(place);
  if (is_one_value(bucket)) return splitters_[bucket / 2];
  if (place > begin_[bucket] || wanted_[bucket]) {
    sort_bucket(bucket);
    return collected_[start_[bucket] + place - begin_[bucket]];
  }
  double least = kInfinity;
  for (std::size_t i = 0; i < values_->size(); ++i) {
    if (bucket_[i] == bucket) least = std::min(least, (*values_)[i]);
  }
  return least;
}

}  // namespace spinney
