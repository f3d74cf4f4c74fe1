"""One tree that answers like an ensemble, and how nearly it does."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from spinney._checks import Integer
from spinney._folds import make_folds
from spinney._settings import random_numbers
from spinney._table import EncodedTable, encode_with
from spinney._table._take import as_rows, take_rows
from spinney._typing import Floats
from spinney.tree._cart import CARTClassifier, CARTRegressor

if TYPE_CHECKING:
    from spinney.rules import RuleSet

_NEAR = 5  # places in the order of the leaves
_FEWEST_DRAWN = 4000
_LEAVES, _ROWS, _FOLDS = Integer(2), Integer(0), Integer(2)


@dataclass(frozen=True)
class Distillation:
    """How closely a distilled tree agrees with its ensemble.

    Parameters
    ----------
    agreement : float
        Of classes the share of rows for which both say the same; of numbers R squared of the tree's
        answers against those of the ensemble. On rows that the tree did not learn from.
    error : float
        Error rate, or root mean squared error, on rows that neither tree nor ensemble saw; NaN
        without y.
    ensemble_error : float
        The same of the ensemble.
    judged_by : str
        How these rows were kept apart.
    n_drawn : int
        Number of rows that were drawn for the tree.
    """

    agreement: float
    error: float
    ensemble_error: float
    judged_by: str
    n_drawn: int

    def __str__(self) -> str:
        lines = [f"agreement with the ensemble {self.agreement:.4f}"]
        if self.error == self.error:
            lines.append(f"error {self.error:.4f}, of the ensemble {self.ensemble_error:.4f}")
        return "\n".join([*lines, f"by {self.judged_by}"])


def distil(
    self: Any,
    X: Any,
    y: Any = None,
    *,
    max_leaves: int = 12,
    n_drawn: int | None = None,
    new_rows: Any = None,
    cv: int = 5,
    random_state: Any = None,
) -> Any:
    """Return one tree that answers most like the ensemble.

    The tree learns the answers of the ensemble for the rows of X, and for as great a weight of
    rows drawn near them: each value is that of a row, or of one near it in the order of the
    leaves of a member. Counts of the tree are of all these rows.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
        Rows with the columns of fit, usually those of fit.
    y : array of shape (n_rows,), default=None
        Their target. With it the error is estimated by folds in which the ensemble is fitted
        again; without it only the agreement is, by folds of X alone, which is too low where
        the members have seen these rows.
    max_leaves : int, default=12
        Maximum number of leaves.
    n_drawn : int or None, default=None
        Number of rows to draw. None for as many as X has, and at least 4000.
    new_rows : table or None, default=None
        Rows to use instead of drawn ones.
    cv : int, default=5
        Number of folds.
    random_state : int, RandomState or None, default=None
        Random seed of the drawn rows and of the folds.

    Returns
    -------
    CARTClassifier or CARTRegressor
        Fitted; its `distillation_` is a `Distillation`.
    """
    _LEAVES.check("max_leaves", max_leaves)
    _FOLDS.check("cv", cv)
    if n_drawn is not None:
        _ROWS.check("n_drawn", n_drawn)
    check_is_fitted(self)
    _refuse(self)
    values = _base_rows(self, X)
    _refuse_rows(values, y, cv)
    given = None if new_rows is None else _base_rows(self, new_rows)
    plan = _Plan(max_leaves, n_drawn, given)
    random = random_numbers(random_state)
    tree, n_new = plan.learn(self, values, random)
    if y is None:
        tree.distillation_ = plan.judge_alone(self, values, cv, random, n_new)
    else:
        tree.distillation_ = plan.judge_again(self, X, np.asarray(y), cv, random, n_new)
    return tree


def distil_rules(self: Any, X: Any, *, cf: float = 0.25, **options: Any) -> "RuleSet":
    """Return a few ordered rules that answer most like the ensemble.

    They are the paths of the tree of `distil`, simplified as C4.5rules does for the answers of
    the ensemble, so coverage and confidence of a rule are of these answers for X.

    Parameters
    ----------
    X : table of shape (n_rows, n_features)
        Rows with the columns of fit, usually those of fit.
    cf : float, default=0.25
        Confidence level of the error estimates; lower prunes more.
    **options : dict
        As for `distil`, except `y`.

    Returns
    -------
    RuleSet
        Of numbers the paths of the tree as they are.
    """
    return rules_like(self, self.distil(X, **options), X, cf)


def rules_like(ensemble: Any, tree: Any, X: Any, cf: float = 0.25) -> "RuleSet":
    """Return the paths of a distilled tree, those of classes simplified for what is answered."""
    rules: RuleSet = tree.tree_.rules()
    return rules.prune(X, ensemble.predict(X), cf=cf) if is_classifier(ensemble) else rules


@dataclass(frozen=True)
class _Plan:
    """How a tree is learned: its leaves, the rows to draw, or those given instead."""

    max_leaves: int
    n_drawn: int | None
    given: Floats | None

    def learn(self, ensemble: Any, values: Floats, random: Any) -> tuple[Any, int]:
        """Return a tree of the ensemble's answers, and how many rows were drawn."""
        new, n_drawn = self.given, 0
        if new is None:
            n_drawn = max(_FEWEST_DRAWN, len(values)) if self.n_drawn is None else self.n_drawn
            new = draw_near(ensemble, values, n_drawn, random)
        rows = EncodedTable(np.vstack([values, new]), ensemble._schema)
        share = len(values) / max(len(new), 1)
        weight = np.concatenate([np.ones(len(values)), np.full(len(new), share)])
        kind = CARTClassifier if is_classifier(ensemble) else CARTRegressor
        tree = kind(
            max_leaf_nodes=self.max_leaves,
            min_impurity_decrease=1e-12,
            unseen=ensemble.unseen,
            n_jobs=ensemble.n_jobs,
        )
        return tree.fit(rows, ensemble.predict(rows), weight), n_drawn

    def judge_alone(
        self, ensemble: Any, values: Floats, cv: int, random: Any, n_new: int
    ) -> Distillation:
        """Compare trees with the ensemble on rows that they did not learn from."""
        schema = ensemble._schema
        said = ensemble.predict(EncodedTable(values, schema))
        told = said.copy()
        for train, test in _folds(ensemble, values, said, cv, random):
            tree, _ = self.learn(ensemble, values[train], random)
            told[test] = tree.predict(EncodedTable(values[test], schema))
        how = f"{cv} folds of the rows that the tree learns from, the ensemble the same"
        return Distillation(_agreement(ensemble, told, said), np.nan, np.nan, how, n_new)

    def judge_again(
        self, ensemble: Any, X: Any, y: NDArray[Any], cv: int, random: Any, n_new: int
    ) -> Distillation:
        """Compare trees with ensembles on rows that neither saw."""
        told, said, X = y.copy(), y.copy(), as_rows(X)
        if not is_classifier(ensemble):
            told, said = told.astype(np.float64), said.astype(np.float64)
        for train, test in _folds(ensemble, X, y, cv, random):
            seen, held_out = (take_rows(X, np.flatnonzero(rows)) for rows in (train, test))
            forest = _again(ensemble, random).fit(seen, y[train])
            tree, _ = self.learn(forest, _base_rows(forest, seen), random)
            told[test], said[test] = tree.predict(held_out), forest.predict(held_out)
        how = f"{cv} folds, the ensemble fitted again in each"
        error, of_ensemble = (_error(ensemble, one, y) for one in (told, said))
        return Distillation(_agreement(ensemble, told, said), error, of_ensemble, how, n_new)


