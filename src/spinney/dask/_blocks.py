"""Partitions of a table as tasks see them: encoded, in bins, and with the places of their rows.

Everything here is a function of its arguments: what is lost with a worker is computed again.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._table import BatchEncoder, Schema, recode
from spinney._target import CodedClasses, check_y
from spinney._typing import Floats
from spinney.dask import _borders
from spinney.dask._borders import BorderArrays


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of one partition."""

    values: Floats
    schema: Schema | None = None
    codes: tuple[NDArray[np.uint8], NDArray[np.uint16]] | None = None


def encode(X: Any, categorical_features: Any, name: str) -> tuple[Block, BatchEncoder]:
    """Encode a partition by itself."""
    encoder = BatchEncoder(categorical_features, name)
    if len(X) == 0:
        return Block(np.empty((0, 0))), encoder
    return Block(encoder.encode(X)), encoder


def block_of(encoded: tuple[Block, BatchEncoder]) -> Block:
    """Return the rows."""
    return encoded[0]


def about(encoded: tuple[Block, BatchEncoder]) -> tuple[int, BatchEncoder]:
    """Return all but the rows."""
    return len(encoded[0].values), encoded[1]


def finish(block: Block, schema: Schema, places: list[Floats]) -> Block:
    """Return a partition with the codes of the whole table."""
    values = block.values if len(block.values) else np.empty((0, len(schema.columns)))
    changed = [j for j, own in enumerate(places) if not np.array_equal(own, np.arange(len(own)))]
    if changed:
        values = values.copy()  # results of other tasks are never changed
    for j in changed:
        recode(values, j, places[j])
    return Block(values, schema)


