"""`Rule`: conditions, the prediction where they hold, and quality measures from training rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._expression.tokens import check_tokens
from spinney._format import category_text, number_text, without_controls
from spinney._table import Schema
from spinney._typing import Floats
from spinney.rules._conditions import (
    Condition,
    ExpressionCondition,
    Membership,
    conditions_text,
    merged,
)

if TYPE_CHECKING:
    from spinney.tree._node import Node
    from spinney.tree._tree import Tree


@dataclass(frozen=True)
class Step:
    """A node on the path of a rule, and the branch taken there.

    Parameters
    ----------
    node : Node
        The node, with its test, surrogates, default child and the weights of its children.
    branch : int
        Index of the child on the path.
    """

    node: "Node"
    branch: int

    @property
    def missing(self) -> str:
        """How missing values are handled: the `missing` of the learner, such as 'surrogate'."""
        return self.node.tree.missing

    @property
    def fractions(self) -> tuple[float, ...]:
        """Each child's fraction of the weight, by which rows with a missing value are divided."""
        weights = [child.weight for child in self.node.children]
        total = sum(weights)
        return tuple(weight / total if total > 0 else 0.0 for weight in weights)

    def __str__(self) -> str:
        test = self.node.test
        return "" if test is None else test.branch_text(self.branch)


class Rule:
    """Conditions, and the class or value predicted where all of them hold.

    Rules come from `tree.rules()` and `RuleSet.prune`. A rule of a tree keeps its path and covers
    exactly the rows that the tree sends to its leaf, also those with missing values. Any other rule
    covers a row if all its conditions are true; a condition on a missing value is false unless it
    includes "or missing".

    Parameters
    ----------
    conditions : iterable of Interval, Membership or ExpressionCondition
        The conditions; several on the same column or expression are merged.
    prediction : object
        The predicted class, or the mean.
    counts : array of shape (n_classes,), default=None
        Class weights of the covered training rows.
    totals : array of shape (n_classes,), default=None
        Class weights of all training rows.
    label : int, default=None
        Index of the predicted class in `counts`.
    coverage : float, default=None
        Weight of the covered rows; by default the sum of `counts`.
    total_weight : float, default=None
        Weight of all rows; by default the sum of `totals`.
    probabilities : array of shape (n_classes,), default=None
        Class probabilities where this rule decides; by default the proportions of `counts`.
    cf : float, default=0.25
        Confidence level of `error_estimate`; for pruned rules that of the pruning.

    Examples
    --------
    >>> from spinney.rules import Interval, Rule
    >>> rule = Rule([Interval(0, "income", high=36)], "bad", [22, 3], [50, 30], label=0)
    >>> print(rule)
    if income <= 36 then bad  (coverage 25, confidence 0.88, lift 1.41)
    >>> round(rule.error_estimate, 3)
    0.193
    """

    def __init__(
        self,
        conditions: Iterable[Condition],
        prediction: Any,
        counts: Any = None,
        totals: Any = None,
        *,
        label: int | None = None,
        coverage: float | None = None,
        total_weight: float | None = None,
        probabilities: Any = None,
        cf: float = 0.25,
    ) -> None:
        self.conditions = merged(list(conditions))
        self.prediction = prediction
        self.counts = _array(counts)
        self.totals = _array(totals)
        self.label = label
        self._weight = coverage
        self._total_weight = total_weight
        self._probabilities = _array(probabilities)
        self.cf = cf
        self._tree: Tree | None = None
        self._leaf = -1

    # -- Quality

    @property
    def coverage(self) -> float:
        """Weight of the covered training rows; NaN if unknown."""
        if self._weight is None:
            return float("nan") if self.counts is None else float(self.counts.sum())
        return self._weight

    @property
    def coverage_share(self) -> float:
        """Fraction of the training weight that is covered; NaN if unknown."""
        total = self._total_weight
        if total is None:
            total = float("nan") if self.totals is None else float(self.totals.sum())
        return self.coverage / total if total != 0 else float("nan")

    @property
    def probabilities(self) -> Floats | None:
        """Class probabilities of the covered rows; None for regression.

        A leaf that no training row reached has those of its parent.
        """
        if self._probabilities is not None or self.counts is None:
            return self._probabilities
        total = self.counts.sum()
        n = len(self.counts)
        return self.counts / total if total > 0 else np.full(n, 1.0 / n)

    @property
    def confidence(self) -> float:
        """Fraction of the covered rows that have the predicted class; NaN if unknown."""
        shares = self.probabilities
        return float("nan") if shares is None or self.label is None else float(shares[self.label])

    @property
    def lift(self) -> float:
        """Confidence divided by the frequency of the class among all rows; NaN if unknown."""
        if self.totals is None or self.label is None or not self.totals[self.label] > 0:
            return float("nan")
        return self.confidence / float(self.totals[self.label] / self.totals.sum())

    @property
    def error_estimate(self) -> float:
        """Pessimistic error rate of C4.5 at `cf`; NaN if unknown."""
        if self.counts is None or self.label is None:
            return float("nan")
        total = float(self.counts.sum())
        if not total > 0:
            return 1.0
        errors = float(np.delete(self.counts, self.label).sum())
        return (errors + _core.added_errors(total, errors, self.cf)) / total

    # -- Rows

    @property
    def path(self) -> tuple[Step, ...] | None:
        """Steps from the root to the leaf; None if the rule is not a path of a tree."""
        if self._tree is None:
            return None
        steps = []
        node = self._tree[self._leaf]
        while (parent := node.parent) is not None:
            branch = node.branch
            assert branch is not None
            steps.append(Step(parent, branch))
            node = parent
        return tuple(reversed(steps))

    def _shares(self, values: Floats) -> Floats:
        """Return the fraction of each encoded row that the rule covers."""
        if self._tree is None:
            held = np.ones(len(values), dtype=bool)
            for condition in self.conditions:
                held &= condition.fulfilled(values)
            return held.astype(np.float64)
        row, leaf, share = _core.leaf_shares(self._tree._core, values)
        here = leaf == self._leaf
        shares: Floats = np.bincount(row[here], share[here], minlength=len(values)).astype(
            np.float64
        )
        return shares

    def share(self, X: Any, *, encoded: bool = False) -> Floats:
        """Return the fraction of each row that the rule covers.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Array or table with the columns of the tree.
        encoded : bool, default=False
            Whether X is a float64 array with category codes. Required for a rule that is not a path
            of a tree; use `RuleSet` for tables.

        Returns
        -------
        array of shape (n_rows,)
            Between 0 and 1; fractional only if the tree divides rows with missing values.
        """
        if self._tree is None and not encoded:
            raise ValueError(
                "a rule that is not a path of a tree needs encoded=True. Ask its RuleSet instead, "
                "which knows the columns: rules[i:i + 1].covers(X)."
            )
        return self._shares(X if self._tree is None else self._tree._encode(X, encoded))

    def covers(self, X: Any, *, encoded: bool = False) -> NDArray[np.bool_]:
        """Return whether the rule covers each row, at least in part.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Array or table with the columns of the tree.
        encoded : bool, default=False
            Whether X is a float64 array with category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        return self.share(X, encoded=encoded) > 0

    # -- Text and comparison

    @property
    def prediction_text(self) -> str:
        """The prediction as text."""
        if isinstance(self.prediction, float) and self.label is None:
            return number_text(self.prediction, 6)
        return category_text(self.prediction)

    def __str__(self) -> str:
        start = f"if {conditions_text(self.conditions)} then " if self.conditions else ""
        known = [("coverage", self.coverage), ("confidence", self.confidence), ("lift", self.lift)]
        facts = ", ".join(f"{name} {_short(value)}" for name, value in known if value == value)
        return without_controls(f"{start}{self.prediction_text}{f'  ({facts})' if facts else ''}")

    def __repr__(self) -> str:
        return f"Rule({self})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        same = self.conditions == other.conditions and self.prediction == other.prediction
        return same and self.label == other.label and same_array(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.conditions, self.prediction))


def _array(numbers: Any) -> Floats | None:
    return None if numbers is None else np.asarray(numbers, dtype=np.float64)


def same_array(one: Any, other: Any) -> bool:
    """Return whether two arrays are equal, or both None."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def _short(value: float) -> str:
    """Format a fraction with two decimals, a whole number without."""
    return number_text(value) if value.is_integer() else f"{value:.2f}".rstrip("0").rstrip(".")


