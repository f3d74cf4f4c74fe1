"""An experiment gives every method the same rows, and its results depend on nothing else."""

from pathlib import Path
from typing import Any, ClassVar

import chores
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_regression
from sklearn.ensemble import GradientBoostingClassifier as SklearnBoosting
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from spinney import BaggingClassifier, CARTClassifier, CARTRegressor, RandomForestClassifier
from spinney._table._cells import CodedLabels
from spinney.compare import (
    Experiment,
    GrowingTrainingSet,
    JournalError,
    OutOfBag,
    RepeatedHoldout,
    RepeatedKFold,
    Resubstitution,
    run_units,
)
from spinney.datasets import load

TREE = {"cart": CARTClassifier(max_depth=3)}
TWO = RepeatedHoldout(n_repeats=2)


class Listening(DecisionTreeClassifier):
    """A tree that tells which rows it was given."""

    heard: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Any:
        self.heard.append(int(np.asarray(X)[:, 0].sum()))
        return super().fit(X, y)


def run(datasets: Any, methods: Any, resampling: Any = TWO, **options: Any) -> Any:
    folder, n_jobs = options.pop("folder", None), options.pop("n_jobs", None)
    made = Experiment(datasets, methods, resampling, **options)
    return made.run(folder, n_jobs=n_jobs, progress=False)


def repeated(results: Any, **wanted: Any) -> Any:
    """Return the records without their times, of a data set or method."""
    return [
        {name: value for name, value in record.items() if not name.endswith("_seconds")}
        for record in results.records
        if all(record[name] == value for name, value in wanted.items())
    ]


def test_the_error_is_the_share_of_test_rows_predicted_wrongly():
    """The rows are drawn as the resampling says; fitting by hand gives the same errors."""
    iris = load("iris")
    experiment = Experiment("iris", TREE, RepeatedKFold(5))
    found = experiment.run(progress=False)
    from spinney.compare._experiment import seed_of

    random = np.random.default_rng(seed_of(0, "iris", 0))
    _, codes = np.unique(iris.y, return_inverse=True)
    for part, (train, test) in enumerate(RepeatedKFold(5).parts(codes, random)):
        model = CARTClassifier(max_depth=3).fit(iris.X.iloc[train], iris.y[train])
        expected = np.mean(model.predict(iris.X.iloc[test]) != iris.y[test])
        assert found.values()[0, 0, part] == expected
        assert found.values("n_leaves")[0, 0, part] == model.tree_.n_leaves
        assert found.values("n_train")[0, 0, part] == len(train)


def test_every_method_meets_the_same_rows():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 10**6, (40, 2)), random.integers(0, 2, 40)
    Listening.heard.clear()
    run({"a": (X, y), "b": (X, y)}, {"one": Listening(), "two": Listening(max_depth=1)})
    a_one, a_two, b_one, b_two = np.reshape(Listening.heard, (4, 2)).tolist()
    assert a_one == a_two
    assert b_one == b_two
    assert len({*a_one, *b_one}) == 4  # other rows for other repeats and data sets


def test_more_methods_and_data_sets_change_nothing_for_the_others():
    forest = {"forest": RandomForestClassifier(n_estimators=5, oob_score=False)}
    alone = run("iris", forest)
    more = run(["wine", "iris", "glass"], {**TREE, **forest})
    assert repeated(alone) == repeated(more, dataset="iris", method="forest")


def test_another_seed_gives_other_partitions():
    assert repeated(run("wine", TREE)) != repeated(run("wine", TREE, random_state=1))


def test_repeats_have_seeds_of_their_own_unless_one_is_given():
    free = run("iris", {"forest": SklearnForest(3)}, Resubstitution(4))
    assert len(set(free.values("n_leaves")[0, 0])) > 1
    bound = run("iris", {"forest": SklearnForest(3, random_state=5)}, Resubstitution(4))
    assert len(set(bound.values("n_leaves")[0, 0])) == 1


def test_a_seed_reaches_the_steps_of_a_pipeline_but_not_the_members_of_an_ensemble():
    from spinney.compare._experiment import _seeded

    pipeline = _seeded(make_pipeline(StandardScaler(), SklearnForest(n_jobs=-1)), 1)
    assert isinstance(pipeline[-1].random_state, int)
    assert pipeline[-1].n_jobs == 1
    bagging = _seeded(BaggingClassifier(CARTClassifier()), 1)
    assert isinstance(bagging.random_state, int)
    assert bagging.estimator.random_state is None


