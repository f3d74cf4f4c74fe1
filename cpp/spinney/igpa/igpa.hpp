#pragma once
// Iterative growing and pruning: the rows are dealt into parts; a tree grows on all parts but one, is pruned by that
// one, and grows on from its leaves with the next part left out, until it no longer changes in size.
//
//   iteration   grown on      pruned by         (two parts)
//       0        part 0        part 1
//       1        part 1        part 0    from the leaves of the tree of iteration 0
//       2        part 0        part 1    from the leaves of the tree of iteration 1 ...

#include <span>
#include <vector>

#include "spinney/grow/grow.hpp"

namespace spinney {

struct IgpaParams {
  std::int64_t n_parts = 2;
  std::int64_t max_iterations = 50;
  bool renews_labels = false;   // all nodes count the rows that grow the tree, in every iteration
  bool prunes_all = false;      // not only what an iteration has grown
  bool keeps_unjudged = false;  // nodes that no row of the pruning part reaches
  bool recounts = true;         // in the end all nodes count all rows
};

/// What one growing and one pruning did. Errors are costs per weight.
struct Iteration {
  std::int64_t judge = 0;  // the part that pruned
  std::int64_t n_leaves_grown = 0, n_leaves = 0;
  double growing_error = 0.0;      // of the pruned tree, by the rows that grew it
  double judge_error_grown = 0.0;  // of the grown tree, by the rows that prune it
  double judge_error = 0.0;        // of the pruned tree, by these
};

/// Answers, labels or numbers, for rows by what did not see them.
struct OutsideAnswers {
  std::vector<RowIndex> rows;
  std::vector<double> answers;
};

struct IgpaTree {
  Tree tree;
  std::vector<Iteration> history;
  bool settled = true;
  OutsideAnswers outside;  // of the first tree, for the rows that prune it: each as if it did not
};

/// What costs another pass over the rows, for those who ask.
struct IgpaReport {
  bool growing_errors = false;
  bool outside = false;
};

/// Nothing here is consumed: every iteration takes its rows from the samples and their sort (null with max_bins).
struct IgpaInput {
  const Dataset& data;
  const Target& target;
  const GrowParams& params;
  const Samples& samples;
  const SortedColumns* sorted;
  std::span<const std::int32_t> part;  // by row
  const IgpaParams& igpa;
  IgpaReport report;
};

IgpaTree grow_and_prune(const IgpaInput& input, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
