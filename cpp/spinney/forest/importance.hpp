#pragma once
// Permutation importance: how much worse a member answers for the rows that it left out once a column is shuffled.

#include "spinney/forest/fit.hpp"

namespace spinney {

struct ImportanceTask {
  const Forest& forest;
  const Matrix& x;       // the rows of fit
  const Target& target;  // of fit
  const Sampling& sampling;
  std::span<const std::int64_t> members;
  std::int64_t n_repeats;
};

/// members.size() * n_columns: the rise of the mean loss (share of errors, or the cost of the objective) over the rows
/// left out; NaN in a member that left none out.
std::vector<double> permutation_importance(const ImportanceTask& task, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
