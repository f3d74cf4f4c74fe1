"""Rule sets: extraction from trees, post-pruning, prediction and explanations.

`tree.rules()` returns the paths of a tree as a `RuleSet`, which predicts exactly as the tree does.
`RuleSet.prune` shortens it to an ordered list, as C4.5rules does. `explain` returns the rules
behind the prediction of a row, and the changes that lead to another prediction.
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.rules._conditions import ExpressionCondition, Interval, Membership
from spinney.rules._counterfactual import Alternative, Change
from spinney.rules._explanation import Explanation, Fired
from spinney.rules._extract import pruned_rules
from spinney.rules._rule import Rule, Step
from spinney.rules._ruleset import RuleSet

__all__ = [
    "Alternative",
    "Change",
    "Explanation",
    "ExpressionCondition",
    "Fired",
    "Interval",
    "Membership",
    "Rule",
    "RuleSet",
    "Step",
    "pruned_rules",
]
