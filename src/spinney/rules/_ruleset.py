"""A set of rules: a sequence that can be read, edited, sorted and asked for predictions."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from spinney._as_code import AsCode
from spinney._checks import Choice
from spinney._params import CF
from spinney._state import plain_state
from spinney._table import Schema, encode_for
from spinney._target import check_weights, class_target
from spinney.rules._check import check_cost_matrix, check_default_counts, check_rules
from spinney.rules._evaluate import Mixture, blocks, cheapest, first_firing, mixture, rule_shares
from spinney.rules._frame import rules_frame
from spinney.rules._pack import Packed, pack
from spinney.rules._rule import Rule
from spinney.tree._words import category_text, join_words, number_text

if TYPE_CHECKING:
    from spinney.rules._explain import Explanation

__all__ = ["RuleSet"]

Floats = NDArray[np.float64]
_ORDERS = {"confidence": -1, "coverage": -1, "lift": -1, "error": 1}


@plain_state
class RuleSet(Sequence[Rule], AsCode):
    """Rules that predict together. A set never changes: what edits it returns another one.

    The rules of a tree (`tree.rules()`) each speak for the share of a row that reaches their leaf,
    so the set predicts just as the tree, with gaps too. After `prune` the set is *ordered*: the
    first rule that fires decides, a condition on a missing value is not true, and `predict_proba`
    gives the plain class shares among the training rows that this rule covers. Where no rule fires
    the default is predicted.

    Parameters
    ----------
    rules : iterable of Rule
        There may be none: then the default is always predicted.
    schema : Schema
        Names, kinds and categories of the columns, such as `tree.schema`.
    classes : array of shape (n_classes,), default=None
        The labels; None for regression.
    default : object, default=None
        The class or the mean that is predicted where no rule fires. Without one such a row is an
        error.
    default_counts : array of shape (n_classes,), default=None
        Weights of the classes that `predict_proba` gives where no rule fires; by default all goes
        to the default class.
    cost_matrix : array of shape (n_classes, n_classes), default=None
        What mistakes cost, if rules that are not ordered disagree about a row.
    ordered : bool, default=None
        Whether the first rule that fires decides alone. By default only if not all rules are paths
        of a tree.

    Attributes
    ----------
    rules : tuple of Rule
        The rules.

    Examples
    --------
    >>> from spinney import CARTClassifier
    >>> X, y = {"income": [20, 30, 40, 50]}, ["bad", "bad", "good", "good"]
    >>> rules = CARTClassifier().fit(X, y).tree_.rules()
    >>> print(rules)
    1. if income <= 35 then bad  (coverage 2, confidence 1, lift 2)
    2. if income > 35 then good  (coverage 2, confidence 1, lift 2)
    otherwise bad
    >>> rules.predict({"income": [10, 60]}).tolist()
    ['bad', 'good']
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        *,
        schema: Schema,
        classes: Any = None,
        default: Any = None,
        default_counts: Any = None,
        cost_matrix: Any = None,
        ordered: bool | None = None,
    ) -> None:
        self.rules = check_rules(rules, schema)
        self.schema = schema
        self.classes: NDArray[Any] | None = None if classes is None else np.asarray(classes)
        self.default = default
        n_classes = 0 if self.classes is None else len(self.classes)
        self.default_counts = check_default_counts(default_counts, n_classes)
        self.cost_matrix = check_cost_matrix(cost_matrix, n_classes)
        if ordered is None:
            ordered = any(rule._tree is None for rule in self.rules)
        self.ordered = ordered
        for rule in self.rules:
            self._code(rule.prediction, "a rule")
        if default is not None:
            self._code(default, "default")

    def _code(self, label: Any, what: str) -> int:
        if self.classes is None:
            return -1
        code = self._codes.get(label)
        if code is None:
            known = join_words(self.classes.tolist())
            raise ValueError(f"{what} predicts {label!r}, which is none of the classes: {known}.")
        return code

    @cached_property
    def _codes(self) -> dict[Any, int]:
        assert self.classes is not None
        return {label: code for code, label in enumerate(self.classes.tolist())}

    @cached_property
    def _labels(self) -> NDArray[np.intp]:
        """Class code of each rule."""
        return np.array([self._code(rule.prediction, "") for rule in self.rules], dtype=np.intp)

    @cached_property
    def _packed(self) -> Packed:
        conditions = [rule.conditions for rule in self.rules]
        return pack(conditions, self._labels.tolist(), len(self.schema.columns))

    @cached_property
    def _answers(self) -> Floats:
        """Class shares, or the mean, that each rule gives, and in the last row the default's."""
        if self.classes is None:
            means = [rule.prediction for rule in self.rules]
            last = np.nan if self.default is None else self.default
            return np.array([*means, last], dtype=np.float64)[:, None]
        answers = np.zeros((len(self) + 1, len(self.classes)))
        for place, rule in enumerate(self.rules):
            shares = rule.probabilities
            answers[place] = (
                np.eye(len(self.classes))[self._labels[place]] if shares is None else shares
            )
        counts = self.default_counts
        if counts is not None and counts.sum() > 0:
            answers[-1] = counts / counts.sum()
        elif self.default is not None:
            answers[-1, self._code(self.default, "default")] = 1.0
        return answers

    # -- A sequence

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @overload
    def __getitem__(self, place: int) -> Rule: ...
    @overload
    def __getitem__(self, place: slice) -> "RuleSet": ...
    def __getitem__(self, place: int | slice) -> "Rule | RuleSet":
        if isinstance(place, slice):
            return self._with(self.rules[place])
        return self.rules[place]

    def _with(self, rules: Iterable[Rule]) -> "RuleSet":
        return RuleSet(
            rules,
            schema=self.schema,
            classes=self.classes,
            default=self.default,
            default_counts=self.default_counts,
            cost_matrix=self.cost_matrix,
            ordered=self.ordered,
        )

    def without(self, indices: int | Iterable[int]) -> "RuleSet":
        """Return a copy that lacks some rules.

        Parameters
        ----------
        indices : int or iterable of int
            Their places in the set, from 0; negative ones count from the end.

        Returns
        -------
        RuleSet
        """
        given = [index(indices)] if not isinstance(indices, Iterable) else map(index, indices)
        gone = set()
        for place in given:
            if not -len(self) <= place < len(self):
                raise IndexError(f"rule {place} of a set of {len(self)} rules")
            gone.add(place % len(self))
        return self._with(rule for place, rule in enumerate(self.rules) if place not in gone)

    def sorted_by(self, what: str) -> "RuleSet":
        """Return a copy with the best rules first; equal ones stay in their order.

        An ordered set predicts by its new order, one of a tree as before.

        Parameters
        ----------
        what : {"confidence", "coverage", "lift", "error"}
            What to sort by: all from high to low but the estimated error, which goes up.

        Returns
        -------
        RuleSet
        """
        Choice(tuple(_ORDERS)).check("what", what)
        name = "error_estimate" if what == "error" else what
        values = [float(getattr(rule, name)) for rule in self.rules]
        keys = [np.inf if value != value else _ORDERS[what] * value for value in values]
        return self._with(self.rules[place] for place in np.argsort(keys, kind="stable").tolist())

    # -- Rows

    def _encode(self, X: Any, encoded: bool) -> Floats:
        if encoded:
            values: Floats = X
            return values
        return encode_for("the rule set", self.schema, X)

    def _first(self, values: Floats) -> NDArray[np.intp]:
        """Return the first rule that fires for each row, -1 if none does."""
        if all(rule._tree is None for rule in self.rules):
            first, _ = self._packed.core.match(self._packed.rows(values))
            return np.asarray(first, dtype=np.intp)
        found = [first_firing(self.rules, values[rows]) for rows in blocks(len(values))]
        return np.concatenate(found)

    def _mixtures(self, values: Floats) -> Iterator[tuple[slice, Mixture]]:
        for rows in blocks(len(values)):
            yield rows, mixture(self.rules, self._answers[:-1], values[rows])

    def _need_default(self, fires: NDArray[np.bool_]) -> None:
        if self.default is None and not fires.all():
            raise ValueError(
                f"no rule fires for {np.count_nonzero(~fires)} rows (first: row {fires.argmin()}), "
                "and the rule set has no default. Give one: RuleSet(rules, default=...)."
            )

    def _values(self, values: Floats) -> Floats:
        """Return class shares or means of encoded rows."""
        if self.ordered or not self.rules:
            first = self._first(values)
            self._need_default(first >= 0)
            return self._answers[first]  # -1 is the default's row
        out = np.empty((len(values), self._answers.shape[1]))
        fires = np.empty(len(values), dtype=bool)
        for rows, mixed in self._mixtures(values):
            out[rows], fires[rows] = mixed.answer, mixed.fires
        self._need_default(fires)
        out[~fires] = self._answers[-1]
        return out

    def _predicted_codes(self, values: Floats) -> NDArray[np.intp]:
        """Return class codes of encoded rows."""
        last = -1 if self.default is None else self._code(self.default, "default")
        labels = np.append(self._labels, last)
        if self.ordered or not self.rules:
            first = self._first(values)
            self._need_default(first >= 0)
            return labels[first]
        out = np.empty(len(values), dtype=np.intp)
        fires = np.empty(len(values), dtype=bool)
        for rows, mixed in self._mixtures(values):
            codes = cheapest(mixed.answer, self.cost_matrix)
            out[rows] = np.where(mixed.sole >= 0, labels[mixed.sole], codes)
            fires[rows] = mixed.fires
        self._need_default(fires)
        out[~fires] = last
        return out

    def predict(self, X: Any, *, encoded: bool = False) -> NDArray[Any]:
        """Return the class or the mean that the rules predict for each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns that the rules know.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        values = self._encode(X, encoded)
        if self.classes is None:
            return self._values(values)[:, 0]
        return self.classes[self._predicted_codes(values)]

    def predict_proba(self, X: Any, *, encoded: bool = False) -> Floats:
        """Return class shares for each row.

        Rules of a tree are weighed by the shares of the row that they cover. In an ordered set
        they are the plain shares among the training rows that the deciding rule covers.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns that the rules know.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        if self.classes is None:
            raise ValueError("rules that predict numbers have no classes to give probabilities of.")
        return self._values(self._encode(X, encoded))

    def covers(self, X: Any, *, encoded: bool = False) -> NDArray[np.int64]:
        """Return how many rules cover each row, or a share of it.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            An array or a table with the columns that the rules know.
        encoded : bool, default=False
            Whether X is a float64 array that already holds category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        values = self._encode(X, encoded)
        if all(rule._tree is None for rule in self.rules):
            return self._n_matches(values)
        counts = np.zeros(len(values), dtype=np.int64)
        for rows in blocks(len(values)):
            found = rule_shares(self.rules, values[rows])
            counts[rows] = np.bincount(found.row[found.share > 0], minlength=len(counts[rows]))
        return counts

    def _n_matches(self, values: Floats) -> NDArray[np.int64]:
        found = self._packed.core.match(self._packed.rows(values), True)
        return np.asarray(found[1], dtype=np.int64)

    def prune(self, X: Any, y: Any, sample_weight: Any = None, cf: float = 0.25) -> "RuleSet":
        """Return fewer and shorter rules in an order, as C4.5rules makes them.

        Each rule loses conditions, either side of an interval by itself, as long as its pessimistic
        error rate on the rows does not rise; the one whose loss gives the lowest rate goes first.
        Of equal rules one stays. They are sorted by that rate, then by coverage. From the last to
        the first, a rule goes if the rows that it decides are classified no worse without it. A
        rule that has lost all its conditions is left to the default, which is the heaviest class
        among the rows that no rule covers. Mistakes count alike, whatever they cost.

        Parameters
        ----------
        X, y : table, array
            The rows to judge by: those of the training, as C4.5 does, or others.
        sample_weight : array, default=None
            Weights of these rows.
        cf : float, default=0.25
            Confidence level of the error estimates, above 0 and at most 0.5; lower prunes more.

        Returns
        -------
        RuleSet
            Ordered: the first rule that fires decides.
        """
        from spinney.rules._prune import _NO_CLASSES, run

        if self.classes is None:
            raise ValueError(_NO_CLASSES)
        CF.check("cf", cf)
        values = self._encode(X, encoded=False)
        weight = check_weights(sample_weight, len(values))
        target = class_target(y, weight, estimator_name="RuleSet", classes=self.classes)
        rows = values, target.truth, weight
        return run(self._packed, self._labels, self.schema, self.classes, rows, cf)

    def explain(self, row: Any) -> "Explanation":
        """Return why a row is predicted as it is, and what would have to change for another answer.

        Parameters
        ----------
        row : dict, Series, one-row table or 1-D array
            One row.

        Returns
        -------
        Explanation
            `print` shows it as text.
        """
        from spinney.rules._explain import explain

        return explain(self, row)

    # -- Text, tables, comparison

    @property
    def default_text(self) -> str:
        """What is predicted where no rule fires, as text."""
        if self.default is None:
            return "no answer"
        is_mean = self.classes is None
        return number_text(self.default, 6) if is_mean else category_text(self.default)

    def to_text(self) -> str:
        """Return a line for each rule, and one for the default."""
        width = len(str(len(self)))
        lines = [f"{place + 1:>{width}}. {rule}" for place, rule in enumerate(self.rules)]
        return "\n".join([*lines, f"otherwise {self.default_text}"])

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each rule."""
        return rules_frame(self.rules)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        kind = "ordered, " if self.ordered else ""
        n = "1 rule" if len(self) == 1 else f"{len(self)} rules"
        return f"RuleSet({kind}{n}, default {self.default!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSet):
            return NotImplemented
        return (
            self.rules == other.rules
            and self.schema == other.schema
            and (self.default, self.ordered) == (other.default, other.ordered)
            and np.array_equal(self._answers, other._answers, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]
