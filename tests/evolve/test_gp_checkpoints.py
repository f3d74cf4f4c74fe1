"""A fit that stopped goes on from its file to the identical result; other files are refused."""

from unittest import mock

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from sklearn.base import clone

from evolve.kit import classes_of, mixed_table
from spinney import GPForestClassifier, GPTreeClassifier, GPTreeRegressor
from spinney.evolve import Bool, Constant, Numeric, compose


def problem(n=200):
    frame = mixed_table(np.random.default_rng(0), n)
    return frame, classes_of(frame, np.random.default_rng(1), 3)


def forest_of(model):
    return [model.tree_] if hasattr(model, "tree_") else list(model.forest_)


def same(one, other):
    return forest_of(one) == forest_of(other) and one.n_evaluations_ == other.n_evaluations_


SMALL = {"population_size": 30, "generations": 6, "random_state": 2}


def unfinished(tmp_path, monkeypatch, model, frame, y, n=4):
    """Return the file of a fit that failed after some writings."""
    from spinney.evolve import _run

    path, written = tmp_path / "half.state", []
    keep = _run.save

    def save(*args):
        keep(*args)
        written.append(1)
        if len(written) == n:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_run, "save", save)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(checkpoint=path, checkpoint_every=1).fit(frame, y)
    return path


@pytest.fixture
def half(tmp_path, monkeypatch):
    frame, y = problem(80)
    return unfinished(tmp_path, monkeypatch, GPTreeClassifier(**SMALL), frame, y)


@pytest.mark.parametrize("n", range(1, 25, 2))
@pytest.mark.parametrize(
    "model",
    [GPTreeClassifier(**SMALL), GPForestClassifier(3, **SMALL, max_depth=2)],
    ids=["tree", "forest"],
)
def test_a_fit_may_stop_after_any_generation(model, n, tmp_path, monkeypatch):
    frame, y = problem(80)
    model, whole = clone(model), clone(model).fit(frame, y)
    path = unfinished(tmp_path, monkeypatch, model, frame, y, n)
    assert not hasattr(model, "n_evaluations_")
    assert same(model.set_params(checkpoint=path, checkpoint_every=7).fit(frame, y), whole)


def test_a_finished_file_gives_the_same_model_at_once(tmp_path):
    frame, y = problem(80)
    path = tmp_path / "done"
    model = GPTreeClassifier(**SMALL, checkpoint=path).fit(frame, y)
    data = path.read_bytes()
    again = GPTreeClassifier(**SMALL, checkpoint=str(path), n_jobs=2, verbose=0).fit(frame, y)
    assert same(model, again)
    assert path.read_bytes() == data


def refused(model, path, frame, y, words, weight=None):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=words) as found:
        model.set_params(checkpoint=path).fit(frame, y, sample_weight=weight)
    assert path.name in str(found.value)
    assert path.read_bytes() == before
    assert not hasattr(model, "tree_")


def test_a_file_of_other_data_is_refused_and_left_as_it_is(half):
    frame, y = problem(80)
    other = frame.copy()
    other.loc[3, "x"] += 1e-9
    flipped = np.where(np.arange(80) == 5, (y + 1) % 3, y)
    weight = np.where(np.arange(80) == 5, 2.0, 1.0)
    words = "another data set"
    refused(GPTreeClassifier(**SMALL), half, other, y, words)
    refused(GPTreeClassifier(**SMALL), half, frame, flipped, words)
    refused(GPTreeClassifier(**SMALL), half, frame.iloc[:-1], y[:-1], words)
    refused(GPTreeClassifier(**SMALL), half, frame.rename(columns={"x": "z"}), y, words)
    refused(GPTreeClassifier(**SMALL), half, frame, y, words, weight)
    refused(GPTreeRegressor(**SMALL), half, frame, y.astype(float), words)


