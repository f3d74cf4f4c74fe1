"""Every constructor parameter is declared, and refused if it is wrong before any data is read.

Values are taken from a pool and from the edges of what is declared. `belongs` says anew, and more
plainly than the package, which of them are right.
"""

import inspect
import re
from functools import singledispatch
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

import spinney
from faults.outcomes import Untouchable
from spinney import (
    BaggingClassifier,
    CARTClassifier,
    CARTRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GPTreeClassifier,
    ID3Classifier,
    VotingCombiner,
)
from spinney._checks import Choice, Either, Flag, Integer, Number, Share
from spinney._params import PARAMETERS, check_parameters, declared
from spinney.evolve import Constant

NAN, INF = float("nan"), float("inf")
X, Y = np.arange(12.0)[:, None], (np.arange(12) >= 5).astype(int)
FITTED = CARTClassifier().fit(X, Y)
FITTED_NUMBERS = CARTRegressor().fit(X, Y)
PUBLIC = [getattr(spinney, name) for name in spinney.__all__]
CLASSES = [one for one in PUBLIC if isinstance(one, type) and issubclass(one, BaseEstimator)]
NEEDED = {
    VotingCombiner: {"estimators": [FITTED], "abstain_label": "?"},
    ExtraTreesClassifier: {
        "max_samples": 0.5
    },  # early stopping needs rows that a tree does not see
    ExtraTreesRegressor: {"max_samples": 0.5},
}
every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def new(cls, **settings):
    """Return an estimator with the settings without which it has no meaning."""
    return cls(**NEEDED.get(cls, {}) | settings)


# -- What is declared by numbers and names

POOL = [
    None, True, False, np.True_, -7, 0, 1, 2, 3, 2**80, np.int64(5), -0.5, 0.0, 0.25, 0.5, 1.0, 1.5,
    1e300, 10**400, NAN, INF, -INF, np.float32(0.5), "", "auto", "5", b"gini", 1j, [], [1], {}, (),
    object(), int, np.zeros(2), np.zeros(()),
]  # fmt: skip


@singledispatch
def belongs(check, value):
    """Say whether a value is right."""
    raise NotImplementedError


@singledispatch
def edges(check):
    """Return values at and beyond the bounds."""
    raise NotImplementedError


def _is_whole(value):
    return type(value) in (int, np.int64)


def _is_real(value):
    return type(value) in (int, np.int64, float, np.float32)


@belongs.register
def _(check: Choice, value):
    return type(value) in (str, type(None)) and any(value == name for name in check.names)


@edges.register
def _(check: Choice):
    names = [name for name in check.names if name is not None]
    return [*check.names, *[misspelt(name) for name in names], *[name.upper() for name in names]]


@belongs.register
def _(check: Integer, value):
    return _is_whole(value) and check.low <= value <= (check.high or INF)


@edges.register
def _(check: Integer):
    near = [check.low - 1, check.low, float(check.low), check.low + 0.5, str(check.low)]
    return near if check.high is None else [*near, check.high, check.high + 1]


@belongs.register
def _(check: Number, value):
    if not _is_real(value) or (type(value) is int and value > 10**308):
        return False
    if not check.low <= value < INF:
        return False
    if (check.open_low and value == check.low) or (check.open_high and value == check.high):
        return False
    return check.high is None or value <= check.high


@edges.register
def _(check: Number):
    near = [check.low, check.low - 1e-9, check.low + 1e-9, str(check.low)]
    return near if check.high is None else [*near, check.high, check.high + 1e-9, check.high - 1e-9]


@belongs.register
def _(check: Share, value):
    if type(value) not in (float, np.float32):
        return False
    most = 1 - 1e-12 if check.most is None else check.most
    return 0 < value <= most and value != INF


@edges.register
def _(check: Share):
    return [1e-9, 1 - 1e-9, 1 + 1e-9, 1.0, 0.0]


@belongs.register
def _(check: Flag, value):
    return value is True or value is False or value is np.True_


@edges.register
def _(check: Flag):
    return ["True", "yes", 1.0, [True]]


def misspelt(name):
    """Return a name without its last letter."""
    return name[:-1]


# -- What is declared by functions: parameter, right values, wrong values


def half(counts):
    """Be a function."""
    return 0.5