def test_processes_and_a_folder_change_nothing(tmp_path: Path):
    methods = {**TREE, "logistic": make_pipeline(StandardScaler(), LogisticRegression())}
    plain = run("wine", methods)
    folder = run("wine", methods, folder=tmp_path, n_jobs=2)
    assert repeated(folder) == repeated(plain)
    again = run("wine", methods, folder=tmp_path)
    assert again.records == folder.records  # with the times of the first run
    head = (tmp_path / "results.csv").read_text().splitlines()[0]
    assert head == "dataset,method,repeat,part,n_train,n_test,error,n_leaves,n_nodes"


def test_a_folder_of_another_experiment_is_refused_by_name(tmp_path: Path):
    run("iris", TREE, folder=tmp_path)
    with pytest.raises(JournalError, match="another experiment: method 'cart' differs"):
        run("iris", {"cart": CARTClassifier(max_depth=4)}, folder=tmp_path)
    with pytest.raises(JournalError, match="resampling differs"):
        run("iris", TREE, RepeatedHoldout(3), folder=tmp_path)
    with pytest.raises(JournalError, match="data set 'iris' differs"):
        run({"iris": load("wine")}, TREE, folder=tmp_path)
    assert len(run("iris", TREE, folder=tmp_path).records) == 2


def test_the_fingerprint_is_the_same_in_other_processes():
    found = run_units([("a",), ("b",)], chores.fingerprint, n_jobs=2, progress=False)
    assert [result["fingerprint"] for result in found] == [chores.fingerprint()["fingerprint"]] * 2


def test_functions_among_the_parameters_are_told_apart():
    def described(function: Any) -> str:
        experiment = Experiment("iris", {"a": CARTClassifier(criterion=function)})
        return experiment.fingerprint()["method 'a'"]

    assert described(lambda p: 1 - (p**2).sum(1)) == described(lambda p: 1 - (p**2).sum(1))
    assert described(lambda p: 1 - (p**2).sum(1)) != described(lambda p: 1 - (p**3).sum(1))
    assert described(lambda p: p.max(axis=1)) != described(lambda p: p.min(axis=1))


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "dict", "list"])
def test_any_table_gives_the_same_errors(kind: str):
    random = np.random.default_rng(0)
    X = random.random((30, 2)).round(1)
    y = np.where(X[:, 0] > X[:, 1], "yes", "no")
    frame = pd.DataFrame(X, columns=["a", "b"])
    table: Any = {
        "array": X,
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "dict": {"a": X[:, 0], "b": X[:, 1]},
        "list": X.tolist(),
    }[kind]
    expected = run({"made": (X, y)}, {"tree": CARTClassifier()}).values()
    target = {"pandas": pd.Series(y), "polars": pl.Series(y)}.get(kind, y)
    found = run({"made": (table, target)}, {"tree": CARTClassifier()}).values()
    assert found.tolist() == expected.tolist()


def test_columns_of_a_mapping_may_have_ordered_labels():
    labels = np.array(["low", "high", "middle", "low", "high"] * 8, dtype=object)
    y = np.where(labels == "high", 1, 0)
    column = CodedLabels.of(labels, ["low", "middle", "high"])
    found = run({"made": ({"size": column}, y)}, {"stump": CARTClassifier(max_depth=1)})
    assert found.values().tolist() == [[[0.0, 0.0]]]


@pytest.mark.parametrize("resampling", [RepeatedKFold(3, 2), OutOfBag(3), Resubstitution(2)])
def test_every_resampling_runs(resampling: Any):
    found = run("iris", TREE, resampling)
    assert found.values().shape == (1, 1, resampling.n_repeats * resampling.n_parts)
    assert (found.values() < 0.25).all()


def test_rows_out_of_bag_count_once_among_the_training_rows():
    found = run("iris", TREE, OutOfBag(5))
    assert (found.values("n_train") + found.values("n_test") == 150).all()


def test_regression_has_the_root_of_the_mean_squared_error():
    X, y = make_regression(60, 3, random_state=0)
    methods = {"stump": CARTRegressor(max_depth=1), "tree": CARTRegressor()}
    found = run({"made": (X, y)}, methods)
    assert found.measure == "rmse"
    assert found.values("mse") == pytest.approx(found.values() ** 2)
    assert (found.mean()[:, 1] < found.mean()[:, 0]).all()


