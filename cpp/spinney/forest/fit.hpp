#pragma once
// An ensemble in one call: every member from the same encoded and sorted table, in threads, with its out-of-bag
// answers added up as it is finished.

#include <functional>

#include "spinney/forest/forest.hpp"
#include "spinney/forest/sampling.hpp"

namespace spinney {

struct EnsemblePlan {
  std::int64_t n_members = 100;
  std::int64_t first_member = 0;  // a warm start goes on from here
  Sampling sampling;
  bool out_of_bag = false;    // add up the answers for rows left out
  bool records = false;       // judge every member on all rows
  std::int64_t patience = 0;  // stop when the error of all rows has not fallen for so many members; 0: never
  double tolerance = 0.0;     // by more than this
};

/// Answers of the members that did not see a row, added up over the members in order.
struct OutOfBag {
  std::vector<double> sums;           // n_rows * n_outputs
  std::vector<std::int64_t> n_votes;  // by row
  std::vector<double> curve;          // the error after each member; NaN while no row was left out
  std::int64_t n_to_cover = 0;        // members after which every row had an answer; 0: not yet
};

/// How a member does by itself, for the choice of those that stay. Errors are weights of rows with another label, or
/// weighted costs of the objective.
struct Record {
  double training_error = 0.0;  // over all training rows
  double bag_error = 0.0, bag_weight = 0.0;
  std::int64_t n_iterations = 0;  // of growing and pruning in turn
  bool settled = true;
};

struct Ensemble {
  std::vector<Member> members;
  std::vector<Record> records;
  OutOfBag out_of_bag;
};

/// A learner with what it sees: ID3 sees intervals where others see numbers, and costs and class weights are its own.
struct LearnerInput {
  Dataset data;
  const Target& target;
  const Learner& learner;
};

struct EnsembleInput {
  std::span<const LearnerInput> learners;  // member i is trained by learner i modulo their number
  const EnsemblePlan& plan;
  OutOfBag before;  // of the members that a warm start goes on from
  /// Told now and then, by the calling thread, how many members are done; true asks to stop soon.
  std::function<bool(std::int64_t)> finished;
};

Ensemble fit_ensemble(EnsembleInput input, ThreadTeam& team, Interrupt& interrupt);

/// One shared table for every learner. Their targets are the same rows with the same weights, so that learners of one
/// table share its sort.
std::vector<SharedTable> share_tables(std::span<const LearnerInput> learners, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