@pytest.mark.parametrize(
    "change",
    [
        {"generations": 7},
        {"population_size": 31},
        {"max_size": 11},
        {"max_depth": 5},
        {"min_entropy": 0.6},
        {"min_fraction": 0.01},
        {"tournament_size": 4},
        {"n_iter_no_change": 3},
        {"refine_constants": True},
        {"class_weight": "balanced"},
        {"priors": [0.2, 0.3, 0.5]},
        {"functions": [">", "and"]},
        {"terminals": ["x", "constants"]},
        {"random_state": 3},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_file_of_other_settings_is_refused(half, change):
    refused(GPTreeClassifier(**SMALL | change), half, *problem(80), "other settings")


def far(limit):
    return compose("far", lambda x: (x > limit) | (-limit > x), takes=(Numeric,), returns=Bool)


def test_a_file_of_another_composed_function_is_refused(tmp_path, monkeypatch):
    frame, y = problem(80)
    own = {"functions": [far(1.0), ">", "and"]}
    path = unfinished(tmp_path, monkeypatch, GPTreeClassifier(**SMALL, **own), frame, y)
    whole = GPTreeClassifier(**SMALL, **own).fit(frame, y)
    same_again = GPTreeClassifier(**SMALL, functions=[far(1.0), ">", "and"], checkpoint=path)
    refused(GPTreeClassifier(**SMALL, functions=[far(2.0), ">", "and"]), path, frame, y, "settings")
    assert same(same_again.fit(frame, y), whole)


def test_a_file_of_other_constants_is_refused(tmp_path, monkeypatch):
    frame, y = problem(80)
    many = np.arange(3000.0)
    terms = [0, Constant(tuple(many.tolist()))]
    model = GPTreeClassifier(**SMALL, terminals=terms)
    path = unfinished(tmp_path, monkeypatch, model, frame, y)
    many[1500] += 0.5
    other = [0, Constant(tuple(many.tolist()))]
    refused(GPTreeClassifier(**SMALL, terminals=other), path, frame, y, "settings")


def test_a_file_of_another_version_is_refused(half):
    from safetensors import safe_open

    with safe_open(half, framework="numpy") as file:
        facts = file.metadata()
    save_file(load_file(half), half, facts | {"format": "0"})
    refused(GPTreeClassifier(**SMALL), half, *problem(80), "another version")


@pytest.mark.parametrize("data", [b"", b"x", b"not a state at all" * 50])
def test_a_file_that_is_something_else_is_refused(tmp_path, data):
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    refused(GPTreeClassifier(**SMALL), path, *problem(80), "notes.txt")


def test_a_file_that_lost_its_end_is_refused(half):
    data = half.read_bytes()
    for n in (len(data) - 1, len(data) // 2, 100):
        half.write_bytes(data[:n])
        refused(GPTreeClassifier(**SMALL), half, *problem(80), "half.state")


@pytest.mark.slow
def test_a_damaged_file_is_refused_or_harmless(half):
    """No byte of the file can be changed to another result."""
    frame, y = problem(80)
    whole = GPTreeClassifier(**SMALL).fit(frame, y)
    data = half.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(data), 150).tolist():
        damaged = bytearray(data)
        damaged[place] ^= 1 << int(rng.integers(8))
        half.write_bytes(damaged)
        try:
            model = GPTreeClassifier(**SMALL, checkpoint=half).fit(frame, y)
        except ValueError as problem_found:
            assert "half.state" in str(problem_found)  # noqa: PT017
            assert half.read_bytes() == damaged
        else:
            assert same(model, whole), place


def test_a_folder_that_is_not_there_is_named_before_any_work(tmp_path):
    frame, y = problem(80)
    for path, name in ((tmp_path / "nowhere" / "state", "nowhere"), (tmp_path, tmp_path.name)):
        model = GPTreeClassifier(**SMALL, checkpoint=path, checkpoint_every=10)
        with (
            mock.patch("spinney.evolve._run.save") as save,
            pytest.raises((ValueError, OSError), match=name),
        ):
            model.fit(frame, y)
        assert not save.called


def test_files_beside_a_checkpoint_stay_as_they_are(tmp_path):
    path = tmp_path / "s.bin"
    others = [tmp_path / name for name in ("s.bin.new", "s.bin.tmp", "s.bin~", ".s.bin")]
    for other in others:
        other.write_text("mine")
    GPTreeClassifier(**SMALL, checkpoint=path).fit(*problem(80))
    assert all(other.read_text() == "mine" for other in others)
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])


def forged(half, **changes):
    """Write a file whose digest is right, with some arrays changed."""
    from safetensors import safe_open

    from spinney.evolve._run import _digest

    with safe_open(half, framework="numpy") as file:
        facts = file.metadata()
    arrays = load_file(half)
    for name, change in changes.items():
        arrays[name] = change(arrays[name].copy())
    save_file(arrays, half, facts | {"digest": _digest(arrays)})


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


FORGERIES = {
    "an empty program": {
        "program_begin": put(1, 0),
    },
    "generations": {"numbers": put(0, 2**62)},
    "fewer than no generations": {"numbers": put(0, -1)},
    "unimproved": {"numbers": put(1, 99)},
    "evaluations": {"numbers": put(2, -5)},
    "all evaluations": {"numbers": put(3, -(2**62))},
    "an unknown symbol": {"program_cells": put((0, 0), 10**6)},
    "half a symbol": {"program_cells": put((0, 0), 0.5)},
    "a constant that is NaN": {"program_cells": put((0, 1), np.nan)},
    "fitness that is NaN": {"fitness": put(0, np.nan)},
    "fitness of the best": {"fitness": put(-1, np.inf)},
    "fitter than the best": {"fitness": put(0, 1e6)},
    "places that fall": {"program_begin": put(2, 0)},
    "places that end early": {"program_begin": lambda b: np.minimum(b, b[-2])},
    "another type": {"fitness": lambda f: f.astype(np.float32)},
    "another shape": {"program_cells": lambda c: c.reshape(-1)},
}


@pytest.mark.parametrize("changes", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_file_is_refused(half, changes):
    forged(half, **changes)
    refused(GPTreeClassifier(**SMALL), half, *problem(80), "damaged")


def test_a_program_that_is_too_long_is_refused(half):
    def longer(begins):
        begins[1:] += 60
        return begins

    forged(half, program_begin=longer, program_cells=lambda c: np.vstack([c[:1]] * 60 + [c]))
    refused(GPTreeClassifier(**SMALL), half, *problem(80), "damaged")
