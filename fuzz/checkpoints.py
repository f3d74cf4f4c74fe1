"""Forged checkpoints of evolved trees: refused in words, or the fit goes on to a sound model."""

import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load, save

import spinney
from spinney.evolve import Bool, Function, Numeric, _run

_EDGES = [-1, 0, 1, 2, 3, 11, 12, 59, 60, 61, 64, 255, 2**31 - 1, 2**31, 2**62, 2**63 - 1]
_REALS = [0.0, -0.0, 0.5, -1.0, 1e300, 1e-300, float("inf"), float("-inf"), float("nan")]


class _StopError(Exception):
    """A fit is to be left where it is."""


def _table() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=40), "b": rng.normal(size=40), "c": rng.choice(["u", "v", "w"], 40)}
    return X, (X["a"] * X["b"] > 0) + (X["c"] == "u")


def _own(a: Any) -> Any:
    return np.asarray(a) > 0.5


def _models() -> list[Any]:
    few = {"population_size": 8, "generations": 4, "random_state": 0}
    own = Function("own", _own, takes=(Numeric,), returns=Bool)
    return [
        spinney.GPTreeClassifier(**few),
        spinney.GPTreeRegressor(**few, n_iter_no_change=3),
        spinney.GPForestClassifier(2, **few),
        spinney.GPTreeClassifier(**few, functions=[own, ">", "and", "+"], max_size=6),
    ]


@cache
def _states() -> list[tuple[Any, bytes]]:
    """Return models with what their files hold after some generations."""
    found = []
    X, y = _table()
    keep = _run.write_atomically
    for model in _models():
        for stop in (1, 3, 6, 10**6):
            written: list[bytes] = []

            def hold(path: Any, chunks: Any, written: Any = written, stop: int = stop) -> None:
                written.append(b"".join(chunks))
                if len(written) == stop:
                    raise _StopError

            _run.write_atomically = hold
            try:
                model.set_params(checkpoint="state", checkpoint_every=1).fit(X, y.astype(float))
            except _StopError:
                pass
            finally:
                _run.write_atomically = keep
            found.append((model, written[-1]))
    return found


def forge(data: bytes, random: Random) -> bytes:
    """Return a checkpoint with something changed; most have a digest that is right."""
    if random.random() < 0.1:
        bytes_ = bytearray(data)
        for _ in range(random.randint(1, 4)):
            bytes_[random.randrange(len(bytes_))] = random.randrange(256)
        return bytes(bytes_[: random.choice([len(bytes_), random.randrange(len(bytes_))])])
    arrays, facts = load(data), _facts(data)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        name = random.choice(sorted(arrays))
        with np.errstate(all="ignore"):
            arrays[name] = _changed(arrays[name], random)
    return save(arrays, facts | {"digest": _run._digest(arrays)})


def _facts(data: bytes) -> dict[str, str]:
    import json

    size = int.from_bytes(data[:8], "little")
    facts: dict[str, str] = json.loads(data[8 : 8 + size])["__metadata__"]
    return facts


def _changed(array: Any, random: Random) -> Any:
    array = array.copy()
    kind = random.randrange(8)
    if kind == 0 and array.ndim:
        return array[: random.randrange(len(array) + 1)]
    if kind == 1 and array.size:
        place = random.randrange(len(array) + 1)
        return np.concatenate([array[:place], array[:1], array[place:]])
    if kind == 2:
        types = [np.float32, np.int32, np.int64, np.float64, np.uint8, np.bool_]
        return array.astype(random.choice(types))
    if kind == 3:
        return array.reshape(-1) if array.ndim > 1 else array.reshape(-1, 1)
    if not array.size:
        return np.ones_like(array, shape=(1, *array.shape[1:]))
    flat = array.reshape(-1)
    place = random.randrange(len(flat))
    if array.dtype == np.int64:
        near = int(flat[place]) + random.choice([-2, -1, 1, 2])
        flat[place] = random.choice([*_EDGES, min(max(near, -(2**63)), 2**63 - 1)])
    elif array.dtype.kind != "f":
        flat[place] = random.randrange(2)
    elif kind == 4:
        flat[place] = random.choice(_REALS)
    else:
        flat[place] = random.choice([random.randint(-2, 40), flat[random.randrange(len(flat))]])
    return array


def try_checkpoint(number: int, folder: Path) -> str:
    """Forge a checkpoint and go on from it; return "refused" or "fitted"."""
    random = Random(number)
    model, data = random.choice(_states())
    path = folder / "state"
    path.write_bytes(forged := forge(data, random))
    X, y = _table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.set_params(checkpoint=str(path), checkpoint_every=100).fit(X, y.astype(float))
        except ValueError as error:
            if str(path) not in str(error) or path.read_bytes() != forged:
                raise AssertionError(f"refused by accident, or changed: {error}") from error
            return "refused"
    trees = [model.tree_] if hasattr(model, "tree_") else list(model.forest_)
    assert all(tree.to_text() for tree in trees)
    assert np.isfinite(model.predict(X)).all()
    model.set_params(checkpoint=None)
    if model.functions is None:  # a function in Python is in a file by name only
        spinney.save(model, folder / "model")
        assert (spinney.load(folder / "model").predict(X) == model.predict(X)).all()
    return "fitted"
