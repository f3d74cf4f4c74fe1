"""Files are written in the present version of the format, and those of earlier ones load."""

import numpy as np
import pytest
from answering import answering, answering_forest

import spinney
from files.kit import sealed, through_file, with_array, written
from spinney import (
    CARTClassifier,
    CARTRegressor,
    ModelFileError,
    RandomForestClassifier,
    Tree,
    _core,
)
from spinney._file import _container


@pytest.fixture(scope="module")
def trees():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    plain = CARTClassifier(max_depth=3).fit(X, (X[:, 0] > 0.2) * 2 + (X[:, 1] > 0)).tree_
    numbers = CARTRegressor(max_depth=3).fit(X, X[:, 0]).tree_
    forest = RandomForestClassifier(3, max_depth=3, oob_score=False, random_state=0)
    return {"tree": plain, "numbers": numbers, "forest": forest.fit(X, X[:, 0] > 0).forest_}


def head(path):
    return path.read_bytes()[8:110].decode()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.spinney"


def test_files_are_written_in_the_present_version(trees, path):
    for name, model in trees.items():
        spinney.save(model, path)
        assert '"version":"1.1","needs":"0.2.0"' in head(path)
        own = answering_forest(model) if name == "forest" else answering(model)
        assert through_file(own, path) == own


def test_an_older_reader_says_which_spinney_it_takes(trees, path, monkeypatch):
    spinney.save(trees["tree"], path)
    monkeypatch.setattr(_container, "VERSION", (1, 0))
    with pytest.raises(ModelFileError, match=r"version 1\.1 .* needs spinney 0\.2\.0 or later"):
        spinney.load(path)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b'"0.9","needs":"0.1.0"', r"no version 0\.9"),
        (b'"1.1","needs":"0.1.0"', "not written the way"),
        (b'"1.0","needs":"0.2.0"', "not written the way"),
    ],
)
def test_another_version_is_refused(trees, path, head, words):
    spinney.save(trees["tree"], path)
    data = path.read_bytes().replace(b'"1.1","needs":"0.2.0"', head, 1)
    path.write_bytes(sealed(data))
    with pytest.raises(ModelFileError, match=words):
        spinney.load(path)


def test_an_ensemble_cannot_claim_an_earlier_version(path):
    """Its attributes had other names then."""
    X = np.arange(20.0)[:, None]
    spinney.save(RandomForestClassifier(2, oob_score=False).fit(X, X[:, 0] > 9), path)
    data = path.read_bytes().replace(b'"1.1","needs":"0.2.0"', b'"1.0","needs":"0.1.0"', 1)
    path.write_bytes(sealed(data))
    with pytest.raises(ModelFileError, match="_members"):
        spinney.load(path)


def test_answers_that_are_the_values_are_not_stored(trees, path, tmp_path):
    tree = trees["tree"]
    repeating = Tree(_core.Tree({**tree._state, "answer": tree.value}), tree.schema, tree.classes)
    spinney.save(tree, path)
    spinney.save(repeating, tmp_path / "other.spinney")
    assert path.read_bytes() == (tmp_path / "other.spinney").read_bytes()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.inf, "node 0: answer is not finite"),
        (-0.5, "node 0: a class share is negative"),
    ],
)
def test_answers_that_are_no_shares_are_refused(trees, path, value, words):
    def change(array):
        array[0] = value

    for model, who in (
        (answering(trees["tree"]), ""),
        (answering_forest(trees["forest"]), "tree 0, "),
    ):
        written(with_array(model, "parts.answer", change), path)
        with pytest.raises(ModelFileError, match=who + words):
            spinney.load(path)


def test_a_node_without_any_share_is_refused(trees, path):
    def change(array):
        array[-2:] = 0.0

    model = answering_forest(trees["forest"])
    last = trees["forest"][2].n_nodes - 1
    written(with_array(model, "parts.answer", change), path)
    with pytest.raises(ModelFileError, match=f"tree 2, node {last}: class shares are all 0"):
        spinney.load(path)
