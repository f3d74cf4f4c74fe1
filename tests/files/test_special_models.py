"""Models beside the listed ones: parts alone, members of ours, functions, parameters."""

import copy
import pickle
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from contracts.tables import codes_for, mixed_table
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, ShuffleSplit

import spinney
from files.comparing import difference
from files.kit import through_file
from spinney import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    GPForestClassifier,
    GPTreeClassifier,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingCombiner,
    _core,
)
from spinney.ensemble import Forest
from spinney.evolve import Bool, Function, Numeric, compose


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = mixed_table(rng)
    return X, np.array(["bad", "fair", "good"])[codes_for(X, rng)]


@pytest.fixture(scope="module")
def tree(table):
    return CARTClassifier(max_depth=4).fit(*table)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.spinney"


def same(one, other, X):
    assert difference(one, other) is None
    assert one.predict(X).tolist() == other.predict(X).tolist()


# -- Parts alone


def test_a_tree_a_forest_and_rules_alone(table, tree, path):
    X, y = table
    grown = C45Classifier().fit(X, y)
    forest = RandomForestClassifier(3, oob_score=False, random_state=0).fit(X, y).forest_
    for part in (tree.tree_, grown.tree_.rules(), grown.rules_, grown.rules_[:2]):
        same(part, through_file(part, path), X)
    assert through_file(forest, path) == forest


def test_rules_of_numbers_and_of_expressions(table, path):
    X, y = table
    numbers = CARTRegressor(max_depth=3).fit(X, np.arange(len(y)) * 0.1).tree_.rules()
    same(numbers, through_file(numbers, path), X)
    evolved = GPTreeClassifier(population_size=20, generations=5, random_state=0).fit(X, y)
    rules = evolved.tree_.rules()
    same(rules, through_file(rules, path), X)
    same(rules, pickle.loads(pickle.dumps(rules)), X)


def test_a_regrouped_forest_keeps_its_groups(table, path):
    X, y = table
    model = BaggingClassifier(n_estimators=5, targets="regroup", random_state=0).fit(X, y)
    loaded = through_file(model, path)
    assert [loaded.forest_.groups(i) for i in range(5)] == [
        model.forest_.groups(i) for i in range(5)
    ]
    same(model, loaded, X)


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_any_number_of_threads_reads_and_writes_the_same_forest(kind):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(1500, 4)), rng.integers(0, 3, 1500)
    forest = kind(6, oob_score=False, random_state=0).fit(X, y).forest_
    assert forest.n_nodes.min() > 300  # enough to be worth more threads
    parts = _core.forest_parts(forest._core, 1)
    sizes = np.zeros(4, np.int32)
    for n_threads in (1, 2, 5):
        again = Forest(
            _core.forest_of_parts(parts, sizes, n_threads), forest.schema, forest.classes
        )
        assert again == forest
        assert difference(_core.forest_parts(again._core, n_threads), parts) is None
    damaged = {**parts, "feature": parts["feature"] + np.uint8(4)}
    with pytest.raises(ValueError, match="tree 0, node 0: feature out of range"):
        _core.forest_of_parts(damaged, sizes, 5)


# -- Members and experts of ours


@pytest.mark.filterwarnings("ignore:MixtureOfExperts.* still climbs")
def test_votes_members_and_experts_that_are_ours(table, tree, path):
    X, y = table
    grown = C45Classifier().fit(X, y)
    members = [("cart", tree), ("c45", grown)]
    combiner = VotingCombiner(members, rule="unanimous", weights=[2.0, 1.0], abstain_label="?")
    forest = RandomForestClassifier(3, oob_score=False)
    models = [
        combiner,
        VotingCombiner([FrozenEstimator(tree)]),
        BaggingClassifier(forest, n_estimators=3, max_features=2, random_state=0),
        BaggingClassifier([forest, CARTClassifier()], n_estimators=4, random_state=0),
        MixtureOfExpertsClassifier(CARTClassifier(max_depth=2), branching=2, n_init=1, max_iter=3),
        MixtureOfExpertsClassifier(estimators=members, max_iter=3),
    ]
    for model in models:
        model.fit(X, y)
        loaded = through_file(model, path)
        same(model, loaded, X)
        np.testing.assert_array_equal(model.predict_proba(X), loaded.predict_proba(X))
        assert difference(pickle.loads(pickle.dumps(model)), loaded) is None
    loaded = through_file(combiner, path)
    assert loaded.estimators_[0].estimator is loaded.estimators[0][1]  # stored once


