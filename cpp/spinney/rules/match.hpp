#pragma once
// Rules on rows: which rule fires first, how many fire, and how rows are shared among the leaves of a tree.

#include "spinney/interrupt.hpp"
#include "spinney/rules/conditions.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// first[row]: the first rule whose conditions a row fulfils, -1 if there is none.
/// count[row]: how many there are. Either may be null.
void match_rules(const ConditionTable& conditions, const RuleTable& rules, const Matrix& x, std::int32_t* first,
                 std::int32_t* count, Interrupt& interrupt);

/// The leaves that each row reaches, in the order in which prediction adds them up, and with which share.
struct LeafShares {
  std::vector<RowIndex> row;
  std::vector<NodeId> leaf;
  std::vector<double> share;
};
LeafShares leaf_shares(const Tree& tree, const Matrix& x, Interrupt& interrupt);

}  // namespace spinney
