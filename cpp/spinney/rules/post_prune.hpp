#pragma once
// Post-pruning of rules (Quinlan 1993, chapter 5): conditions are dropped while a rule's pessimistic error rate does
// not rise; the rules are sorted by that rate; rules that the others do not need go; the rest falls to a default.

#include "spinney/interrupt.hpp"
#include "spinney/rules/row_bits.hpp"

namespace spinney {

struct PostPruned {
  std::vector<std::int32_t> origin;  // per kept rule, in order: its place in what came in
  RuleTable rules;
  std::vector<double> counts;  // per kept rule, the weight of each class among all rows it covers
  ClassCode default_label = 0;
  std::vector<double> default_counts;  // the weight of each class among rows that no kept rule covers
  std::vector<double> totals;          // the weight of each class among all rows
};

/// cf in (0, 0.5]. The errors of the result on the rows are never more than those of the sorted rules before any
/// of them was dropped. Rates that differ by rounding only are ties; they go to the earlier condition or rule.
PostPruned post_prune(const ConditionTable& conditions, const RuleTable& rules, const RuleRows& rows, double cf,
                      Interrupt& interrupt);

}  // namespace spinney
