"""The list of estimators. One that is listed here is tested by all of `contracts` and `faults`."""

import inspect
import pickle
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier

from contracts.of_numbers import SMALL, ForestOfNumbers, TreeOfNumbers
from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    BoostByFilteringClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GPForestClassifier,
    GPForestRegressor,
    GPTreeClassifier,
    GPTreeRegressor,
    ID3Classifier,
    IGPAClassifier,
    IGPAForestClassifier,
    IGPAForestRegressor,
    IGPARegressor,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    SmallForestClassifier,
    SmallForestRegressor,
    Tree,
)


@dataclass(frozen=True)
class Listed:
    """An estimator and the facts about it that tests need.

    `learns_all`: after fit, every training row is predicted right if rows that differ in y differ
    in a column. `draws_rows`: rows are divided at random into those that grow and those that judge,
    so their order matters, and a row of weight 2 is not two rows. `holds_out`: some rows do not
    count in the fitted tree. `by_parts`: rows grow and judge by parts, so a cut lies between two
    rows of a part. `counts_rows`: something is decided by the number of rows rather than by their
    weight. `counts_weight`: something is decided by the size of the weights, so scaling
    all of them matters. `centre`: what a regression leaf predicts. `refuses_chance`: a first member
    that is no better than guessing is an error; `refuses_half`: so is one that is wrong for half of
    the rows, whatever the number of classes. `soft`: borders are gradual. `evolves`: tests are
    searched for by chance, so a better one may be missed. `draws_cuts`: a cut lies anywhere between
    two rows, or between others. `adds_up`: tests add columns up, which
    rounds. `may_warn`: how a warning
    begins that is no fault where data teach little. `is_risk`: what is predicted is no value of y
    but a risk, which takes two events at least, and whose prior counts weight.
    """

    estimator: BaseEstimator
    learns_all: bool = True
    draws_rows: bool = False
    holds_out: bool = False
    by_parts: bool = False
    counts_rows: bool = False
    counts_weight: bool = False
    centre: Any = np.mean
    refuses_chance: bool = False
    refuses_half: bool = False
    soft: bool = False
    evolves: bool = False
    draws_cuts: bool = False
    adds_up: bool = False
    may_warn: str = ""
    is_risk: bool = False

    @property
    def is_classifier(self) -> bool:
        return bool(is_classifier(self.estimator))

    @property
    def is_rate(self) -> bool:
        """Whether targets are counts or amounts, from 0 up, and 0 differs from other numbers."""
        return self.estimator.get_params().get("criterion") in ("poisson", "gamma", "tweedie")

    @property
    def is_tree(self) -> bool:
        """Whether the model is one tree."""
        return hasattr(self.estimator, "get_n_leaves")

    @property
    def knows_prior(self) -> bool:
        """Whether the shares of the fitted tree are those of all rows."""
        return not self.holds_out and not (self.draws_rows and not self.is_tree)

    @property
    def cuts_exactly(self) -> bool:
        """Whether a single step in y is cut where it is."""
        exact = not self.by_parts and not self.soft and not self.evolves and not self.draws_cuts
        return self.knows_prior and exact

    @property
    def ignores_row_order(self) -> bool:
        """Whether sums over rows are sums of integers, so that their order cannot matter."""
        return self.is_classifier and not self.draws_rows and not self.is_fractional

    @property
    def learns_from_gaps(self) -> bool:
        """Whether a gap may tell something by itself."""
        return self.estimator.get_params().get("missing") in ("learned", "category")

    @property
    def is_fractional(self) -> bool:
        """Whether rows with gaps go every way in part."""
        rule = self.estimator.get_params().get("missing", "fractional")
        return bool(rule == "fractional" and not self.evolves)

    @property
    def size(self) -> tuple[str, int, int]:
        """A parameter that limits the model, and two values of it."""
        return size_of(type(self.estimator))

    def has(self, *names: str) -> bool:
        """Tell whether the estimator has these parameters, and its trees know them."""
        known = set(self.estimator.get_params())
        if self.estimator.get_params().get("class_weight") is not None:
            known.remove("priors")
        inner = self.estimator.get_params().get("estimator")
        if isinstance(self.estimator, RandomForestClassifier) and inner is not None:
            known -= set(CARTClassifier().get_params()) - set(inner.get_params())
        return set(names) <= known

    def new(self, **changes: Any) -> Any:
        """Return an unfitted copy."""
        return clone(self.estimator).set_params(**changes)

    def target(self, codes: Any) -> np.ndarray:
        """Turn small integers into a target: names of classes, or numbers."""
        codes = np.asarray(codes)
        if self.is_classifier:
            return np.array([f"class {code}" for code in codes.tolist()], dtype=object)
        return codes.astype(float) + (self.estimator.get_params().get("criterion") == "gamma")

    def prior(self, y: Any) -> Any:
        """Return what is predicted without X: the first of the most frequent, or the centre."""
        if self.is_risk:
            return 1.0
        if not self.is_classifier:
            return self.centre(y)
        labels, counts = np.unique(y, return_counts=True)
        return labels[counts.argmax()]


