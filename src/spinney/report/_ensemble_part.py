"""Ensembles on a page: members, curve, diversity, and the single tree that stands in best."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._table._take import as_rows, take_rows
from spinney._typing import Floats
from spinney.report._row_groups import grouped, number_sums, score_part
from spinney.report._sample import Given, Sample, criterion_of, some_rows
from spinney.tree._tree import Tree

_MOST_ROWS = 20_000  # that teach the tree which stands in
_MOST_PAIRED_ROWS, _MOST_PAIRED = 2000, 100  # rows and members for diversity
_MOST_MEMBERS = 200  # in the table
_N_PICTURES, _PICTURE_DEPTH = 3, 3
_MOST_LEAVES = 32  # of the tree that stands in


@dataclass(frozen=True, eq=False)
class StandIn:
    """A tree taught by the answers of another model."""

    model: Any
    answers: list[NDArray[Any]]  # of the ensemble, in each data set: class codes or numbers

    @property
    def tree(self) -> Tree:
        """The tree."""
        tree: Tree = self.model.tree_
        return tree

    def agreement(self, given: list[Given], classes: NDArray[Any] | None) -> list[float]:
        """Return how well the tree says the same: shares of rows, or R squared."""
        found = []
        for own, rows in zip(self.answers, given, strict=True):
            said = self.model.predict(rows.X)
            if classes is not None:
                found.append(float(np.mean(said == classes[own])))
                continue
            spread = float(((own - own.mean()) ** 2).sum())
            rest = float(((own - said) ** 2).sum())
            found.append(1.0 - rest / spread if spread > 0 else float(rest == 0))
        return found


def stand_in(model: Any, samples: list[Sample], classes: NDArray[Any] | None) -> StandIn:
    """Grow a tree on the answers of a model, pruned by cross-validation."""
    from spinney.tree import CARTClassifier, CARTRegressor

    answers = [_answer_codes(model, sample, classes) for sample in samples]
    places = some_rows(samples[0].n_rows, _MOST_ROWS)
    learner = CARTRegressor if classes is None else CARTClassifier
    n_folds = min(5, len(places))
    tree = learner(
        pruning="cost_complexity" if n_folds > 1 else None,
        cv=max(n_folds, 2),
        rule="min",
        max_leaf_nodes=_MOST_LEAVES,
        min_samples_leaf=max(1, min(20, len(places) // 200)),
        random_state=0,
    )
    X = take_rows(as_rows(samples[0].given.X), places)
    told = answers[0] if classes is None else classes[answers[0]]
    return StandIn(tree.fit(X, told[places]), answers)


def _answer_codes(model: Any, sample: Sample, classes: NDArray[Any] | None) -> NDArray[Any]:
    said = np.asarray(model.predict(sample.given.X))
    if classes is None:
        return said.astype(np.float64)
    place = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([place[label] for label in said.tolist()], dtype=np.intp)


# -- How good


def quality_part(
    model: Any, found: StandIn, samples: list[Sample], n_classes: int, centre: float
) -> dict[str, Any]:
    """Return what the measures of an ensemble need."""
    if n_classes:
        scores = None
        if hasattr(model, "predict_proba"):
            scores = [model.predict_proba(sample.given.X) for sample in samples]
        return score_part(found.answers, scores, samples, n_classes)
    group, means = grouped(np.concatenate(found.answers))
    start, sums = 0, []
    for sample in samples:
        here = group[start : start + sample.n_rows]
        start += sample.n_rows
        rest = sample.rates - centre
        sums.append(number_sums(here, sample.time, rest, sample.weight, len(means)))
    losses = [
        mean_loss(criterion_of(model), sample, answers)
        for sample, answers in zip(samples, found.answers, strict=True)
    ]
    return {"answers": means.tolist(), "sums": sums, "losses": losses}


def mean_loss(criterion: str, sample: Sample, answers: Floats) -> float:
    """Return the mean cost of answers by a criterion."""
    from spinney import _core

    costs = _core.number_costs(
        criterion, np.ascontiguousarray(answers), sample.truth, sample.exposure
    )
    return float(np.average(costs, weights=sample.weight))


# -- Members


def members_part(model: Any, data: Sample, holdout: Sample | None) -> dict[str, Any]:
    """Return what is shown of the members of an ensemble."""
    trees = list(model.forest_) if hasattr(model, "forest_") else []
    curve = getattr(model, "oob_error_curve_", None)
    return {
        "n": len(trees) or len(getattr(model, "estimators_", ())),
        "members": _members(model, trees),
        "curve": None if curve is None else _thinned(np.asarray(curve, dtype=np.float64)),
        "oob": _number(getattr(model, "oob_score_", None)),
        "diversity": _diversity(model, holdout or data),
        "importances": _importances(model),
        "pictures": [_picture(tree) for tree in trees[:_N_PICTURES]],
    }


def _number(value: Any) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _thinned(curve: Floats, most: int = 300) -> list[list[float]]:
    """Return numbers of members and errors, of a long curve some."""
    places = np.unique(np.linspace(0, len(curve) - 1, min(most, len(curve))).astype(np.intp))
    return [[int(k) + 1, float(curve[k])] for k in places if np.isfinite(curve[k])]


def _members(model: Any, trees: list[Tree]) -> list[list[Any]]:
    voting = set(np.asarray(getattr(model, "selected_", np.arange(len(trees)))).tolist())
    weights = getattr(model, "estimator_weights_", None)
    return [
        [
            k + 1,
            tree.n_leaves,
            tree.max_depth,
            k in voting,
            None if weights is None else _number(weights[k]),
            int(tree.feature[0]),
        ]
        for k, tree in enumerate(trees[:_MOST_MEMBERS])
    ]


def _diversity(model: Any, sample: Sample) -> dict[str, Any] | None:
    from spinney.ensemble import diversity

    if not hasattr(model, "_member_codes") or not hasattr(model, "classes_"):
        return None
    places = np.arange(min(sample.n_rows, _MOST_PAIRED_ROWS))
    X, y = take_rows(as_rows(sample.given.X), places), np.asarray(sample.given.y)[places]
    found = diversity(model, X, y, sample.weight[places])
    kappa, error = found.pairs()
    step = max(1, len(kappa) // 400)
    return {
        "rows": len(places),
        "error": found.mean_error,
        "disagreement": found.mean_disagreement,
        "q": found.mean_q_statistic,
        "kappa": found.mean_kappa,
        "pairs": [
            [round(float(k), 4), round(float(e), 4)]
            for k, e in zip(kappa[::step], error[::step], strict=True)
        ],
    }


def _importances(model: Any) -> list[float] | None:
    found = getattr(model, "feature_importances_", None)
    return None if found is None else np.asarray(found, dtype=np.float64).tolist()


def _picture(tree: Tree) -> dict[str, Any]:
    """Return the top of a member: text of its tests, and answers where it is cut."""
    deep = np.flatnonzero((tree.depth == _PICTURE_DEPTH) & (tree.first_child >= 0))
    top = tree.prune_at(deep.tolist())
    cut = top.n_leaves < tree.n_leaves
    return {
        "leaves": tree.n_leaves,
        "cut": cut,
        "first": top.first_child.tolist(),
        "count": top.n_children.tolist(),
        "rows": top.n_samples.tolist(),
        "texts": [
            str(node.prediction) if node.test is None else node.test.branch_text(0, 5, 3)
            for node in top
        ],
    }