class Twice:
    """Splits with a method."""

    def split(self, X, y=None):
        """Return no folds."""
        return []


FUNCTIONS = {
    "criterion": ([half], [3, "ginni", None]),
    "cv": ([KFold(3), [([0], [1])], iter([]), Twice()], [1, 0, "ten", b"ten", 2.5, None, True]),
    "class_weight": (
        [{0: 2.0}, {"a": 0}, [1.0, 2], np.ones(3), {}],
        ["balance", {0: -1.0}, {0: NAN}, {0: "x"}, [1, INF], half, {0: None}, ["a"]],
    ),
    "priors": (
        [{0: 0.4, 1: 0.6}, [0.5, 0.5], (1.0,)],
        [{0: 0.4, 1: 0.7}, [-0.5, 1.5], [0.0, 1.0], "even", [NAN, 1], {}, half, 2.0],
    ),
    "cost_matrix": (
        [[[0, 2], [1, 0]], {("a", "b"): 3.0}, {}, np.zeros((2, 2)), {("a", "a"): 0}],
        [
            [[0, -1], [1, 0]], [[1, 1], [1, 0]], [[0, NAN], [1, 0]], [[0, 1]], [0.0], {"a": 2.0},
            {("a", "a"): 1.0}, {("a", "b"): -1}, "costs", half, {("a", "b", "c"): 1},
        ],
    ),
    "categorical_features": (
        ["from_dtype", None, [], ["x0"], [0], (True,), np.array([0]), {"x0"}],
        ["from_dtypes", "x0", 0, [0.5], ["x0", 1], [True, 1], [None], iter(["x0"]), half, b"x"],
    ),
    "monotonic_cst": (
        [{}, {"x0": 1}, {0: -1}, [0], (1,), np.array([1, -1, 0])],
        ["x0", 1, [2], {"x0": 0.5}, {"x0": "up"}, {0.5: 1}, [True], [None], [[1]], half, b"x"],
    ),
    "interaction_cst": (
        [[], [["x0"]], [[0, 1], ["x2"]], ({0},)],
        ["interactions", "x0", ["x0"], [[]], [[0.5]], [{"x0": 1}], {"x0": ["x1"]}, 3, [3], half],
    ),
    "forced_tests": (
        [{}, {"root": "x0 <= 1"}, {"root": {"test": "x0 <= 1"}, "root/yes": None}],
        ["x0 <= 1", 3, ["x0 <= 1"], {0: "x0 <= 1"}, {"root": 3}, {"root": {"tests": 1}}, half],
    ),
    "oob_score": ([half], ["accuracy", 2, None, 0.5]),
    "selection": ([half, np.argsort], ["trimed", 3, [1]]),
    "selection_data": ([(X, Y)], ["oop", [X, Y], (X,), None, X]),
    "terminals": ([[], ["x0"], (0,), [Constant((1.0,))]], ["x0", 0, 1.5, iter([]), half]),
    "domains": ([[], [["a", "b"]], (("a",),), [[0, 1]]], ["ab", ["ab"], 3, [3], half]),
    "functions": (
        [None, [">"], (">", "+"), ["and", "="]],
        [[], ["div"], ">", 3, [half], [None], half],
    ),
    "checkpoint": (["file", Path("file")], [3.5, 3, b"file", [], half]),
    "random_state": (
        [0, 2**32 - 1, -1, 2**70, np.int64(3), np.random.RandomState(0), np.random],
        ["seed", 1.5, True, [1], np.random.default_rng(0), half, NAN],
    ),
    "n_jobs": ([None, 1, -1, -1000, 2**40, np.int8(2)], [0, 1.5, "all", True, NAN, [1]]),
    "expert": ([], ["logistc", None, 3, CARTClassifier, StandardScaler(), half]),
    "estimators": ([], [[], "abc", 3, FITTED, [CARTClassifier()], [3], [CARTClassifier], [(1, 2)]]),
    "branching": (
        [None, 3, (2, 2), [1], np.int64(2), (1000,)],
        [0, (2, 0), "flat", (40, 40), (), 2.5, (2.0,), True, half, -1],
    ),
    "weights": (
        [None, [1], (0.5,), np.ones(1)],
        [[-1], [NAN], [INF], [0], ["1"], "one", [[1]], [1, 2], half, 1.0],
    ),
    "members": (
        [("forest",), ["extra", "igpa", "forest"], ("boosted",), ["oblique", "evolved"]],
        [(), [], "forest", ["forests"], ["forest", "forest"], [3], {"forest": 1}, half],
    ),
    "abstain_label": (["?", -1, 2.5, None], [["x"], {"x": 1}, np.zeros(2)]),
}  # fmt: skip


