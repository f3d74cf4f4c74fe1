"""One rule: conditions, what is predicted where they hold, and how well that has served."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._controls import without_controls
from spinney.rules._conditions import Condition, conditions_text, merged
from spinney.tree._words import category_text, number_text

if TYPE_CHECKING:
    from spinney.tree._node import Node
    from spinney.tree._view import Tree

__all__ = ["Rule", "Step"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One node on the path of a rule, and the way that the path takes there.

    Parameters
    ----------
    node : Node
        The node, with its test, surrogates, default child and the weights of its children.
    branch : int
        The child that the path goes to.
    """

    node: "Node"
    branch: int

    @property
    def missing(self) -> str:
        """How rows without an answer go on: 'surrogate', 'majority' or 'fractional'."""
        return self.node.tree.missing

    @property
    def fractions(self) -> tuple[float, ...]:
        """Each child's share of the weight: where rows without an answer go if divided."""
        weights = [child.weight for child in self.node.children]
        total = sum(weights)
        return tuple(weight / total if total > 0 else 0.0 for weight in weights)

    def __str__(self) -> str:
        test = self.node.test
        return "" if test is None else test.branch_text(self.branch)


class Rule:
    """If some conditions hold, predict a class or a number.

    `tree.rules()` and `RuleSet.prune` make rules. One of a tree knows its path, and so covers just
    those rows that the tree sends to its leaf, with gaps too; any other rule covers a row if all
    its conditions are true, and a condition on a missing value is not.

    Parameters
    ----------
    conditions : iterable of Interval, Membership or Expression
        Several on one column, or of the same expression, are merged.
    prediction : object
        The class, or the mean.
    counts : array of shape (n_classes,), default=None
        Weight of each class among the rows that it covers.
    totals : array of shape (n_classes,), default=None
        Weight of each class among all rows.
    label : int, default=None
        Place of the predicted class in `counts`.
    coverage : float, default=None
        Weight of the rows that it covers; the sum of `counts` if those are given.
    total_weight : float, default=None
        Weight of all rows; the sum of `totals` if those are given.
    probabilities : array of shape (n_classes,), default=None
        What `predict_proba` gives where this rule decides; by default the shares in `counts`.
    cf : float, default=0.25
        Confidence of `error_estimate`; rules that were pruned have that of their pruning.

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

    # -- How well it has served

    @property
    def coverage(self) -> float:
        """Weight of the training rows that it covers; NaN if that is not known."""
        if self._weight is None:
            return float("nan") if self.counts is None else float(self.counts.sum())
        return self._weight

    @property
    def coverage_share(self) -> float:
        """Share of the weight of all training rows that it covers; NaN if that is not known."""
        total = self._total_weight
        if total is None:
            total = float("nan") if self.totals is None else float(self.totals.sum())
        return self.coverage / total if total != 0 else float("nan")

    @property
    def probabilities(self) -> Floats | None:
        """Share of each class among the rows that it covers; None for regression.

        A leaf that no training row reached has those of the node above it.
        """
        if self._probabilities is not None or self.counts is None:
            return self._probabilities
        total = self.counts.sum()
        n = len(self.counts)
        return self.counts / total if total > 0 else np.full(n, 1.0 / n)

    @property
    def confidence(self) -> float:
        """Share of its class among the rows that it covers; NaN if that is not known."""
        shares = self.probabilities
        return float("nan") if shares is None or self.label is None else float(shares[self.label])

    @property
    def lift(self) -> float:
        """Confidence over the share of its class among all rows; NaN if that is not known."""
        if self.totals is None or self.label is None or not self.totals[self.label] > 0:
            return float("nan")
        return self.confidence / float(self.totals[self.label] / self.totals.sum())

    @property
    def error_estimate(self) -> float:
        """C4.5's pessimistic error rate, at `cf`; NaN if that is not known."""
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
        """The steps from the root to the leaf; None if the rule is not a path of a tree."""
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
        """Return the share of each encoded row that the rule covers."""
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
        """Return the share of each row that the rule covers.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns that the tree knows.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes. A rule that is not a
            path of a tree knows no table and needs this; use `RuleSet` for tables.

        Returns
        -------
        array of shape (n_rows,)
            Between 0 and 1; other than these only if the tree divides rows with gaps.
        """
        if self._tree is None and not encoded:
            raise ValueError(
                "a rule that is not a path of a tree needs encoded=True. Ask its RuleSet instead, "
                "which knows the columns: rules[i:i + 1].covers(X)."
            )
        return self._shares(X if self._tree is None else self._tree._encode(X, encoded))

    def covers(self, X: Any, *, encoded: bool = False) -> NDArray[np.bool_]:
        """Return whether the rule covers each row, or a share of it.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns that the tree knows.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        return self.share(X, encoded=encoded) > 0

    # -- Text and comparison

    @property
    def prediction_text(self) -> str:
        """What is predicted, as text."""
        if isinstance(self.prediction, float) and self.label is None:
            return number_text(self.prediction, 6)
        return category_text(self.prediction)

    def __str__(self) -> str:
        said = f"if {conditions_text(self.conditions)} then " if self.conditions else ""
        known = [("coverage", self.coverage), ("confidence", self.confidence), ("lift", self.lift)]
        facts = ", ".join(f"{name} {_short(value)}" for name, value in known if value == value)
        return without_controls(f"{said}{self.prediction_text}{f'  ({facts})' if facts else ''}")

    def __repr__(self) -> str:
        return f"Rule({self})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        same = self.conditions == other.conditions and self.prediction == other.prediction
        return same and self.label == other.label and _same(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.conditions, self.prediction))


def _array(numbers: Any) -> Floats | None:
    return None if numbers is None else np.asarray(numbers, dtype=np.float64)


def _same(one: Floats | None, other: Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def _short(value: float) -> str:
    """Write a share with two decimals, a weight as a number."""
    return number_text(value) if value.is_integer() else f"{value:.2f}".rstrip("0").rstrip(".")