def seen(block: Block, used: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Return which categories the used rows of a partition hold, by column."""
    assert block.schema is not None
    out = []
    for j, column in enumerate(block.schema.columns):
        found = np.zeros(len(column.categories), dtype=bool)
        codes = block.values[used, j] if len(column.categories) else np.zeros(0)
        found[codes[~np.isnan(codes)].astype(np.intp)] = True
        out.append(found)
    return out


def labels_of(y: Any, n_rows: int, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct labels of a partition, sorted, and the place of each row's."""
    if n_rows == 0:
        return np.asarray(y)[:0], np.zeros(0, np.uint8)
    coded = CodedClasses.of(check_y(y, n_rows, name))
    return coded.labels, coded.codes.astype(np.min_scalar_type(len(coded.labels)))


def values_of(block: Block) -> Floats:
    """Return the encoded rows."""
    return block.values


# -- Bins


def sampled(block: Block, used: NDArray[np.bool_], n_rows: int) -> Floats:
    """Return some of the used rows; `n_rows` are in all partitions."""
    return _borders.sample(block.values, used, n_rows)


def dealt(block: Block, used: NDArray[np.bool_], splitters: list[Floats]) -> _borders.Dealt:
    """Put the used rows into buckets."""
    assert block.schema is not None
    return _borders.deal(block.values, block.schema, used, splitters)


def taken(block: Block, dealt: _borders.Dealt, wanted: list[NDArray[np.int64]]) -> list[Floats]:
    """Return the values in some buckets."""
    assert block.schema is not None
    return _borders.take(block.values, block.schema, dealt, wanted)


def with_codes(block: Block, borders: BorderArrays) -> Block:
    """Return a partition with its bins."""
    assert block.schema is not None
    table = core_dataset(block.values, block.schema)
    return replace(block, codes=_core.bin_codes(table, _core.BinBorders(*borders)))


# -- Growth


@dataclass(frozen=True, eq=False)
class Rows:
    """What a tree is grown from in one partition: weights, and where rows are in the tree."""

    moments: _core.Moments
    weight: Floats  # of each, or one of all
    counts: NDArray[np.uint8] | None  # how often each counts, if not once
    places: tuple[NDArray[np.uint32], NDArray[np.uint64]] | None = None
    part: list[_core.Part] = field(default_factory=list)  # what holds the rows there, or nothing

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again."""
        return {**vars(self), "part": []}


@dataclass(frozen=True, eq=False)
class Truth:
    """The target of one partition."""

    truth: NDArray[Any]  # class codes in as few bits as they need, or numbers
    exposure: Floats
    first_number: int  # of its first row among all


Step = tuple[list[Rows], list[bytes]]


def _n_bytes(one: Any) -> int:
    """Tell Dask what it takes to move a partition: workers keep what is large."""
    return sum(sizeof(part) for part in vars(one).values())


sizeof.register((Block, Rows, Truth), _n_bytes)


def _part(block: Block, truth: Truth, borders: _core.BinBorders, rows: Rows) -> _core.Part:
    assert block.schema is not None
    assert block.codes is not None
    table = core_dataset(block.values, block.schema)
    narrow, wide = block.codes
    return _core.Part(
        table,
        *(narrow, wide, borders, rows.moments),
        truth=truth.truth,
        weight=rows.weight,
        times=rows.counts,
        exposure=truth.exposure,
        first_number=truth.first_number,
    )


def begin(block: Block, truth: Truth, borders: BorderArrays, trees: list[Any]) -> Step:
    """Put the rows of a partition into the roots of trees."""
    bins, state, answers = _core.BinBorders(*borders), [], []
    for moments, weight, counts in trees:
        rows = Rows(moments, weight, counts)
        part = _part(block, truth, bins, rows)
        answers.append(part.start())
        state.append(_moved(rows, part, len(trees)))
    return state, answers


def _moved(rows: Rows, part: _core.Part, n_trees: int) -> Rows:
    """Return where rows are now; with the part itself, which is quicker to ask, if it is alone."""
    return replace(rows, places=part.places(), part=[part] if n_trees == 1 else [])


def _resumed(block: Block, truth: Truth, bins: _core.BinBorders, rows: Rows) -> _core.Part:
    """Return what holds the rows: taken from the step before, or made again from their places."""
    try:
        return rows.part.pop()
    except IndexError:
        part = _part(block, truth, bins, rows)
        assert rows.places is not None
        part.resume(*rows.places)
        return part


def go_on(
    block: Block, truth: Truth, borders: BorderArrays, step: Step, requests: list[bytes | None]
) -> Step:
    """Answer requests, one for each tree; None for a tree that is grown."""
    bins, state, answers = _core.BinBorders(*borders), [], []
    for rows, request in zip(step[0], requests, strict=True):
        if request is None or rows.places is None:
            state.append(replace(rows, places=None, part=[]))
            answers.append(b"")
            continue
        part = _resumed(block, truth, bins, rows)
        answers.append(part.answer(request))
        state.append(_moved(rows, part, len(requests)))
    return state, answers


def count(
    block: Block, truth: Truth, borders: BorderArrays, step: Step, requests: list[bytes | None]
) -> list[bytes]:
    """Answer requests that leave rows where they are."""
    bins, answers = _core.BinBorders(*borders), []
    for rows, request in zip(step[0], requests, strict=True):
        if request is None or rows.places is None:
            answers.append(b"")
            continue
        part = _resumed(block, truth, bins, rows)
        answers.append(part.answer(request))
        if len(requests) == 1:
            rows.part.append(part)
    return answers


def answers_of(step: Step) -> list[bytes]:
    """Return what a partition answered."""
    return step[1]


def add(*parts: list[bytes]) -> list[bytes]:
    """Add up what several partitions answered, tree by tree."""
    out = []
    for answers in zip(*parts, strict=True):
        out.append(_core.add_answers(list(answers)) if answers[0] else b"")
    return out


def leaves_of(block: Block, tree: Any) -> NDArray[np.int32]:
    """Return the leaf of each row."""
    if len(block.values) == 0:
        return np.zeros(0, np.int32)
    return np.asarray(tree._core.apply(block.values, 1), np.int32)


def judged(block: Block, tree: Any) -> Floats:
    """Return what a tree answers: class codes or numbers."""
    if len(block.values) == 0:
        return np.zeros(0)
    if tree.classes is None:
        return np.asarray(tree._core.predict_values(block.values, 1)[:, 0])
    return np.asarray(tree._core.predict_labels(block.values, 1), np.float64)
