#pragma once
// The borders of one column's bins. Where bins are large the column is not sorted: values are dealt into buckets
// between splitters taken from a sample, and only the buckets that a border falls into are sorted. Which splitters were
// taken changes no border.
//
//   bucket 2 j      values between splitter j - 1 and splitter j
//   bucket 2 j + 1  values equal to splitter j: nothing to sort, however many there are

#include <cstdint>
#include <vector>

#include "spinney/interrupt.hpp"

namespace spinney {

inline constexpr std::size_t kMostSplitters = 16383;  // numbers of buckets have 16 bits

/// Finds places among sorted numbers for many numbers at a time. No step of the search is a jump, so that searches run
/// side by side; where there are many, a table by the leading bits of a number saves the first steps.
class PlaceSearch {
 public:
  PlaceSearch() = default;
  /// sorted: ascending, without equals. n_searches, about: how many will be asked for.
  PlaceSearch(std::vector<double> sorted, std::size_t n_searches);

  /// place[i] is the number of those below x[i]; if x[i] is NaN, any.
  void find(const double* x, std::size_t n, std::uint32_t* place) const;
  /// The number at a place; infinite after the last.
  double operator[](std::size_t place) const { return sorted_[place]; }
  std::size_t size() const { return n_; }

 private:
  std::size_t n_ = 0;
  int n_steps_ = 0;
  std::vector<double> sorted_;        // and infinite ones, for the steps that lead too far
  std::vector<std::uint32_t> first_;  // by leading bits: how many are below all numbers that have them; may be empty
};

/// Memory of one thread, reused from column to column.
class BorderSearch {
 public:
  explicit BorderSearch(Interrupt& interrupt) : interrupt_(&interrupt) {}

  /// Appends the bins of some values, of which none is missing.
  void find(std::vector<double>& values, std::size_t max_bins, std::vector<double>& low, std::vector<double>& high);

 private:
  /// The values equal to the one at some place in ascending order.
  struct Run {
    double value;
    std::size_t end;  // the place after the last of them
    double next;      // the value there, if it is known: NaN otherwise
  };
  void find_sorted(std::vector<double>& low, std::vector<double>& high);
  void deal();
  void choose_splitters();
  bool has_more_values(std::size_t most);
  /// Where the bin ends that begins at a place, if it ends with its share.
  std::size_t last_of_share(std::size_t begin, std::size_t n_made) const;
  void mark_buckets();
  void collect();
  void sort_bucket(std::size_t bucket);
  std::size_t bucket_at(std::size_t place);
  Run run_at(std::size_t place);
  Run select(std::size_t bucket, std::size_t place);
  double first_value_from(std::size_t place);
  /// Whether borders are so close together that more than one may fall into a bucket.
  bool asked_often(std::size_t bucket) const { return n_in(bucket) * max_bins_ > values_->size(); }
  bool is_one_value(std::size_t bucket) const { return bucket % 2 == 1; }
  std::size_t n_in(std::size_t bucket) const { return begin_[bucket + 1] - begin_[bucket]; }

  Interrupt* interrupt_;
  const std::vector<double>* values_ = nullptr;
  std::size_t max_bins_ = 0;
  bool each_value_ = false;  // has a bin of its own
  PlaceSearch splitters_;
  std::vector<std::uint16_t> bucket_;  // by value
  std::vector<std::size_t> begin_;     // by bucket: its first place in ascending order
  std::vector<std::uint8_t> wanted_;   // by bucket: its values are collected
  std::vector<std::uint8_t> is_sorted_;
  std::vector<std::size_t> start_;  // by bucket: where its values are in collected_
  std::vector<double> collected_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> keys_, spare_;  // of a column that is sorted whole
  std::size_t cursor_ = 0;                   // the bucket of the last place asked for: places ascend
};

}  // namespace spinney
