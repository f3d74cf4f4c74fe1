"""The arrays of small models, as the fuzz target of the decoder reads them."""

import hashlib
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from answering import answering, answering_forest
from sklearn.base import clone

from fuzz.models import make_table
from spinney import (
    BaggingClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    GPTreeClassifier,
    ID3Classifier,
    RandomForestClassifier,
    RandomForestRegressor,
    Tree,
    _core,
)

TYPES = ["u1", "<u2", "<u4", "<f4", "<f8"]  # StoredType, in its order
CATEGORIES, ONE_TREE, FEWER = 1, 2, 4  # bits of the first byte: what the arrays are read as

Parts = dict[str, np.ndarray]


NAMES = _core.part_names()


def frame(first: int, parts: Parts) -> bytes:
    """Return the arrays of a forest in one run of bytes, behind what they are to be read as."""
    out = bytes([first])
    for number, name in enumerate(NAMES):
        if name in parts and parts[name].size:
            kind = TYPES.index(parts[name].dtype.str.replace("|", ""))
            out += bytes([number, kind]) + parts[name].size.to_bytes(4, "little")
            out += parts[name].tobytes()
    return out


def small_models() -> list[Any]:
    """Return trees and forests of a few nodes, with every kind of test."""
    X, codes = make_table()
    y, numbers = np.array(["a", "b", "c"])[codes], codes * 1.5 + np.arange(len(codes)) * 0.01
    plain, few = X[["income", "age"]], {"n_estimators": 2, "random_state": 0}
    small: dict[str, Any] = {"max_depth": 2}
    costs = {("a", "b"): 2.5, ("b", "a"): 1, ("c", "a"): 1, ("a", "c"): 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trees = [
            CARTClassifier(max_depth=2, max_surrogates=2).fit(X, y),
            CARTClassifier(missing="majority", **small).fit(plain, y),
            CARTRegressor(missing="majority", **small).fit(plain, numbers),
            CARTRegressor(max_depth=1, criterion="absolute_error").fit(X, numbers),
            CARTClassifier(missing="fractional", cost_matrix=costs, **small).fit(X, y),
            C45Classifier(max_depth=2, pruning=None, max_intervals=3).fit(X, y),
            C45Classifier(nominal="grouped", max_depth=2, pruning=None).fit(X, y),
            ID3Classifier(discretize="quantile", max_depth=1).fit(plain, y),
            GPTreeClassifier(population_size=20, generations=3, random_state=1).fit(X, y),
            CARTClassifier().fit(plain[:3], ["a", "a", "a"]),
            CARTRegressor(monotonic_cst=[-1, 1], **small).fit(plain, numbers),
        ]
        forests = [
            RandomForestClassifier(oob_score=False, **few, **small).fit(plain, y),
            RandomForestRegressor(oob_score=False, **few, **small).fit(plain, numbers),
            RandomForestRegressor(oob_score=False, monotonic_cst=[1, 0], **few, **small).fit(
                plain, numbers
            ),
            BaggingClassifier(CARTClassifier(**small), targets="regroup", **few).fit(X, y),
            BaggingClassifier(CARTClassifier(max_depth=1), **few).fit(X, y, np.full(30, 0.3)),
        ]
    listed = [model.tree_ for model in trees] + [model.forest_ for model in forests]
    # Of classes with surrogates and without, of numbers, and beside a tree that has none.
    own_answers = [answering(model.tree_) for model in trees[:3]]
    return [*listed, *own_answers, *(answering_forest(model.forest_) for model in forests[:2])]


def large_forests() -> list[Any]:
    """Return forests of large trees, which several threads could read, and one with categories."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 2)), rng.integers(0, 2, 900)
    mixed = {"x": X[:, 0], "k": rng.choice(np.array(list("abc"), dtype=object), 900)}
    forest = RandomForestClassifier(2, oob_score=False, random_state=0)
    return [forest.fit(X, y).forest_, clone(forest).fit(mixed, y).forest_]


def small_frames(*, large: bool = True) -> list[tuple[int, Parts]]:
    """Return the arrays of small models, each with what they are to be read as."""
    frames = []
    for model in [*small_models(), *(large_forests() if large else [])]:
        if isinstance(model, Tree):
            parts = _core.tree_parts(model._core)
            frames += [(ONE_TREE, parts), (0, parts)]
        else:
            parts = _core.forest_parts(model._core, 1)
            frames.append((0, parts))
        if "code" in parts and parts["code"].max() < 4:
            frames.append((frames[-1][0] | CATEGORIES, parts))
    return frames


def write_frames(folder: Path, most: int = 3_000) -> int:
    """Write the frames of small models, one file each; return how many."""
    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    for first, parts in small_frames():
        data = frame(first, parts)
        digest = hashlib.sha256(data).hexdigest()[:12]
        if len(data) <= most:
            (folder / digest).write_bytes(data)
            written.add(digest)
    return len(written)


# -- Changes of single numbers

ENTRIES = 7  # of an array
ODD = [
    *(0, 1, 2, 3, 4, 5, 11, 12, 13, 255, 256, 257, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 1),
    *(-0.0, -1, 0.5, 1e-310, 1e300, 1.7e308, -1.7e308, np.inf, -np.inf, np.nan),
]


def narrow(numbers: Any) -> np.ndarray:
    """Return numbers in the narrowest type that a file can hold them in."""
    values = np.asarray(numbers, np.float64)
    with np.errstate(all="ignore"):
        whole = (values >= 0) & (values < 2**32) & (values == np.floor(values))
        if (whole & ~np.signbit(values)).all():
            most = values.max(initial=0)
            return values.astype("u1" if most < 256 else "<u2" if most < 65_536 else "<u4")
        return values.astype("<f4" if (values.astype("<f4") == values).all() else "<f8")


def changes(parts: Parts) -> list[tuple[str, np.ndarray]]:
    """Return arrays to put in place of one of the arrays, by its name."""
    found: list[tuple[str, np.ndarray]] = []
    for name, array in parts.items():
        numbers = array.astype(np.float64)
        n = len(numbers)
        for at in sorted({*range(min(n, ENTRIES - 2)), n - 2, n - 1} - {-1}):
            own = numbers[at]
            near = [own + 1, own - 1, own + 2, -own, own * (1 + 2**-50), numbers[at - 1]]
            for value in [*near, *ODD]:
                other = numbers.copy()
                other[at] = value
                found.append((name, narrow(other)))
        found += [(name, narrow(numbers[1:])), (name, narrow(numbers[:-1]))]
        found += [(name, narrow(np.append(numbers, numbers[-1]))), (name, array[:0])]
        found += [(name, narrow(numbers[::-1]))]
        found += [(name, narrow(np.full(n, value))) for value in (0, 1, 0.5, 1.7e308, np.nan)]
        with np.errstate(all="ignore"):
            found += [(name, array.astype(kind)) for kind in TYPES if array.dtype != kind]
    n_nodes, n_inner = len(parts["kind"]), int((parts["kind"] > 0).sum())
    for name in NAMES:
        if name not in parts:
            for size in {1, n_inner, n_nodes} - {0}:
                found += [(name, narrow(np.full(size, v))) for v in (0, 1, 2, 0.5, np.nan)]
    return found


# Lists of which another array holds the lengths.
LISTS = {
    "n_codes": ("code", "branch"),
    "n_cuts": ("cut",),
    "n_tokens": ("op",),
    "n_costs": ("cost",),
    "n_groups": ("group",),
    "surrogate_n_codes": ("surrogate_code", "surrogate_branch"),
}


def grown(parts: Parts) -> list[Parts]:
    """Return arrays with lists that are one or more entries longer or shorter than before."""
    found = []
    for counts, lists in LISTS.items():
        if counts not in parts:
            continue
        sizes = parts[counts].astype(np.int64)
        for at in range(min(len(sizes), 3)):
            for step in (1, -1, 2, 3, 4):
                if sizes[at] + step < 0:
                    continue
                for value in (0, 1, 2, 9):
                    other = dict(parts)
                    changed = sizes.copy()
                    changed[at] += step
                    other[counts] = narrow(changed)
                    end = int(sizes[: at + 1].sum())
                    for name in lists:
                        numbers = parts.get(name, np.zeros(0)).astype(np.float64)
                        more = np.insert(numbers, [end] * max(step, 0), value)
                        other[name] = narrow(more if step > 0 else np.delete(numbers, end - 1))
                    found.append(other)
    return found


def odd_frames(frames: list[tuple[int, Parts]]) -> list[bytes]:
    """Return frames that need several changes at once."""
    none, leaf = np.zeros(1, "u1"), frames[-1][1]
    leaf = min((parts for _, parts in frames), key=lambda parts: len(parts["kind"]))
    itself = dict.fromkeys(("child", "feature", "threshold", "default_branch", "gain"), none)
    odd: list[Parts] = [{"n_features": none}, {"n_features": none + 3}]
    odd.append(leaf | itself | {"kind": none + 1, "n_features": none + 1})  # its own child
    most = {"n_classes": np.array([65_536], "<u4"), "value": np.zeros(65_536, "u1")}
    odd.append({"n_nodes": none, "n_classes": np.array([2**31 - 1], "<u4"), "missing": none})
    odd[-1] |= {"n_features": none + 1, "n_costs": none, "n_groups": none}
    odd.append(leaf | most)
    odd.append(leaf | most | {"n_classes": np.array([65_535], "<u2"), "value": most["value"][1:]})
    told = {"weight": none + 1, "impurity": np.full(1, 0.5, "<f4"), "risk": none + 1}
    odd.append(leaf | told | {"n_classes": none + 2, "value": np.full(2, 1.7e308)})  # no sum
    deep = next(parts for _, parts in frames if "op" in parts)
    first = int(deep["n_tokens"][0])
    for size in (64, 65):
        ops = np.concatenate([np.zeros(size), np.full(size - 1, 2), [8], deep["op"][first:]])
        tokens = deep["n_tokens"].astype(np.int64)
        tokens[0] = 2 * size
        n_columns = size - int((deep["op"][:first] == 0).sum())
        columns = np.concatenate([np.zeros(max(n_columns, 0)), deep["column"]])
        constants = deep["constant"][int((deep["op"][:first] == 1).sum()) :]
        more = {"op": narrow(ops), "n_tokens": narrow(tokens), "column": narrow(columns)}
        odd.append(deep | more | {"constant": narrow(constants)})
    columns = np.insert(deep["column"], int((deep["op"][:first] == 0).sum()), 0)
    for more in ([0, 8], [0, 8, 12]):  # two truth values, and what is no operation on them
        tokens = deep["n_tokens"].astype(np.int64)
        tokens[0] += len(more)
        ops = np.insert(deep["op"], first, more)
        odd.append(deep | {"n_tokens": narrow(tokens), "op": ops, "column": columns})
    return [frame(kind, parts) for parts in odd for kind in (0, ONE_TREE)]


def frame_sweep(n_random: int) -> Any:
    """Yield frames of which one number or array is changed, and some with two or three changes."""
    random, ways = Random(0), []
    frames = small_frames()
    yield from odd_frames(frames)
    for first, parts in frames:
        yield frame(first | CATEGORIES | FEWER, parts)
        yield from (frame(first, other) for other in grown(parts))
        listed = changes(parts)
        ways.append((first, parts, listed))
        for name, array in listed:
            yield frame(first, {**parts, name: array})
    for _ in range(n_random):
        first, parts, listed = random.choice(ways)
        yield frame(first, parts | dict(random.choices(listed, k=random.choice([2, 2, 3]))))
