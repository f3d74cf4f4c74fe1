#pragma once
// The borders of one column's bins, without sorting it: values are dealt into buckets between splitters taken from a
// sample, and only the buckets that a border falls into are sorted. Which splitters were taken changes no border.
//
//   bucket 2 j      values between splitter j - 1 and splitter j
//   bucket 2 j + 1  values equal to splitter j: nothing to sort, however many there are

#include <cstdint>
#include <vector>

#include "spinney/interrupt.hpp"

namespace spinney {

/// Of the steps of a search through 2^n_steps sorted numbers (the last ones infinite) none is a jump, so that many
/// searches run side by side. place[i] is the number of those below x[i].
void search_all(const std::vector<double>& sorted, int n_steps, const double* x, std::size_t n, std::uint32_t* place);

/// The smallest number of steps for so many sorted numbers.
int steps_for(std::size_t n_sorted);

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
  };
  void deal();
  void choose_splitters();
  bool has_more_values(std::size_t most);
  /// Where the bin ends that begins at a place, if it ends with its share.
  std::size_t last_of_share(std::size_t begin, std::size_t n_made) const;
  void foresee_buckets();
  void collect();
  void sort_bucket(std::size_t bucket);
  std::size_t bucket_at(std::size_t place);
  Run run_at(std::size_t place);
  double first_value_from(std::size_t place);
  bool is_one_value(std::size_t bucket) const { return bucket % 2 == 1; }
  std::size_t n_in(std::size_t bucket) const { return begin_[bucket + 1] - begin_[bucket]; }

  Interrupt* interrupt_;
  const std::vector<double>* values_ = nullptr;
  std::size_t max_bins_ = 0;
  bool each_value_ = false;            // has a bin of its own
  std::vector<double> splitters_;      // padded with infinity
  std::vector<std::uint16_t> bucket_;  // by value
  std::vector<std::size_t> begin_;     // by bucket: its first place in ascending order
  std::vector<std::uint8_t> wanted_;   // by bucket: its values are collected
  std::vector<std::uint8_t> is_sorted_;
  std::vector<std::size_t> start_;  // by bucket: where its values are in collected_
  std::vector<double> collected_;
  std::vector<std::uint32_t> places_;
  std::size_t cursor_ = 0;  // the bucket of the last place asked for: places ascend
};

}  // namespace spinney