# What goes with a parameter whose values do not go with the defaults of the others.
BESIDE = {
    ("RandomSurvivalForest", "max_bins"): {"criterion": "exponential"},
    ("SurvivalTree", "max_bins"): {"criterion": "exponential"},
    ("SmallForestClassifier", "n_estimators"): {"pool": 10**400},
    ("SmallForestRegressor", "n_estimators"): {"pool": 10**400},
    ("SmallForestClassifier", "pool"): {"n_estimators": 1},
    ("SmallForestRegressor", "pool"): {"n_estimators": 1},
}


def parts_of(check):
    """Return the checks of which one must take a value."""
    return check.checks if isinstance(check, Either) else [check]


def values_of(cls, name):
    """Return right and wrong values of a parameter."""
    parts = parts_of(declared(cls)[name])
    plain = [one for one in parts if isinstance(one, Choice | Integer | Number | Share | Flag)]
    pool = [*POOL, *(value for one in plain for value in edges(one))] if plain else []
    right = [value for value in pool if any(belongs(one, value) for one in plain)]
    wrong = [value for value in pool if not any(belongs(one, value) for one in plain)]
    if len(plain) < len(parts):
        more, wrong = FUNCTIONS.get(name, ([], []))  # of the pool, more may be right than is plain
        right += more
    return right + _of_kind(cls, name), wrong + _of_other_kind(cls, name)


def _of_kind(cls, name):
    """Return right estimators for members."""
    numbers = cls.__name__.endswith("Regressor")
    one, fitted = (CARTRegressor(), FITTED_NUMBERS) if numbers else (CARTClassifier(), FITTED)
    if name == "estimator":
        single = {"BoostByFilteringClassifier", "RandomForestClassifier"}
        return [None, one] + [[one, one]] * (cls.__name__ not in single)
    if name == "rule" and cls is VotingCombiner:
        return ["plurality", "majority", "unanimous", 0.5, 1, 1e-9]
    if name == "estimators":
        return [[fitted], [("tree", fitted)], (fitted,)]
    return ["linear" if numbers else "logistic", one] if name == "expert" else []


def _of_other_kind(cls, name):
    """Return wrong estimators for members, and names that only the others have."""
    numbers = cls.__name__.endswith("Regressor")
    if name == "estimator":
        other = CARTClassifier() if numbers else CARTRegressor()
        return ["tree", CARTClassifier, StandardScaler(), [], other, [other], [None], 3, half]
    if name == "rule" and cls is VotingCombiner:
        return ["most", "Majority", None, True, [0.5], 0.0, 1.01, NAN]
    if name == "expert":
        return ["linear" if not numbers else "logistic"]
    return []


# -- The tests


@every_class
def test_every_parameter_is_declared(cls):
    assert list(declared(cls)) == list(inspect.signature(cls).parameters)


@every_class
def test_what_a_class_declares_anew_is_a_parameter_of_somebody(cls):
    anybody = {name for one in CLASSES for name in inspect.signature(one).parameters}
    assert set(PARAMETERS) | set(cls._parameters) <= anybody


@every_class
def test_every_declaration_says_what_it_accepts(cls):
    for check in declared(cls).values():
        assert 3 < len(check.accepts) < 150
        assert not check.accepts.endswith(".")


@every_class
def test_defaults_are_right_and_stay_as_they_are(cls):
    estimator = new(cls)
    before = dict(vars(estimator))
    for name, check in declared(cls).items():
        check.check(name, before[name])
    check_parameters(estimator)
    assert {name: id(value) for name, value in vars(estimator).items()} == {
        name: id(value) for name, value in before.items()
    }


