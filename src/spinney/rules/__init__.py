"""Rules: what a tree says, as sentences that can be read, sorted, shortened and used by themselves.

`tree.rules()` gives every path of a tree as a `Rule` of a `RuleSet`, which predicts just as the
tree does. `RuleSet.prune` makes of it a shorter, ordered list, as C4.5rules does. `explain` tells
which rule decided about a row, and what would have to change for another answer.
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.rules._conditions import Expression, Interval, Membership
from spinney.rules._explain import Alternative, Change, Explanation, Fired
from spinney.rules._prune import pruned_rules
from spinney.rules._rule import Rule, Step
from spinney.rules._ruleset import RuleSet

__all__ = [
    "Alternative",
    "Change",
    "Explanation",
    "Expression",
    "Fired",
    "Interval",
    "Membership",
    "Rule",
    "RuleSet",
    "Step",
    "pruned_rules",
]
