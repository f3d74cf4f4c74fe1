#pragma once
// What a test is worth: the information gain in counts, its least over what earlier roots left, or the variance that
// it takes away, times the weight. Rows that a test cannot place go with the heavier side.

#include <span>
#include <vector>

#include "spinney/data/target.hpp"
#include "spinney/evolve/evaluate.hpp"

namespace spinney {

class Fitness {
 public:
  /// Of the samples of a node, in target order. earlier: for each earlier root the samples for which its test was true.
  Fitness(const Target& target, const Samples& samples, std::span<const SampleIndex> group,
          std::vector<Bits> earlier = {});

  /// The worth of a test by the truth of every sample; 0 if all go the same way. scratch is memory of the caller's.
  double operator()(const Truth& truth, std::vector<double>& scratch) const;
  /// Whether samples that the test cannot place go the true way.
  bool unknown_goes_true(const Truth& truth) const;
  /// The largest gain that any test could have: 0 where an earlier root has left nothing.
  double most() const { return most_; }

  struct Cut {
    double gain = 0.0, at = 0.0;
  };
  /// The best test `number > at`, at halfway between neighbours; no gain if there is none. Not for earlier roots.
  Cut best_cut(std::span<const double> numbers) const;

 private:
  void add(std::uint32_t sample, double sign, double* sums) const;
  struct Part {                  // samples that are looked at
    Bits bits;                   // none if these are all
    std::vector<std::size_t> n;  // by class
    std::vector<double> sums;
    Word within(std::size_t w) const { return bits.empty() ? ~Word{0} : bits[w]; }
  };
  Part part_of(Bits bits) const;
  void count(const Truth& truth, const Part& part, double* sums) const;
  template <class WordOf>
  void sum(const WordOf& word_of, double* sums) const;
  double gain(double* sums) const;
  double loss(const double* sums) const;
  double times_log(double w) const;

  std::size_t k_;  // numbers that are summed: weights by class, or weight and moment
  bool classes_;
  std::size_t n_;
  std::vector<std::size_t> begin_;  // of each class, in target order
  std::vector<double> unit_;        // what each sample of a class weighs, if they all weigh the same
  std::vector<double> weight_, y_;  // otherwise; y is centred
  Part all_;
  std::vector<Part> earlier_;      // the true side of each
  std::vector<double> log_table_;  // n * log2(n)
  double per_unit_ = 0.0;          // samples for a weight of 1, with the table
  double loss_ = 0.0, most_ = 0.0;
  double least_ = 0.0;  // gains up to this are rounding
};

}  // namespace spinney
