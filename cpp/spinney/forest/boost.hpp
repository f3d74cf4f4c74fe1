#pragma once
// Boosting in one call: members one after the other, each from the rows that those before it got wrong.

#include "spinney/forest/booster.hpp"
#include "spinney/forest/fit.hpp"

namespace spinney {

struct BoostPlan {
  std::int64_t n_members = 50;
  BoostRules rules;
  bool resample = false;  // members learn from rows drawn by their weights instead of from weights
  std::uint64_t seed = 0;

  /// How often each row is drawn for a member, by the weights of the rows.
  std::vector<double> draw(std::span<const double> weights, std::uint64_t member) const;
};

struct Boosted {
  std::vector<Member> members;
  std::vector<BoostRound> rounds;  // one a member, and a last one more if its member was dropped
  std::vector<double> weights;     // by row, after the last member; 0 for rows of no weight
};

struct BoostInput {
  std::span<const LearnerInput> learners;  // in turn
  const BoostPlan& plan;
  std::span<const Tree> before;                // members that a warm start goes on from: judged again, not grown
  std::function<bool(std::int64_t)> finished;  // told how many members are done; true asks to stop
};

Boosted boost(BoostInput input, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
