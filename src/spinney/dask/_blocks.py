"""Partitions of a table as tasks see them: encoded, in bins, and with the places of their rows.

Everything here is a function of its arguments: what is lost with a worker is computed again.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney import _core
from spinney._base import core_dataset
from spinney._table import BatchEncoder, Schema, recode
from spinney._target import check_y
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
    values = block.values.copy() if len(block.values) else np.empty((0, len(schema.columns)))
    for j, numbers in enumerate(places):
        if len(numbers):
            recode(values, j, numbers)
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


def labels_of(y: Any, n_rows: int, name: str) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the distinct labels of a partition, sorted, and the place of each row's."""
    if n_rows == 0:
        return np.asarray(y)[:0], np.zeros(0, np.int32)
    labels, codes = np.unique(check_y(y, n_rows, name), return_inverse=True)
    return labels, codes.astype(np.int32)


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
    return _borders.take(block.values, dealt, wanted)


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
    weight: Floats
    places: tuple[NDArray[np.uint32], NDArray[np.uint64]] | None = None


@dataclass(frozen=True, eq=False)
class Truth:
    """The target of one partition."""

    truth: Floats
    exposure: Floats
    first_number: int  # of its first row among all


Step = tuple[list[Rows], list[bytes]]


def _part(block: Block, truth: Truth, borders: _core.BinBorders, rows: Rows) -> _core.Part:
    assert block.schema is not None
    assert block.codes is not None
    table = core_dataset(block.values, block.schema)
    narrow, wide = block.codes
    return _core.Part(
        table,
        *(narrow, wide, borders, rows.moments),
        *(truth.truth, rows.weight, truth.exposure, truth.first_number),
    )


def begin(
    block: Block, truth: Truth, borders: BorderArrays, weight: Floats, trees: list[Any]
) -> Step:
    """Put the rows of a partition into the roots of trees."""
    bins, state, answers = _core.BinBorders(*borders), [], []
    for moments, counts in trees:
        own = weight if counts is None else weight * counts
        rows = Rows(moments, np.ascontiguousarray(own, dtype=np.float64))
        part = _part(block, truth, bins, rows)
        answers.append(part.start())
        state.append(replace(rows, places=part.places()))
    return state, answers


def go_on(
    block: Block, truth: Truth, borders: BorderArrays, step: Step, requests: list[bytes | None]
) -> Step:
    """Answer requests, one for each tree; None for a tree that is grown."""
    bins, state, answers = _core.BinBorders(*borders), [], []
    for rows, request in zip(step[0], requests, strict=True):
        if request is None or rows.places is None:
            state.append(replace(rows, places=None))
            answers.append(b"")
            continue
        part = _part(block, truth, bins, rows)
        part.resume(*rows.places)
        answers.append(part.answer(request))
        state.append(replace(rows, places=part.places()))
    return state, answers


def answers_of(step: Step) -> list[bytes]:
    """Return what a partition answered."""
    return step[1]


def add(*parts: list[bytes]) -> list[bytes]:
    """Add up what several partitions answered, tree by tree."""
    out = []
    for answers in zip(*parts, strict=True):
        total = answers[0]
        for other in answers[1:]:
            total = _core.add_answers(total, other) if total else other
        out.append(total)
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