def refusal(estimator, name):
    """Return the message of a fit that must fail before it reads its data, and change nothing."""
    before = dict(vars(estimator))
    told = f"{type(estimator).__name__}({name}={before[name]!r})"
    try:
        estimator.fit(Untouchable(), Untouchable())
    except (ValueError, TypeError) as problem:
        message = str(problem)
    except AssertionError as touched:
        raise AssertionError(f"{told} was not refused") from touched
    assert re.match(rf"{name}\b", message), f"{told}: {message}"
    assert list(vars(estimator)) == list(before)
    assert all(vars(estimator)[key] is before[key] for key in before)
    return message


@every_class
def test_a_wrong_value_is_refused_by_name_before_data_is_read(cls):
    for name in declared(cls):
        wrong = values_of(cls, name)[1]
        assert wrong, name
        for value in wrong:
            refusal(new(cls, **{name: value}), name)


@every_class
def test_a_right_value_passes(cls):
    for name in declared(cls):
        right = values_of(cls, name)[0]
        assert right, name
        beside = BESIDE.get((cls.__name__, name), {})
        for value in right:
            check_parameters(new(cls, **{name: value}, **beside))


@every_class
def test_a_misspelt_name_brings_the_right_one(cls):
    for name, check in declared(cls).items():
        for choice in [one for one in parts_of(check) if isinstance(one, Choice)]:
            for word in [one for one in choice.names if one is not None and len(one) > 2]:
                message = refusal(new(cls, **{name: misspelt(word)}), name)
                assert re.search(rf"Did you mean .*{word!r}.*\?$", message), message
                assert f"got {misspelt(word)!r}." in message
                assert all(repr(one) in message for one in choice.names)


@every_class
def test_the_reference_names_the_same_choices(cls):
    for name, check in declared(cls).items():
        line = re.search(rf"^ *{name} : (.*)$", cls.__doc__, flags=re.MULTILINE)
        assert line, f"{name} is not in the reference"
        said = line[1].split(", default=")[0]
        names = {one for part in parts_of(check) if isinstance(part, Choice) for one in part.names}
        braces = re.search(r"\{(.*?)\}", said)
        if braces and names:
            known = names - {None}
            written = set(re.findall(r'"(.*?)"', braces[1]))
            assert written <= known if "..." in braces[1] else written == known, line[0]
        if names:
            assert (None in names) == bool(re.search(r"\bNone\b", said)), line[0]


@every_class
def test_a_wrong_value_may_be_set_and_cloned(cls):
    """As scikit-learn has it: only fit judges."""
    estimator = new(cls)
    name = next(iter(declared(cls)))
    estimator.set_params(**{name: "nothing"})
    assert clone(estimator).get_params()[name] == "nothing"


MESSAGES = [
    (
        CARTClassifier(max_depth=0),
        "max_depth must be None or an integer >= 1, got 0. "
        "Use max_depth=None for an unlimited depth.",
    ),
    (
        CARTClassifier("ginni"),
        "criterion must be 'gini', 'entropy', 'log_loss', 'misclassification', 'exponent', "
        "'twoing' or a function, got 'ginni'. Did you mean 'gini'?",
    ),
    (
        CARTClassifier(min_samples_leaf=1.0),
        "min_samples_leaf must be an integer >= 1 or a share of the rows between 0 and 1, got 1.0.",
    ),
    (
        CARTClassifier(max_features="sqr"),
        "max_features must be None, 'sqrt', 'log2', an integer >= 1 or a share of the features "
        "above 0 and at most 1, got 'sqr'. Did you mean 'sqrt'?",
    ),
    (
        CARTClassifier(cf=0),
        "cf must be a number > 0 and <= 0.5, got 0. Use cf=0.25 as C4.5 does; a lower one prunes "
        "more.",
    ),
    (
        CARTClassifier(n_jobs=0),
        "n_jobs must be None or an integer other than 0, got 0. Use n_jobs=-1 for all cores.",
    ),
    (
        CARTClassifier(max_bins=10**6),
        "max_bins must be None or an integer >= 2 and <= 65535, got 1000000.",
    ),
    (
        CARTRegressor(pruning="mdl"),
        "pruning must be one of None, 'cost_complexity', 'reduced_error'",
    ),
    (CARTRegressor(warm_start="no"), "warm_start must be True or False, got 'no'."),
    (BaggingClassifier(combine="votes"), "combine must be one of 'vote', 'average', got 'votes'. "),
    (
        BaggingClassifier(CARTClassifier),
        "estimator must be a classifier, a list of them or None, got <class 'spinney.tree",
    ),
    (
        GPTreeClassifier(verbose="loud"),
        "verbose must be True, False or an integer >= 0, got 'loud'.",
    ),
    (
        CARTClassifier(categorical_features="zone"),
        "categorical_features must be 'from_dtype', None or a list of names, positions or "
        "booleans, got 'zone'. For one column write categorical_features=['zone'].",
    ),
    (
        CARTClassifier(class_weight=np.full(1000, -1.0)),
        "class_weight must be 'balanced', None or numbers for the classes that are finite and >= "
        "0, got a value of type ndarray.",
    ),
]