def check_rules(rules: Iterable[Any], schema: Schema) -> tuple[Rule, ...]:
    """Return the rules after checking that their conditions match the schema."""
    checked = tuple(rules)
    for place, rule in enumerate(checked):
        if not isinstance(rule, Rule):
            raise TypeError(f"rules must be Rule objects, got {rule!r} at place {place}.")
        for condition in rule.conditions:
            _check_condition(condition, schema, place)
    return checked


def _check_condition(condition: Condition, schema: Schema, place: int) -> None:
    if isinstance(condition, ExpressionCondition):
        if condition.test.columns != schema.columns:
            raise ValueError(
                f"rule {place}, condition {condition}: its columns are not those of the schema."
            )
        check_tokens(condition.test.tokens, len(schema.columns))
        return
    where = f"rule {place}, condition on {condition.name!r}"
    if not 0 <= condition.feature < len(schema.columns):
        raise ValueError(
            f"{where}: there is no column {condition.feature}, the schema has "
            f"{len(schema.columns)}."
        )
    column = schema.columns[condition.feature]
    if condition.name != column.name:
        raise ValueError(
            f"{where}: column {condition.feature} is {column.name!r}, not {condition.name!r}."
        )
    categories = condition.vocabulary if isinstance(condition, Membership) else condition.categories
    if categories is not column.categories and tuple(categories) != column.categories:
        raise ValueError(
            f"{where}: the categories of {column.name!r} are {column.categories!r} in this order, "
            f"the condition has {tuple(categories)!r}."
        )
    if column.kind != "numeric" and not categories:
        raise ValueError(f"{where}: the column has no categories, so no value of it is known.")
    if isinstance(condition, Membership):
        if any(not 0 <= code < len(column.categories) for code in condition.codes):
            raise ValueError(f"{where}: a code is not among the categories of {column.name!r}.")
    elif condition.low != condition.low or condition.high != condition.high:
        raise ValueError(f"{where}: a bound is NaN. Use infinity for no bound.")