@pytest.mark.filterwarnings("ignore:MixtureOfExperts.* still climbs")
def test_numbers_by_members_and_experts_that_are_ours(table, path):
    X, y = table[0], np.arange(len(table[0])) * 1e-3
    expert = CARTRegressor(max_depth=2)
    models = [
        MixtureOfExpertsRegressor(expert, branching=2, n_init=1, max_iter=3, random_state=0),
        BaggingRegressor(BaggingRegressor(n_estimators=2), n_estimators=2, random_state=0),
    ]
    for model in models:
        same(model.fit(X, y), through_file(model, path), X)


def test_a_member_of_another_library_is_refused_by_name(table, tree, path):
    X = table[0][["age"]].fillna(0)
    other = LogisticRegression().fit(X, table[1])
    models = [
        (BaggingClassifier(LogisticRegression(), n_estimators=2).fit(X, table[1]), "estimator"),
        (VotingCombiner([other]).fit(X, table[1]), "estimators"),
    ]
    for model, where in models:
        words = rf"{where}.* is a sklearn.*LogisticRegression, which a model file.*joblib"
        with pytest.raises(spinney.ModelFileError, match=words):
            spinney.save(model, path)
        assert not path.exists()
        assert pickle.loads(pickle.dumps(model)).predict(X).tolist() == model.predict(X).tolist()


def test_a_warm_start_goes_on_from_a_loaded_forest(table, path):
    X, y = table
    model = BaggingClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
    loaded = through_file(model, path).set_params(n_estimators=6).fit(X, y)
    model.set_params(n_estimators=6).fit(X, y)
    assert loaded.forest_ == model.forest_
    same(model, through_file(loaded, path), X)


# -- Functions


def half_gini(p):
    return (1.0 - (p**2).sum(axis=1)) / 2


def test_a_criterion_of_ones_own_is_given_again(table, path):
    X, y = table
    model = CARTClassifier(half_gini, max_depth=2).fit(X, y)
    with pytest.raises(spinney.ModelFileError, match=r"load\(path, functions=\{'half_gini'"):
        through_file(model, path)
    loaded = through_file(model, path, functions={"half_gini": half_gini})
    assert loaded.criterion is half_gini
    same(model, loaded, X)


@pytest.mark.slow
def test_functions_of_expressions_are_given_again(table, path):
    X, y = table[0][["income", "age"]], table[1]
    excess = Function("excess", lambda a, b: abs(a - b), takes=(Numeric,) * 2, returns=Numeric)
    near = Function("near", lambda a, b: abs(a - b) < 20, takes=(Numeric,) * 2, returns=Bool)
    between = compose(
        "between", lambda x, a, b: (x > a) & (b > x), takes=(Numeric,) * 3, returns=Bool
    )
    brief = {"population_size": 30, "generations": 4, "random_state": 1}
    for functions in ([excess, near, ">"], [between]):
        for kind in (GPTreeClassifier, GPForestClassifier):
            model = kind(functions=functions, **brief).fit(X, y)
            given = {"excess": excess, "near": lambda a, b: abs(a - b) < 20}
            loaded = through_file(model, path, functions=given)
            assert loaded.predict(X).tolist() == model.predict(X).tolist()
            assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    spinney.save(GPTreeClassifier(functions=[excess, near]), path)
    with pytest.raises(spinney.ModelFileError, match=r"is the function 'excess', which"):
        spinney.load(path, functions={})


def test_two_functions_of_one_name_are_refused(path):
    def half_gini(p):
        return p.max(axis=1)

    model = BaggingClassifier([CARTClassifier(globals()["half_gini"]), CARTClassifier(half_gini)])
    with pytest.raises(spinney.ModelFileError, match="two functions of the name 'half_gini'"):
        spinney.save(model, path)


# -- Parameters and labels


PARAMS = {
    "costs": {"cost_matrix": {("bad", "good"): 5.0}, "class_weight": {"bad": 2, "good": 1.5}},
    "arrays": {"cost_matrix": np.arange(9.0).reshape(3, 3), "priors": np.full(3, 1 / 3)},
    "by columns": {"cost_matrix": np.asfortranarray(np.arange(9.0).reshape(3, 3))},
    "names": {"categorical_features": ["purpose", "größe\n\ud800"]},
    "mask": {"categorical_features": np.array([True, False])},
    "scalars": {"min_samples_leaf": np.float32(0.1), "max_depth": np.int64(3)},
    "truth": {"early_stopping": np.True_},
    "special": {"min_impurity_decrease": float("nan"), "ccp_alpha": -float("inf")},
    "splits": {"cv": KFold(3, shuffle=True, random_state=0)},
    "repeated": {"cv": RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1)},
    "shuffled": {"cv": ShuffleSplit(4, test_size=0.25)},
    "listed": {"cv": [(np.arange(3), np.arange(3, 5)), (np.arange(2), [4])]},
    "random": {"random_state": np.random.RandomState(5)},
    "large": {"random_state": 2**64 - 1, "max_leaf_nodes": -(10**30)},
    "nothing": {"max_depth": None, "unseen": (), "n_jobs": {}},
}


