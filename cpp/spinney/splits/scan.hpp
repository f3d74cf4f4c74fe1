#pragma once
// The search for the best division of a node by one column.
//
//   run    neighbouring entries that are tied: one value, or one category
//   cut    a division of sorted entries: those up to a position go left
//   drop   what a division takes off the node's loss (impurity times weight), over rows with a value

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "spinney/data/sorted.hpp"
#include "spinney/data/target.hpp"
#include "spinney/numbers.hpp"
#include "spinney/objective/objective.hpp"
#include "spinney/splits/given_cut.hpp"
#include "spinney/splits/groups.hpp"
#include "spinney/tolerance.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// What a group of samples adds up to, in split weights.
struct Totals {
  Numbers classes;  // classification: weight per class
  double weight = 0.0;
  double origin = 0.0;   // numbers: what the search takes off y; their mean, if the objective is shift-invariant
  bool centred = false;  // it is the mean of these very samples: distances from it add up to nothing
  double loss = 0.0;     // of the node; only its order of magnitude is used
  double count = 0.0, time = 0.0;  // deviances: sums of these very samples; a time of 0: unknown
  /// Drops closer than this are equal: the first of them wins, whatever the rounding of sums.
  double slack() const { return tolerance::kDrop * loss; }
};

struct Cut {
  double drop = -kInfinity;
  std::uint32_t position = 0;  // the last entry that goes left
  bool found() const { return drop > -kInfinity; }
};

struct Run {
  std::uint32_t begin, end;  // entries
};

/// Memory of one worker, reused from node to node.
struct Scratch {
  explicit Scratch(Interrupt& asked) : interrupt(&asked) {}
  Interrupt* interrupt;
  std::vector<Entry> entries;
  std::vector<Run> runs;
  Groups groups;
  std::vector<double> keys, numbers, left, run, previous, parent, buffer, buffer_weight, scores;
  std::vector<std::uint32_t> tags, order;
  std::vector<SampleIndex> samples, others;
};

/// Sums over blocks of `size` neighbouring entries of one column, the last block smaller.
struct BlockView {
  std::size_t size;
  const double* weight;
  const double* ones;
  double reached = -kInfinity;  // a score that some cut is known to have: blocks that cannot come to it are passed over
};

/// A test with its gain; numeric tests also say where the sorted entries are cut.
struct Split {
  double drop = -kInfinity;
  Test test;
  std::uint32_t position = 0;
  std::int32_t gap_branch = kNoBranch;  // of rows without a value, if the search has placed them
  bool found() const { return test.kind != TestKind::leaf; }
  void clear() {
    drop = -kInfinity;
    test.clear();
    position = 0;
    gap_branch = kNoBranch;
  }
  /// The branch of rows that the test cannot place, given that with most weight.
  std::int32_t default_branch(std::int32_t larger) const { return gap_branch == kNoBranch ? larger : gap_branch; }
};

/// A subset of groups, by bit.
struct Subset {
  double drop = -kInfinity;
  std::uint32_t mask = 0;
};

inline constexpr std::size_t kMaxExhaustive = 12;  // categories up to which all subsets are tried

/// The search over groups, for objectives that need no more than their moments.
class GroupScan {
 public:
  virtual ~GroupScan() = default;
  virtual std::size_t n_moments() const = 0;
  /// Adds the rows of one run to the moments and the weight of their group.
  virtual void add_run(std::span<const Entry> run, const Totals& totals, double* moments, double& weight) const = 0;
  /// One number a group: cuts of the groups in that order are worth trying.
  virtual void order_groups(const Groups& groups, std::vector<double>& keys) const = 0;
  /// The best cut of groups in their order; position is the last group that goes left.
  virtual Cut best_group_cut(const Groups& groups, const Totals& totals, const Limits& limits,
                             Scratch& scratch) const = 0;
  /// The best of those that keep the order of the limits; best: of all.
  virtual Cut best_ordered_group_cut(const Cut& best, const Groups& groups, const Totals& totals, const Limits& limits,
                                     Scratch& scratch) const = 0;
  /// Whether an ordering of the categories may miss the best subset; if so, all subsets of a few are tried.
  virtual bool needs_subsets() const = 0;
  virtual Subset best_subset(const Groups& groups, const Totals& totals, const Limits& limits,
                             Scratch& scratch) const = 0;
};

/// The search with sums of blocks that are known beforehand, as in boosting.
class BlockScan {
 public:
  virtual ~BlockScan() = default;
  /// The best score of a cut between blocks, for `reached`.
  virtual double best_between_blocks(std::span<const Entry> entries, const BlockView& blocks, const Totals& totals,
                                     const Limits& limits) const = 0;
  virtual Cut best_cut_by_blocks(std::span<const Entry> entries, const BlockView& blocks, const Totals& totals,
                                 const Limits& limits) const = 0;
};

/// The search of one objective over one set of samples.
class Scan {
 public:
  virtual ~Scan() = default;
  /// The best cut of sorted entries, all with a value.
  virtual Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                       Scratch& scratch) const = 0;
  /// The best of those that keep the order of the limits; best: of all.
  virtual Cut best_ordered_cut(const Cut& best, std::span<const Entry> entries, const Totals& totals,
                               const Limits& limits, Scratch& scratch) const = 0;
  /// The best subset test from sorted entries of a nominal column. In place of the code of a category it has the
  /// position of its first entry.
  virtual Split best_nominal(FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                             const Limits& limits, Scratch& scratch) const = 0;
  /// What one given division takes off the loss; -infinity if the limits, or the order that they ask for, forbid it.
  virtual double drop_of(const GivenCut& cut, const Totals& totals, const Limits& limits, Scratch& scratch) const;
  /// The same of four divisions, where no order is asked for.
  virtual std::array<double, kRowLanes> drops_of(const GivenCuts& cuts, const Totals& totals, const Limits& limits,
                                                 Scratch& scratch) const;
  /// Totals of some samples of a node whose own totals are given (numbers keep the node's origin).
  virtual Totals totals_of(std::span<const Entry> entries, const Totals& node) const = 0;
  /// What only some can do; null if this one cannot.
  virtual const GroupScan* groups() const { return nullptr; }
  virtual const BlockScan* blocks() const { return nullptr; }
};

/// Both sides of a division: lists in scratch.samples and scratch.others.
struct PartedSamples {
  std::span<const SampleIndex> left, right;
};
PartedSamples part(const GivenCut& cut, Scratch& scratch);

std::unique_ptr<Scan> make_scan(const ObjectiveChoice& choice, const Samples& samples);

/// How many entries are of samples from `first` on.
std::size_t count_from(std::span<const Entry> entries, SampleIndex first);

std::vector<Run>& find_runs(std::span<const Entry> entries, std::vector<Run>& runs);

/// The best subset test from groups of categories (scratch.groups), which it reorders.
Split best_subset_test(const GroupScan& scan, FeatureIndex feature, const Totals& totals, const Limits& limits,
                       Scratch& scratch);

/// What Scan::best_nominal finds: by groups, or by the rows in the order of a key for each category.
Split best_by_groups(const GroupScan& scan, FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                     const Limits& limits, Scratch& scratch);
Split best_by_keys(const Scan& scan, FeatureIndex feature, std::span<const Entry> entries, std::span<const Run> runs,
                   std::span<const double> keys, const Totals& totals, const Limits& limits, Scratch& scratch);

}  // namespace spinney
