#pragma once
// The search for the best division of a node by one column.
//
//   run    neighbouring entries of equal rank: one value, or one category
//   cut    a division of sorted entries: those up to a position go left
//   drop   what a division takes off the node's loss (impurity times weight), over rows with a value

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "spinney/criteria/criteria.hpp"
#include "spinney/data/sorted.hpp"
#include "spinney/data/target.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// What a group of samples adds up to, in split weights.
struct Totals {
  std::vector<double> classes;  // classification: weight per class
  double weight = 0.0;
  double mean = 0.0;     // regression
  bool centred = false;  // it is the mean of these very samples: distances from it add up to nothing
  double loss = 0.0;     // of the node; only its order of magnitude is used
  /// Drops closer than this are equal: the first of them wins, whatever the rounding of sums.
  double slack() const { return 1e-13 * loss; }
};

/// What must remain on each side of a division.
struct Limits {
  std::size_t rows = 1;
  double weight = 0.0;
  /// A weight limit turned into one of rows, where every row weighs the same.
  static Limits of_rows(std::size_t rows, double weight, double row_weight);
};

struct Cut {
  double drop = -kInfinity;
  std::uint32_t position = 0;  // the last entry that goes left
  bool found() const { return drop > -kInfinity; }
};

struct Run {
  std::uint32_t begin, end;  // entries
  std::uint32_t rank;
};

/// Rows that no cut can part: those of a category, or of a bin. moments holds k numbers a group: class weights, or
/// the weighted sum of y - totals.mean.
struct Groups {
  std::vector<std::uint32_t> rank;
  std::vector<double> rows, weight, moments;
  std::size_t k = 1;
  std::size_t size() const { return rank.size(); }
  void clear(std::size_t n_moments);
  const double* moments_of(std::size_t group) const { return moments.data() + group * k; }
  /// Reorders the groups by ascending key; equal keys keep their order. But if the groups below or above equal ones are
  /// fewer than the limits allow, only a cut through the equal ones can part them: those that fill the side with few
  /// rows to spare are next to it.
  void sort_by(const std::vector<double>& keys, const Limits& limits);

 private:
  std::vector<std::size_t> order_by(const std::vector<double>& keys, const Limits& limits) const;
  /// Takes groups until a side that has so much meets the limits, the smallest first, and gives back what is too much.
  std::vector<std::size_t> take(std::vector<std::size_t>& from, double has_rows, double has_weight,
                                const Limits& limits) const;
};

/// Memory of one worker, reused from node to node.
struct Scratch {
  explicit Scratch(Interrupt& asked) : interrupt(&asked) {}
  Interrupt* interrupt;
  std::vector<Entry> entries;
  std::vector<Run> runs;
  Groups groups;
  std::vector<double> keys, numbers, left, run, previous, buffer, buffer_weight, scores;
  std::vector<std::uint32_t> tags;
  std::vector<SampleIndex> samples;
};

/// A subset of runs, by bit.
struct Subset {
  double drop = -kInfinity;
  std::uint32_t mask = 0;
};

inline constexpr std::size_t kMaxExhaustive = 12;  // categories up to which all subsets are tried

/// Sums over blocks of `size` neighbouring entries of one column, the last block smaller.
struct BlockView {
  std::size_t size;
  const double* weight;
  const double* ones;
  double reached = -kInfinity;  // a score that some cut is known to have: blocks that cannot come to it are passed over
};

class Scan {
 public:
  virtual ~Scan() = default;
  /// The best cut of sorted entries, all with a value.
  virtual Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                       Scratch& scratch) const = 0;
  /// Whether best_cut can use sums of blocks that are known beforehand.
  virtual bool uses_blocks() const { return false; }
  /// The best score of a cut between blocks, for `reached`.
  virtual double best_between_blocks(std::span<const Entry>, const BlockView&, const Totals&, const Limits&) const {
    return -kInfinity;
  }
  /// The same with these sums, of one column.
  virtual Cut best_cut_by_blocks(std::span<const Entry> entries, const BlockView&, const Totals& totals,
                                 const Limits& limits, Scratch& scratch) const {
    return best_cut(entries, totals, limits, scratch);
  }
  /// One number a category: cuts of the categories in that order are worth trying.
  virtual void order_runs(std::span<const Entry> entries, std::span<const Run> runs, std::vector<double>& keys,
                          Scratch& scratch) const = 0;

  /// Whether groups of rows say enough (they do not for medians); if so, the functions below work.
  virtual bool takes_groups() const { return true; }
  /// How many moments a group has, and the moments of one run.
  virtual std::size_t n_moments() const { return 1; }
  virtual void add_run(std::span<const Entry> run, const Totals& totals, double* moments, double& weight) const = 0;
  virtual void order_groups(const Groups& groups, std::vector<double>& keys) const = 0;
  /// The best cut of groups in their order; position is the last group that goes left.
  virtual Cut best_group_cut(const Groups& groups, const Totals& totals, const Limits& limits,
                             Scratch& scratch) const = 0;
  /// Whether an ordering of the categories may miss the best subset; if so, all subsets of a few are tried.
  virtual bool needs_subsets() const { return false; }
  virtual Subset best_subset(const Groups&, const Totals&, const Limits&, Scratch&) const { return {}; }
  /// Totals of some samples of a node whose own totals are given (regression keeps the node's mean).
  virtual Totals totals_of(std::span<const Entry> entries, const Totals& node) const = 0;
};

std::unique_ptr<Scan> make_scan(const CriterionChoice& choice, const Samples& samples);

std::vector<Run>& find_runs(std::span<const Entry> entries, std::vector<Run>& runs);

/// A test with its gain; numeric tests also say where the sorted entries are cut.
struct Split {
  double drop = -kInfinity;
  Test test;
  std::uint32_t position = 0;
  bool found() const { return test.kind != TestKind::leaf; }
};

/// The best subset test from groups of categories (scratch.groups), which it reorders.
Split best_subset_test(const Scan& scan, FeatureIndex feature, const Totals& totals, const Limits& limits,
                       Scratch& scratch);

/// The same from sorted entries of a nominal column.
Split best_nominal(const Scan& scan, FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                   const Limits& limits, Scratch& scratch);

}  // namespace spinney
