"""`RuleSet`: a sequence of rules that can be edited, sorted, pruned and used for prediction."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Choice
from spinney._export_mixin import AsCode
from spinney._format import category_text, join_words, number_text, plural
from spinney._html import html_table
from spinney._libraries import import_pandas
from spinney._params import CF
from spinney._state import plain_state
from spinney._table import Schema, encode_for
from spinney._target import check_weights, class_target
from spinney._typing import Floats
from spinney.rules._conditions import conditions_text
from spinney.rules._matching import (
    Combined,
    Packed,
    blocks,
    cheapest,
    combined,
    first_firing,
    pack,
    rule_shares,
)
from spinney.rules._rule import Rule, check_rules

if TYPE_CHECKING:
    from spinney.rules._explanation import Explanation

_MOST_SHOWN = 50  # rules in a notebook
_ORDERS = {"confidence": -1, "coverage": -1, "lift": -1, "error": 1}


@plain_state
class RuleSet(Sequence[Rule], AsCode):
    """An immutable sequence of rules that predict together.

    The rules of a tree (`tree.rules()`) are weighted by the fraction of a row that reaches their
    leaf, so the set predicts exactly as the tree, also for missing values. After `prune` the set is
    *ordered*: the first matching rule decides, a condition on a missing value is false, and
    `predict_proba` returns the class frequencies of the training rows that this rule covers. Rows
    that no rule covers get the default.

    Parameters
    ----------
    rules : iterable of Rule
        The rules; without any, the default is always predicted.
    schema : Schema
        Names, kinds and categories of the columns, such as `tree.schema`.
    classes : array of shape (n_classes,), default=None
        The class labels; None for regression.
    default : object, default=None
        Class or mean predicted where no rule matches; None makes such rows an error.
    default_counts : array of shape (n_classes,), default=None
        Class weights for `predict_proba` where no rule matches; by default all weight is on the
        default class.
    cost_matrix : array of shape (n_classes, n_classes), default=None
        Misclassification costs, used where the rules of an unordered set disagree.
    ordered : bool, default=None
        Whether the first matching rule decides alone. By default only if not all rules are paths of
        a tree.

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
        self.default_counts = _check_default_counts(default_counts, n_classes)
        self.cost_matrix = _check_cost_matrix(cost_matrix, n_classes)
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
        """Class probabilities or mean of each rule and, in the last row, of the default."""
        if self.classes is None:
            means = [rule.prediction for rule in self.rules]
            last = np.nan if self.default is None else self.default
            return np.array([*means, last], dtype=np.float64)[:, None]
        answers = np.zeros((len(self) + 1, len(self.classes)))
        for place, rule in enumerate(self.rules):
            if rule.probabilities is None:
                answers[place, self._labels[place]] = 1.0
            else:
                answers[place] = rule.probabilities
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
        names = ("schema", "classes", "default", "default_counts", "cost_matrix", "ordered")
        return RuleSet(rules, **{name: getattr(self, name) for name in names})

    def without(self, indices: int | Iterable[int]) -> "RuleSet":
        """Return a copy without some rules.

        Parameters
        ----------
        indices : int or iterable of int
            Their indices; negative ones count from the end.

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
        """Return a copy sorted by quality, best first; the sort is stable.

        The order affects the predictions of an ordered set only.

        Parameters
        ----------
        what : {"confidence", "coverage", "lift", "error"}
            Sort key: descending, except for the estimated error, which ascends.

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
        values: Floats = X if encoded else encode_for("the rule set", self.schema, X)
        return values

    def _first(self, values: Floats) -> NDArray[np.intp]:
        """Return the index of the first matching rule for each row, -1 if none matches."""
        if all(rule._tree is None for rule in self.rules):
            first, _ = self._packed.core.match(self._packed.rows(values))
            return np.asarray(first, dtype=np.intp)
        found = [first_firing(self.rules, values[rows]) for rows in blocks(len(values))]
        return np.concatenate(found)

    def _decide(self, values: Floats, by_rule: NDArray[Any], combine: Any) -> NDArray[Any]:
        """Return an outcome for each encoded row.

        `by_rule` holds the outcome of each rule and, in the last place, of the default; `combine`
        makes outcomes of the combined answers of all rules of an unordered set.
        """
        if self.ordered or not self.rules:
            first = self._first(values)
            self._need_default(first >= 0)
            return by_rule[first]  # -1 is the default
        out = np.empty((len(values), *by_rule.shape[1:]), dtype=by_rule.dtype)
        fires = np.empty(len(values), dtype=bool)
        for rows in blocks(len(values)):
            found = combined(self.rules, self._answers[:-1], values[rows])
            out[rows], fires[rows] = combine(found), found.fires
        self._need_default(fires)
        out[~fires] = by_rule[-1]
        return out

    def _need_default(self, fires: NDArray[np.bool_]) -> None:
        if self.default is None and not fires.all():
            raise ValueError(
                f"no rule fires for {np.count_nonzero(~fires)} rows (first: row {fires.argmin()}), "
                "and the rule set has no default. Give one: RuleSet(rules, default=...)."
            )

    def _values(self, values: Floats) -> Floats:
        """Return class probabilities or means of encoded rows."""
        return self._decide(values, self._answers, lambda found: found.answer)

    def _predicted_codes(self, values: Floats) -> NDArray[np.intp]:
        """Return class codes of encoded rows."""
        last = -1 if self.default is None else self._code(self.default, "default")
        labels = np.append(self._labels, last)

        def combine(found: Combined) -> NDArray[np.intp]:
            codes = cheapest(found.answer, self.cost_matrix)
            return np.where(found.sole >= 0, labels[found.sole], codes)

        return self._decide(values, labels, combine)

    def predict(self, X: Any, *, encoded: bool = False) -> NDArray[Any]:
        """Predict the class or the mean of each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Array or table with the columns of the schema.
        encoded : bool, default=False
            Whether X is a float64 array with category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        values = self._encode(X, encoded)
        if self.classes is None:
            return self._values(values)[:, 0]
        return self.classes[self._predicted_codes(values)]

    def predict_proba(self, X: Any, *, encoded: bool = False) -> Floats:
        """Predict class probabilities.

        Rules of a tree are weighted by the fractions of the row that they cover. In an ordered set
        they are the class frequencies of the training rows that the deciding rule covers.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Array or table with the columns of the schema.
        encoded : bool, default=False
            Whether X is a float64 array with category codes.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        if self.classes is None:
            raise ValueError("rules that predict numbers have no classes to give probabilities of.")
        return self._values(self._encode(X, encoded))

    def covers(self, X: Any, *, encoded: bool = False) -> NDArray[np.int64]:
        """Return the number of rules that cover each row, at least in part.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Array or table with the columns of the schema.
        encoded : bool, default=False
            Whether X is a float64 array with category codes.

        Returns
        -------
        array of shape (n_rows,)
        """
        values = self._encode(X, encoded)
        if all(rule._tree is None for rule in self.rules):
            _, n_matches = self._packed.core.match(self._packed.rows(values), True)
            return np.asarray(n_matches, dtype=np.int64)
        counts = np.zeros(len(values), dtype=np.int64)
        for rows in blocks(len(values)):
            found = rule_shares(self.rules, values[rows])
            counts[rows] = np.bincount(found.row[found.share > 0], minlength=len(counts[rows]))
        return counts

    def prune(self, X: Any, y: Any, sample_weight: Any = None, cf: float = 0.25) -> "RuleSet":
        """Post-prune to fewer and shorter rules in an ordered list, as C4.5rules does.

        Conditions (either bound of an interval separately) are dropped greedily, the one that
        yields the lowest pessimistic error rate first, as long as that rate does not rise.
        Duplicates are removed. Rules are sorted by that rate, then by coverage. From last to first,
        a rule is removed if the rows that it decides are classified no worse without it. Rules
        without conditions are replaced by the default, the class of largest weight among the
        uncovered rows. Misclassification costs are ignored.

        Parameters
        ----------
        X, y : table, array
            The rows for the error estimates: the training rows, as in C4.5, or others.
        sample_weight : array, default=None
            Sample weights of these rows.
        cf : float, default=0.25
            Confidence level of the error estimates, above 0 and at most 0.5; lower prunes more.

        Returns
        -------
        RuleSet
            Ordered: the first matching rule decides.
        """
        from spinney.rules._extract import _NO_CLASSES, run

        if self.classes is None:
            raise ValueError(_NO_CLASSES)
        CF.check("cf", cf)
        values = self._encode(X, encoded=False)
        weight = check_weights(sample_weight, len(values))
        target = class_target(y, weight, estimator_name="RuleSet", classes=self.classes)
        rows = values, target.truth, weight
        return run(self._packed, self._labels, self.schema, self.classes, rows, cf)

    def explain(self, row: Any) -> "Explanation":
        """Explain the prediction of a row, with counterfactuals for the other classes.

        Parameters
        ----------
        row : dict, Series, one-row table or 1-D array
            One row.

        Returns
        -------
        Explanation
            `print` shows it as text.
        """
        from spinney.rules._explanation import explain

        return explain(self, row)

    # -- Text, tables, comparison

    @property
    def default_text(self) -> str:
        """The default prediction as text."""
        if self.default is None:
            return "no answer"
        is_mean = self.classes is None
        return number_text(self.default, 6) if is_mean else category_text(self.default)

    def to_text(self) -> str:
        """Return a line for each rule, and one for the default.

        Returns
        -------
        str
        """
        width = len(str(len(self)))
        lines = [f"{place + 1:>{width}}. {rule}" for place, rule in enumerate(self.rules)]
        return "\n".join([*lines, f"otherwise {self.default_text}"])

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each rule.

        Returns
        -------
        pandas.DataFrame
        """
        pd = import_pandas(
            "to_frame needs pandas, which is not installed. Install pandas, or use to_text()."
        )
        columns = {
            "conditions": [conditions_text(rule.conditions) for rule in self.rules],
            "prediction": [rule.prediction for rule in self.rules],
        }
        for name in ("coverage", "coverage_share", "confidence", "lift", "error_estimate"):
            columns[name] = [getattr(rule, name) for rule in self.rules]
        return pd.DataFrame(columns)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        rows = [
            [
                place + 1,
                conditions_text(rule.conditions) or "always",
                rule.prediction_text,
                *(f"{value:.4g}" for value in (rule.coverage, rule.confidence, rule.lift)),
            ]
            for place, rule in enumerate(self.rules[:_MOST_SHOWN])
        ]
        more = len(self) - len(rows)
        rows += [["…", f"{more} rules more", "", "", "", ""]] if more > 0 else []
        rows.append(["", "otherwise", self.default_text, "", "", ""])
        heads = ["", "if", "then", "coverage", "confidence", "lift"]
        return html_table(heads, rows, left=(1, 2), title=repr(self))

    def __repr__(self) -> str:
        kind = "ordered, " if self.ordered else ""
        return f"RuleSet({kind}{plural(len(self), 'rule')}, default {self.default!r})"

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


def _check_default_counts(counts: Any, n_classes: int) -> Floats | None:
    """Return the class weights of the default as an array."""
    if counts is None:
        return None
    array = np.asarray(counts, dtype=np.float64)
    if array.shape != (n_classes,) or not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError(
            f"default_counts must be {n_classes} finite numbers >= 0, one for each class, "
            f"got {counts!r}."
        )
    return array


def _check_cost_matrix(cost_matrix: Any, n_classes: int) -> Floats | None:
    """Return the cost matrix as an array."""
    if cost_matrix is None:
        return None
    array = np.asarray(cost_matrix, dtype=np.float64)
    if array.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost_matrix must have the shape ({n_classes}, {n_classes}), got {array.shape}."
        )
    return array