def test_stages_are_the_errors_of_the_first_members():
    methods = {"bag": BaggingClassifier(n_estimators=9), **TREE}
    found = run("glass", methods, stages=(1, 5, 9))
    curve = found.size_curve("glass", "bag")
    assert curve[:, 0].tolist() == [1, 5, 9]
    assert curve[-1, 1] == pytest.approx(found.mean()[0, 0])
    assert found.size_curve("glass", "cart").shape == (0, 3)


def test_sizes_count_the_members_that_vote():
    methods = {
        "trimmed": BaggingClassifier(n_estimators=8, selection="trimmed", trim=0.5),
        "forest": SklearnForest(4),
        "boosting": SklearnBoosting(n_estimators=2),
        "logistic": LogisticRegression(max_iter=1000),
    }
    found = run("iris", methods)
    members = found.mean("n_members")[0]
    assert members[:3].tolist() == [4, 4, 6]  # boosting has a tree for each class and round
    assert np.isnan(members[3])
    assert np.isnan(found.mean("n_leaves")[0, 3])
    tree = SklearnForest(1, random_state=0, bootstrap=False)
    iris = load("iris")
    sizes = run("iris", {"one": tree}, Resubstitution())
    fitted = tree.fit(iris.X, iris.y).estimators_[0].tree_
    assert sizes.values("n_leaves").item() == fitted.n_leaves
    assert sizes.values("n_nodes").item() == fitted.node_count


def test_further_measures_are_scikit_learns():
    found = run("heart_disease", TREE, scoring=["accuracy", "roc_auc"])
    assert found.values("accuracy") == pytest.approx(1 - found.values())
    assert (found.values("roc_auc") > 0.6).all()


def test_training_sets_of_several_sizes():
    found = run("wine", TREE, GrowingTrainingSet([20, 100], n_repeats=4))
    curve = found.training_size_curve("wine", "cart")
    assert curve[:, 0].tolist() == [20, 100]
    assert curve[0, 1] > curve[1, 1]
    assert found.at_part(1).mean()[0, 0] == pytest.approx(curve[1, 1])
    with pytest.raises(ValueError, match="training sets have several sizes"):
        found.mean()
    with pytest.raises(ValueError, match="part must be one of"):
        found.at_part(2)


GOOD = (np.zeros((4, 1)), np.array([0, 1, 0, 1]))


@pytest.mark.parametrize(
    ("datasets", "methods", "message"),
    [
        ("irs", TREE, "there is no data set 'irs'. Did you mean 'iris'"),
        ([], TREE, "datasets must hold at least one"),
        (5, TREE, "datasets must be names"),
        (["iris", "iris"], TREE, "each once, got 'iris'"),
        ({"a": (np.zeros((3, 1)), [0, 1])}, TREE, r"'a' has 3 rows but a target of shape \(2,\)"),
        ({"a": (np.zeros((2, 1)), ["x", None])}, TREE, r"data set 'a' is missing in rows \[1\]"),
        ({"a": (np.zeros((2, 1)), pd.array([1, None]))}, TREE, r"'a' is missing in rows \[1\]"),
        ({"a": 3}, TREE, "data set 'a' must be a name"),
        ("cpu_performance", TREE, "'cpu_performance' is for regression, but .* classifiers"),
        ("iris", {}, "methods must be a dict"),
        ("iris", CARTClassifier(), "methods must be a dict"),
        ("iris", {"a": CARTClassifier}, "method 'a' must be an estimator such as"),
        ("iris", {**TREE, "b": CARTRegressor()}, "all classifiers or all regressors"),
    ],
)
def test_what_cannot_be_compared_is_refused(datasets: Any, methods: Any, message: str):
    with pytest.raises(ValueError, match=message):
        Experiment(datasets, methods)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resampling": 10}, "resampling must be RepeatedHoldout"),
        ({"random_state": None}, "random_state must be an integer >= 0, got None"),
        ({"stages": [0]}, "stages must be an integer >= 1, got 0"),
        ({"scoring": ["speed"]}, "'speed'"),
    ],
)
def test_options_are_checked(options: Any, message: str):
    with pytest.raises(ValueError, match=message):
        Experiment({"a": GOOD}, TREE, **options)


def test_sizes_are_checked_before_any_work():
    with pytest.raises(ValueError, match="ask for 900 training and"):
        run("iris", TREE, RepeatedHoldout(1, train_size=900))