def draw_near(ensemble: Any, values: Floats, n: int, random: Any) -> Floats:
    """Return rows whose values are those of a row, or of one near it in the leaves of a member.

    Gaps and categories are taken as they are, so they occur as in the data.
    """
    n_rows, members, drawn = len(values), ensemble._voters(), []
    all_rows = ensemble._rows(EncodedTable(values, ensemble._schema))
    for begin in range(0, n, n_rows):
        tree = ensemble.forest_[int(members[random.randint(len(members))])]
        order = np.lexsort((random.permutation(n_rows), tree.apply(all_rows, encoded=True)))
        place = np.empty(n_rows, dtype=np.intp)
        place[order] = np.arange(n_rows)
        step = random.randint(1, _NEAR + 1, n_rows) * (2 * random.randint(2, size=n_rows) - 1)
        inside = (place + step >= 0) & (place + step < n_rows)
        near = order[np.where(inside, place + step, place - step) % n_rows]
        own = random.random_sample(values.shape) < 0.5
        mixed = np.where(own, values, values[near])
        left = n - begin
        drawn.append(mixed if left >= n_rows else mixed[random.permutation(n_rows)[:left]])
    return np.concatenate(drawn) if drawn else values[:0]


def _refuse(ensemble: Any) -> None:
    """Refuse an ensemble that no tree can answer for."""
    ensemble._trees("distil")
    if is_classifier(ensemble) and len(ensemble.classes_) < 2:
        raise ValueError(
            f"distil needs at least two classes, but the ensemble knows {ensemble.classes_[0]!r} "
            "only. Fit it on rows of two classes."
        )


def _refuse_rows(values: Floats, y: Any, cv: int) -> None:
    """Refuse too few rows, and a target of other rows."""
    if len(values) < cv:
        raise ValueError(
            f"distil needs a row for each of cv={cv} folds, got {len(values)} rows. Give more "
            "rows, or a smaller cv."
        )
    if y is not None and np.shape(y) != (len(values),):
        raise ValueError(
            f"y must have one entry for each of the {len(values)} rows of X, got the shape "
            f"{np.shape(y)}. Give the target of these rows."
        )


def _base_rows(ensemble: Any, X: Any) -> Floats:
    """Return rows encoded as by fit, without the columns that functions compute."""
    name = type(ensemble).__name__
    return encode_with(ensemble._schema, X, unseen=ensemble.unseen, estimator_name=name)


def _again(ensemble: Any, random: Any) -> Any:
    """Return an unfitted ensemble of the same parameters, with a seed of its own."""
    others = {"random_state": random.randint(2**31 - 1), "warm_start": False, "oob_score": False}
    known = ensemble.get_params(deep=False)
    return clone(ensemble).set_params(**{k: v for k, v in others.items() if k in known})


def _folds(ensemble: Any, X: Any, y: NDArray[Any], cv: int, random: Any) -> Any:
    """Return folds that hold the classes in even shares."""
    strata = np.zeros(len(y), dtype=np.int64)
    if is_classifier(ensemble):
        strata = np.unique(y, return_inverse=True)[1]
    return make_folds(cv, X, strata, np.ones(len(y), dtype=bool), random)


def _agreement(ensemble: Any, told: NDArray[Any], said: NDArray[Any]) -> float:
    if is_classifier(ensemble):
        return float(np.mean(told == said))
    spread = float(((said - said.mean()) ** 2).sum())
    return 1.0 - float(((told - said) ** 2).sum()) / spread if spread > 0 else 1.0


def _error(ensemble: Any, told: NDArray[Any], y: NDArray[Any]) -> float:
    if is_classifier(ensemble):
        return float(np.mean(told != y))
    return float(np.sqrt(np.mean((told - y) ** 2)))