@pytest.mark.parametrize("params", PARAMS.values(), ids=PARAMS)
def test_parameters_are_kept_as_they_are(params, path):
    model = CARTClassifier(**params)
    loaded = through_file(model, path)
    for name, value in params.items():
        found = getattr(loaded, name)
        if isinstance(value, np.random.RandomState):
            assert found.random_sample() == copy.deepcopy(value).random_sample()
        elif hasattr(value, "split"):
            assert repr(found) == repr(value)
        else:
            assert difference(value, found) is None


LABELS = {
    "whole": np.array([0, 7, -3]),
    "short": np.array([1, 2, 3], dtype=np.int8),
    "numbers": np.array([4.0, 1.0, 2.0]),
    "truth": np.array([True, False, True]),
    "text": np.array(["a", "bb", "ähm"]),
    "wide": np.array(["a", "b", "c"], dtype="<U99"),
    "objects": np.array(["a", "b", "c"], dtype=object),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_keep_their_type(labels, path):
    X = np.arange(12.0).reshape(-1, 1)
    model = CARTClassifier().fit(X, np.repeat(labels, 4))
    loaded = through_file(model, path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.predict(X).dtype == model.predict(X).dtype
    same(model, loaded, X)


@pytest.mark.slow
def test_categories_of_every_type_and_of_great_number(path):
    rng = np.random.default_rng(0)
    n = 100_000
    frame = pd.DataFrame(
        {
            "many": pd.Categorical.from_codes(np.arange(n) % 99_999, [f"c{i}" for i in range(n)]),
            "größe": pd.Categorical(rng.choice([1, 2, 3], n)),
            "flag": pd.Categorical(rng.choice([True, False], n)),
            "odd": rng.choice(["", '"', "a,b", "\u2028", "\x00", "naïve"], n),
        }
    )
    model = CARTClassifier(max_depth=3).fit(frame, rng.integers(0, 2, n))
    loaded = through_file(model, path)
    assert loaded._schema == model._schema
    assert [type(v) for v in loaded._schema.columns[2].categories] == [bool, bool]
    same(model, loaded, frame[:1000])


def test_a_model_whose_arrays_joblib_has_mapped_saves_to_the_same_bytes(table, path, tmp_path):
    X, y = table
    model = RandomForestClassifier(3, oob_score=False, random_state=0).fit(X, y)
    spinney.save(model, path)
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert isinstance(mapped.selected_, np.memmap)
    spinney.save(mapped, tmp_path / "mapped.spinney")
    assert (tmp_path / "mapped.spinney").read_bytes() == path.read_bytes()


def test_skops_carries_the_same_state(table, tree):
    import skops.io

    X, y = table
    for model in (tree, BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)):
        data = skops.io.dumps(model)
        again = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
        same(model, again, X)


def test_an_attribute_of_the_users_is_pickled_and_not_saved(tree, path):
    model = copy.copy(tree)
    model.note = {"seen": 3}
    assert pickle.loads(pickle.dumps(model)).note == {"seen": 3}
    with pytest.raises(spinney.ModelFileError, match="attribute 'note' \\(a dict\\)"):
        spinney.save(model, path)


class OwnTree(CARTClassifier):
    """A class of the user's."""


def test_a_class_of_the_users_is_pickled_and_not_saved(table, path):
    X, y = table
    model = OwnTree(max_depth=2).fit(X, y)
    model.note = 1
    again = pickle.loads(pickle.dumps(model))
    assert again.note == 1
    assert again.predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(spinney.ModelFileError, match="a OwnTree is no model that can be saved"):
        spinney.save(model, path)
    with pytest.raises(spinney.ModelFileError, match="a dict is no model"):
        spinney.save({}, path)


def test_a_model_in_itself_is_refused(path):
    model = BaggingClassifier()
    model.estimator = model
    with pytest.raises(spinney.ModelFileError, match="nested too deeply, or in itself"):
        spinney.save(model, path)


def test_a_path_among_the_parameters_is_kept_as_text(path):
    for model in (GPForestClassifier, GPTreeClassifier):
        loaded = through_file(model(checkpoint=Path("runs") / "state.bin"), path)
        assert Path(loaded.checkpoint) == Path("runs") / "state.bin"
