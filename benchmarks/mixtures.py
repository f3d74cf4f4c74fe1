"""Mixtures of experts: against one expert and against forests, and how long they take.

Errors are in %, over the folds of one stratified cross-validation, the same for all models. p is of
a paired t-test whose variance is corrected for the rows that training sets share (Nadeau and Bengio
2003); a star marks p < 0.05.
"""

import warnings

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._measure import seconds, show
from spinney import (
    BaggingClassifier,
    CARTClassifier,
    MixtureOfExpertsClassifier,
    RandomForestClassifier,
)
from spinney.datasets import load

DATASETS = (
    "pima_indians_diabetes",
    "breast_cancer_wisconsin",
    "heart_disease",
    "german_credit",
    "sonar",
    "bupa_liver",
    "haberman",
    "balance_scale",
    "glass",
    "car_evaluation",
)
PAIRS = (
    ("3 logistic", "logistic"),
    ("3 logistic", "bagging"),
    ("3 logistic", "forest"),
    ("3 trees", "tree"),
    ("3 trees", "bagging"),
    ("3 trees", "forest"),
)
_SHALLOW = CARTClassifier(max_depth=3, max_surrogates=2)
_TREE_STEPS = {"n_init": 2, "max_iter": 30, "random_state": 0}


def models():
    """Return what is compared, by name: a single expert comes before its mixtures."""
    return {
        "logistic": MixtureOfExpertsClassifier(branching=1),
        "3 logistic": MixtureOfExpertsClassifier(branching=3, random_state=0),
        "2 x 2 logistic": MixtureOfExpertsClassifier(branching=(2, 2), random_state=0),
        "tree": _SHALLOW,
        "3 trees": MixtureOfExpertsClassifier(_SHALLOW, branching=3, **_TREE_STEPS),
        "bagging": BaggingClassifier(n_estimators=100, random_state=0),
        "forest": RandomForestClassifier(n_estimators=100, random_state=0),
    }


def networks():
    """Return one small network and a mixture of three."""
    network = make_pipeline(
        SimpleImputer(),
        StandardScaler(),
        MLPClassifier((5,), solver="lbfgs", alpha=1.0, max_iter=100, random_state=0),
    )
    mixture = MixtureOfExpertsClassifier(
        network, branching=3, n_init=1, max_iter=20, random_state=0
    )
    return {
        "network": network,
        "3 networks": mixture,
        "3 logistic": models()["3 logistic"],
        "forest": models()["forest"],
    }


def fold_errors(estimators, name, n_folds, seed=0):
    """Return the error of each model in each fold, in %."""
    data = load(name)
    X, y = data.X, np.asarray(data.y)
    errors = {who: [] for who in estimators}
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        warnings.simplefilter("ignore", ConvergenceWarning)
        for train, test in folds.split(X, y):
            for who, estimator in estimators.items():
                fitted = clone(estimator).fit(X.iloc[train], y[train])
                errors[who].append(100.0 * (1.0 - fitted.score(X.iloc[test], y[test])))
    return {who: np.array(found) for who, found in errors.items()}


def chance(one, other):
    """Return p of a difference over folds, corrected for what training sets share."""
    off = one - other
    n_folds = len(off)
    spread = off.var(ddof=1) * (1.0 / n_folds + 1.0 / (n_folds - 1.0))
    if spread == 0.0:
        return 1.0 if off.mean() == 0.0 else 0.0
    return float(2.0 * student.sf(abs(off.mean()) / np.sqrt(spread), n_folds - 1))


def _p(one, other):
    p = chance(one, other)
    return f"{p:.2f}{'*' if p < 0.05 else ''}"


def study(names=DATASETS, n_folds=10):
    means, tests = [], []
    for name in names:
        errors = fold_errors(models(), name, n_folds)
        means.append([float(found.mean()) for found in errors.values()])
        tests.append([name, *(_p(errors[one], errors[other]) for one, other in PAIRS)])
    rows = [[name, *(f"{x:.1f}" for x in mean)] for name, mean in zip(names, means, strict=True)]
    rows.append(["mean", *(f"{value:.1f}" for value in np.mean(means, axis=0))])
    show(f"Error in %, {n_folds} folds", ["", *models()], rows)
    show("p of the differences", ["", *(f"{one} : {other}" for one, other in PAIRS)], tests)


def breast_cancer(n_folds=10):
    errors = fold_errors(networks(), "breast_cancer_wisconsin", n_folds)
    rows = [
        [who, f"{found.mean():.1f}", f"{found.std(ddof=1):.1f}", _p(found, errors["3 networks"])]
        for who, found in errors.items()
    ]
    show(
        f"breast_cancer_wisconsin, {n_folds} folds",
        ["", "error in %", "std", "p against 3 networks"],
        rows,
    )


def speed(n_rows=10_000, n_columns=20, n_steps=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    z = np.where(X[:, 0] > 0, X[:, 1] - X[:, 2], X[:, 3] + X[:, 4])
    y = z + 0.3 * rng.normal(size=n_rows) > 0
    rows = []
    for n_init in (1, 3):
        model = MixtureOfExpertsClassifier(
            branching=4, max_iter=n_steps, tol=0.0, n_init=n_init, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            took, fitted = seconds(lambda model=model: clone(model).fit(X, y), 2)
        rows.append([n_init, f"{took:.2f}", fitted.n_iterations_, f"{fitted.score(X, y):.3f}"])
    title = f"{n_rows:,} x {n_columns}, 4 logistic experts, {n_steps} steps of EM a start"
    show(title, ["starts", "seconds", "steps", "training acc"], rows)


def mixtures():
    speed()
    study()
    breast_cancer()


def quick_mixtures():
    speed(2_000, 10, 20)
    study(("haberman", "balance_scale"), 3)