@pytest.mark.parametrize(("estimator", "message"), MESSAGES)
def test_a_message_says_what_came_what_may_come_and_what_to_do(estimator, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}") as caught:
        estimator.fit(Untouchable(), Untouchable())
    assert len(str(caught.value)) < 500


def test_a_parameter_that_is_not_used_is_checked_all_the_same():
    for wrong in ({"cf": "x"}, {"subtree_raising": "q"}, {"validation_fraction": 7}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be"):
            CARTClassifier(**wrong, pruning=None).fit(X, Y)


COMBINATIONS = [
    (CARTClassifier, {"max_bins": 9, "missing": "fractional"}, "max_bins .*fractional"),
    (spinney.RandomForestClassifier, {"max_bins": 9, "missing": "fractional"}, "max_bins .*fract"),
    (CARTClassifier, {"max_bins": 9, "splitter": "oblique"}, "max_bins .*oblique"),
    (CARTRegressor, {"max_bins": 9, "criterion": "absolute_error"}, "max_bins .*absolute_error"),
    (
        spinney.IGPAForestRegressor,
        {"max_bins": 9, "criterion": "absolute_error"},
        "max_bins .*absolute_error",
    ),
    (CARTClassifier, {"class_weight": "balanced", "priors": [0.5, 0.5]}, "class_weight and priors"),
    (
        spinney.GPForestClassifier,
        {"class_weight": "balanced", "priors": [0.5, 0.5]},
        "class_weight and priors",
    ),
    (
        CARTClassifier,
        {"pruning": "error_based", "cost_matrix": [[0, 1], [2, 0]]},
        "error_based.*knows no costs",
    ),
    (CARTRegressor, {"warm_start": True, "missing": "fractional"}, "warm_start .*fractional"),
    (BaggingClassifier, {"selection": "trimmed", "trim": 1.0}, "trim=1.0 keeps none of 100"),
    (
        spinney.IGPAForestRegressor,
        {"selection": "trimmed", "trim": 0.9, "n_estimators": 5},
        "trim=0.9 keeps none of 5",
    ),
    (
        BaggingClassifier,
        {"estimator": ID3Classifier(), "n_best_splits": 2},
        "n_best_splits=2 works with CART members only",
    ),
    (VotingCombiner, {"rule": "majority", "abstain_label": None}, "abstain_label is None"),
    (VotingCombiner, {"weights": [1.0, 2.0]}, "weights must hold one number for each of the 1"),
    (
        spinney.MixtureOfExpertsClassifier,
        {"expert": CARTClassifier(), "solver": "gradient"},
        "solver='gradient' needs experts with slopes",
    ),
    (
        spinney.MixtureOfExpertsClassifier,
        {"estimators": [FITTED], "branching": (2, 2)},
        "has room for 4 experts",
    ),
]


@pytest.mark.parametrize(("cls", "settings", "words"), COMBINATIONS)
def test_what_excludes_each_other_is_refused_before_data_is_read(cls, settings, words):
    with pytest.raises(ValueError, match=words):
        new(cls, **settings).fit(Untouchable(), Untouchable())


def test_a_parameter_of_a_class_of_ones_own_is_left_to_it():
    class Mine(CARTClassifier):
        def __init__(self, spirit="high", max_depth=None):
            super().__init__(max_depth=max_depth)
            self.spirit = spirit

    class Wrong(CARTClassifier):
        def __init__(self, max_depth=0):
            super().__init__(max_depth=max_depth)

    assert list(declared(Mine)) == ["max_depth"]
    assert Mine("low").fit(X, Y).predict([[7.0]]).tolist() == [1]
    with pytest.raises(ValueError, match="max_depth must be"):
        Wrong().fit(X, Y)
