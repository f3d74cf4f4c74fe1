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
  double mean = 0.0;            // regression
  double loss = 0.0;            // of the group; only its order of magnitude is used
};

struct Cut {
  double drop = -kInfinity;
  std::uint32_t position = 0;   // the last entry that goes left
  bool found() const { return drop > -kInfinity; }
};

struct Run {
  std::uint32_t begin, end;     // entries
  std::uint32_t rank;
  double key;                   // where the category stands in the order of categories
};

/// Memory of one worker, reused from node to node.
struct Scratch {
  std::vector<Entry> entries;
  std::vector<Run> runs;
  std::vector<double> numbers, counts, left, run, previous, buffer, buffer_weight, scores;
  std::vector<std::uint32_t> tags;
  std::vector<SampleIndex> samples;
};

/// A subset of runs, by bit.
struct Subset {
  double drop = -kInfinity;
  std::uint32_t mask = 0;
};

inline constexpr std::size_t kMaxExhaustive = 12;  // categories up to which all subsets are tried

class Scan {
 public:
  virtual ~Scan() = default;
  /// The best cut of sorted entries, all with a value; both sides keep min_leaf entries.
  virtual Cut best_cut(std::span<const Entry> entries, const Totals& totals, std::size_t min_leaf,
                       Scratch& scratch) const = 0;
  /// Fills runs[i].key so that cuts of the runs in that order are worth trying.
  virtual void order_runs(std::span<const Entry> entries, std::vector<Run>& runs, Scratch& scratch) const = 0;
  /// Whether an ordering of the categories may miss the best subset.
  virtual bool needs_subsets() const { return false; }
  virtual Subset best_subset(std::span<const Entry>, std::span<const Run>, const Totals&, std::size_t, Scratch&) const {
    return {};
  }
  /// Totals of some samples of a node whose own totals are given (regression keeps the node's mean).
  virtual Totals totals_of(std::span<const Entry> entries, const Totals& node) const = 0;
};

std::unique_ptr<Scan> make_scan(const CriterionChoice& choice, const Samples& samples);

/// The first allowed cut: what a node without any gain is divided by.
std::optional<std::uint32_t> first_cut(std::span<const Entry> entries, std::size_t min_leaf);

std::vector<Run>& find_runs(std::span<const Entry> entries, std::vector<Run>& runs);

/// A test with its gain; numeric tests also say where the sorted entries are cut.
struct Split {
  double drop = -kInfinity;
  Test test;
  std::uint32_t position = 0;
  bool found() const { return test.kind != TestKind::leaf; }
};

/// The best subset test on a nominal column; any: the first allowed one if none gains.
Split best_nominal(const Scan& scan, FeatureIndex feature, std::span<const Entry> entries, const Totals& totals,
                   std::size_t min_leaf, bool any, Scratch& scratch);

}  // namespace spinney