def size_of(cls: type) -> tuple[str, int, int]:
    """Return a parameter that limits the models of a class, and two values of it."""
    known = inspect.signature(cls).parameters
    sizes = [("max_depth", 1, 3), ("n_estimators", 2, 4), ("sample_size", 15, 10)]
    sizes += [("branching", 2, 3)]
    return next(size for size in sizes if size[0] in known)


def _pruned(**settings: Any) -> dict[str, Any]:
    return {"pruning": "cost_complexity", "cv": 3, "random_state": 0} | settings


def _quantile_of(share: float) -> Any:
    return partial(np.quantile, q=share, method="averaged_inverted_cdf")


LISTED = [
    Listed(CARTClassifier()),
    Listed(CARTRegressor()),
    Listed(CARTClassifier(criterion="entropy")),
    Listed(CARTClassifier(criterion="twoing")),
    Listed(CARTRegressor(criterion="absolute_error"), centre=np.median),
    Listed(CARTRegressor(criterion="quantile", quantile=0.3), centre=_quantile_of(0.3)),
    Listed(CARTRegressor(criterion="poisson"), learns_all=False),
    Listed(CARTRegressor(criterion="tweedie", tweedie_power=1.4), learns_all=False),
    Listed(CARTRegressor(criterion="gamma"), learns_all=False),
    Listed(CARTClassifier(shrinkage=2.0), learns_all=False, counts_weight=True),
    Listed(
        CARTRegressor(shrinkage="auto", cv=3, random_state=0), learns_all=False, draws_rows=True
    ),
    Listed(CARTClassifier(missing="majority")),
    Listed(CARTRegressor(missing="majority")),
    Listed(CARTClassifier(missing="fractional")),
    Listed(CARTRegressor(missing="fractional")),
    Listed(CARTClassifier(missing="learned")),
    Listed(CARTRegressor(missing="learned", max_bins=8)),
    Listed(CARTClassifier(missing="category")),
    Listed(CARTRegressor(missing="category")),
    Listed(CARTClassifier(max_features="sqrt", random_state=0)),
    Listed(CARTRegressor(max_features="sqrt", random_state=0)),
    Listed(CARTClassifier(splitter="random", random_state=0), draws_cuts=True),
    Listed(CARTRegressor(splitter="random", random_state=0), draws_cuts=True),
    Listed(CARTClassifier(splitter="oblique", random_state=0), counts_rows=True, adds_up=True),
    Listed(CARTRegressor(splitter="oblique", random_state=0), counts_rows=True, adds_up=True),
    Listed(CARTClassifier(max_leaf_nodes=8), learns_all=False),
    Listed(CARTRegressor(max_leaf_nodes=8), learns_all=False),
    Listed(CARTClassifier(ccp_alpha=0.01), learns_all=False),
    Listed(CARTRegressor(ccp_alpha=0.01), learns_all=False),
    Listed(CARTClassifier(max_bins=16), learns_all=False, counts_rows=True),
    Listed(CARTRegressor(max_bins=16), learns_all=False, counts_rows=True),
    Listed(CARTClassifier(**_pruned()), learns_all=False, draws_rows=True),
    Listed(CARTRegressor(**_pruned()), learns_all=False, draws_rows=True),
    Listed(
        CARTClassifier(pruning="reduced_error", random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(
        CARTRegressor(pruning="reduced_error", random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(
        CARTClassifier(early_stopping=True, random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(
        CARTRegressor(early_stopping=True, random_state=0),
        learns_all=False,
        draws_rows=True,
        holds_out=True,
    ),
    Listed(CARTClassifier(pruning="error_based"), learns_all=False, counts_weight=True),
    Listed(CARTClassifier(pruning="mdl"), learns_all=False, counts_weight=True),
    Listed(ID3Classifier(), learns_all=False, counts_weight=True),
    Listed(
        ID3Classifier(discretize="quantile", n_intervals=12, pruning="error_based"),
        learns_all=False,
        counts_weight=True,
    ),
    Listed(C45Classifier(), learns_all=False, counts_weight=True),
    Listed(C45Classifier(nominal="grouped", max_intervals=4), learns_all=False, counts_weight=True),
    Listed(C45Classifier("entropy", pruning=None), learns_all=False, counts_weight=True),
]

NONE_OUT = r"no row of \d+ was left out by trees of every kind"
ALL_SEEN = r"\d+ of \d+ rows were seen by every member"
LARGE_LOSS = "the first member has a weighted loss of"
_DRAWN: dict[str, Any] = {"learns_all": False, "draws_rows": True}
_SMALL: dict[str, Any] = {"n_estimators": 5, "random_state": 0}

LISTED += [
    Listed(RandomForestClassifier(n_estimators=10, oob_score=False, random_state=0), **_DRAWN),
    Listed(RandomForestRegressor(n_estimators=10, oob_score=False, random_state=0), **_DRAWN),
    Listed(ExtraTreesClassifier(10, random_state=0), draws_cuts=True, **_DRAWN),
    Listed(ExtraTreesRegressor(10, random_state=0), draws_cuts=True, **_DRAWN),
    Listed(
        RandomForestRegressor(
            n_estimators=10, keep_targets=True, shrinkage=1.0, oob_score=False, random_state=0
        ),
        counts_weight=True,
        **_DRAWN,
    ),
    Listed(
        RandomForestRegressor(5, criterion="poisson", oob_score=False, random_state=0), **_DRAWN
    ),
    Listed(
        RandomForestClassifier(combine="average", shrinkage="auto", **_SMALL, oob_score=False),
        **_DRAWN,
    ),
    Listed(
        RandomForestClassifier(
            estimator=C45Classifier(),
            class_weight="balanced_subsample",
            oob_score=False,
            **_SMALL,
        ),
        counts_weight=True,
        **_DRAWN,
    ),
    Listed(
        RandomForestClassifier(class_weight="balanced_subsample", oob_score=False, **_SMALL),
        **_DRAWN,
    ),
    Listed(
        RandomForestClassifier(estimator=C45Classifier(), oob_score=False, **_SMALL),
        counts_weight=True,
        **_DRAWN,
    ),
    Listed(
        RandomForestClassifier(estimator=ID3Classifier(), oob_score=False, **_SMALL),
        counts_weight=True,
        **_DRAWN,
    ),
    Listed(BaggingClassifier(**_SMALL), **_DRAWN),
    Listed(
        BaggingClassifier(selection="mode", oob_score=True, **_SMALL), may_warn=ALL_SEEN, **_DRAWN
    ),
    Listed(BaggingClassifier(C45Classifier(rules=False), **_SMALL), counts_weight=True, **_DRAWN),
    Listed(BaggingRegressor(**_SMALL), **_DRAWN),
    Listed(BaggingRegressor(combine="median", **_SMALL), **_DRAWN),
    Listed(AdaBoostClassifier(n_estimators=10), learns_all=False, refuses_chance=True),
    Listed(
        AdaBoostClassifier(
            CARTClassifier(max_depth=8, max_surrogates=0),
            n_estimators=5,
            algorithm="M1",
            resample=True,
            random_state=0,
        ),
        refuses_chance=True,
        refuses_half=True,
        **_DRAWN,
    ),
    Listed(AdaBoostRegressor(**_SMALL), may_warn=LARGE_LOSS, **_DRAWN),
    Listed(BoostByFilteringClassifier(random_state=0), **_DRAWN),
    Listed(IGPAClassifier(random_state=0), by_parts=True, **_DRAWN),
    Listed(IGPARegressor(random_state=0), by_parts=True, **_DRAWN),
    Listed(IGPAClassifier(n_parts=3, missing="majority", random_state=0), by_parts=True, **_DRAWN),
    Listed(
        IGPAForestClassifier(oob_score=True, **_SMALL), by_parts=True, may_warn=ALL_SEEN, **_DRAWN
    ),
    Listed(IGPAForestRegressor(**_SMALL), by_parts=True, **_DRAWN),
    Listed(
        SmallForestClassifier(5, pool=20, random_state=0), soft=True, may_warn=NONE_OUT, **_DRAWN
    ),
    Listed(
        SmallForestRegressor(5, pool=20, random_state=0), soft=True, may_warn=NONE_OUT, **_DRAWN
    ),
]

STILL_CLIMBS = r"MixtureOfExperts\w+ still climbs"
_MIXED: dict[str, Any] = {
    "learns_all": False,
    "counts_weight": True,
    "soft": True,
    "may_warn": STILL_CLIMBS,
}
_STARTED: dict[str, Any] = {"n_init": 2, "random_state": 0}

LISTED += [
    Listed(MixtureOfExpertsClassifier(**_STARTED), **_MIXED),
    Listed(MixtureOfExpertsClassifier(branching=(2, 2), **_STARTED), **_MIXED),
    Listed(MixtureOfExpertsRegressor(**_STARTED), **_MIXED),
    Listed(MixtureOfExpertsRegressor(branching=(2, 2), **_STARTED), **_MIXED),
]

# A few generations find good tests, not the best ones.
_EVOLVED: dict[str, Any] = {"learns_all": False, "evolves": True}
_BRIEF: dict[str, Any] = {"population_size": 20, "generations": 5, "random_state": 0}

LISTED += [
    Listed(GPTreeClassifier(**_BRIEF), **_EVOLVED),
    Listed(GPTreeRegressor(**_BRIEF), **_EVOLVED),
    Listed(GPTreeClassifier(refine_constants=True, n_iter_no_change=3, **_BRIEF), **_EVOLVED),
    Listed(GPForestClassifier(3, **_BRIEF), **_EVOLVED),
    Listed(GPForestRegressor(4, diversity=None, refine_constants=True, **_BRIEF), **_EVOLVED),
]

_LIVES: dict[str, Any] = {"learns_all": False, "is_risk": True}

LISTED += [
    Listed(TreeOfNumbers(**SMALL), **_LIVES),
    Listed(TreeOfNumbers("logrank", **SMALL), **_LIVES),
    Listed(TreeOfNumbers(**_pruned()), **_LIVES, draws_rows=True),
    Listed(ForestOfNumbers(5, oob_score=False, random_state=0, **SMALL), **_LIVES, draws_rows=True),
]

CLASSES = list({type(one.estimator): None for one in LISTED if not one.is_risk})


def over(listed: list[Listed]) -> Any:
    """Parametrize a test by some of the list."""
    return pytest.mark.parametrize(
        "listed",
        [pytest.param(one, marks=_marks(one), id=_name(one.estimator)) for one in listed],
    )


def _name(estimator: BaseEstimator) -> str:
    return " ".join(repr(estimator).split())


def _marks(one: Listed) -> list[Any]:
    return [pytest.mark.filterwarnings(f"ignore:{one.may_warn}")] if one.may_warn else []


every = over(LISTED)
every_tree = over([one for one in LISTED if one.is_tree])
every_ensemble = over([one for one in LISTED if not one.is_tree])
every_booster = over([one for one in LISTED if one.refuses_chance])
every_classifier = over([one for one in LISTED if one.is_classifier])
every_regressor = over([one for one in LISTED if not one.is_classifier and not one.is_risk])
every_of_any_numbers = over(
    [one for one in LISTED if not (one.is_classifier or one.is_risk or one.is_rate)]
)
every_of_values = over([one for one in LISTED if not one.is_risk])
every_learner = over([one for one in LISTED if one.learns_all])
every_scale_free = over([one for one in LISTED if not one.counts_weight and not one.is_risk])
every_weigher = over([one for one in LISTED if one.counts_weight])
every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def trees(fitted: Any) -> list[Tree]:
    """Return the tree of an estimator, or the trees of its members; a mixture has none."""
    if hasattr(fitted, "tree_"):
        return [fitted.tree_]
    if hasattr(fitted, "gates_"):
        return []
    if hasattr(fitted, "forest_"):
        return list(fitted.forest_)
    return [tree for member in fitted.estimators_ for tree in trees(member)]


def most_leaves(fitted: Any) -> int:
    """Return the number of leaves of the tree, or of the largest one."""
    if hasattr(fitted, "gates_"):
        return 1 if _asks_nothing(fitted) else len(fitted.experts_) + 1
    return max(tree.n_leaves for tree in trees(fitted))


def _asks_nothing(fitted: Any) -> bool:
    """Say whether no column matters to a mixture: not to experts, nor to who of them is right."""
    experts, gates = fitted.experts_, fitted.gates_
    same = all(np.allclose(expert.intercept, experts[0].intercept) for expert in experts)
    parts = experts if same else [*experts, *gates]
    return all(np.abs(part.coef).max(initial=0.0) < 1e-6 for part in parts)


def columns(fitted: Any) -> Any:
    """Return what is known of the columns of fit."""
    schema = fitted._schema if hasattr(fitted, "gates_") else trees(fitted)[0].schema
    return schema.columns


def row_methods(fitted: Any) -> list[Any]:
    """Return the methods that answer for the rows of a table."""
    names = ["predict", "predict_proba", "apply", "decision_path", "decision_function"]
    names += ["predict_quantiles"] if hasattr(fitted, "leaf_targets_") else []
    return [getattr(fitted, name) for name in names if hasattr(fitted, name)]


def settings_of(estimator: Any) -> dict[str, Any]:
    """Return all parameters, with the classes of inner estimators in place of these."""
    params = estimator.get_params()
    return {name: type(v) if hasattr(v, "get_params") else v for name, v in params.items()}


def answers(fitted: Any, X: Any) -> list[bytes]:
    """Return everything that is predicted for some rows, as bytes."""
    names = [name for name in ("predict", "predict_proba", "apply") if hasattr(fitted, name)]
    names += ["predict_quantiles"] if hasattr(fitted, "leaf_targets_") else []
    arrays = [getattr(fitted, name)(X) for name in names]
    return [pickle.dumps(a.tolist()) if a.dtype == object else a.tobytes() for a in arrays]


def same_model(one: Any, other: Any, X: Any) -> bool:
    """Say whether two fitted estimators are equal in every bit and answer alike."""
    return trees(one) == trees(other) and answers(one, X) == answers(other, X)
