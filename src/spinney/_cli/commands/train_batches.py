"""`spinney train --batches`: a model from Parquet files that are read in batches."""

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from spinney._cli.commands.train import MOST_LEAVES, fitting_depth, how, unfitted
from spinney._cli.data.reading import MOST_CLASSES, Choices, check_names
from spinney._cli.errors import Refusal, refusing
from spinney._cli.models import Settings, save_model, trees_of
from spinney._cli.output import Screen, leaves_text, print_result
from spinney._format import plural

MAX_BINS = 255
_OF_WHOLE_TABLES = {
    "drop_ids": "--drop-ids",
    "drop_unlabelled": "--drop-unlabelled",
    "ordered": "--ordered",
    "na": "--na",
    "encoding": "--encoding",
    "numeric": "--numeric",
    "decimal": "--decimal",
}


@dataclass(frozen=True, eq=False)
class BatchTraining:
    """A model that was trained from batches."""

    source: str
    n_rows: int
    task: str
    choices: Choices
    settings: Settings
    model: Any
    notes: tuple[str, ...]  # warnings of the model


def run(
    data: str,
    choices: Choices,
    settings: Settings,
    refused: Mapping[str, Any],
    out: Path | None,
    as_json: bool,
) -> None:
    """Train a model on Parquet files without holding them in memory; show it.

    Parameters
    ----------
    data : str
        A path or a pattern.
    choices : Choices
        The options about columns.
    settings : Settings
        Those about the model.
    refused : mapping
        Options that need all rows at hand, with what was given.
    out : Path or None
        File for the model.
    as_json : bool
        Whether to print JSON.
    """
    from spinney.batches import fit
    from spinney.batches._sources import matching_files

    for name, option in _OF_WHOLE_TABLES.items():
        if getattr(choices, name):
            raise Refusal(f"{option} needs the whole table. Leave it out, or leave out --batches.")
    for option, value in refused.items():
        if value:
            raise Refusal(f"{option} needs the whole table. Leave it out, or leave out --batches.")
    try:
        files = matching_files(data)
    except FileNotFoundError as error:
        raise Refusal(str(error)) from error
    task, n_rows = _look(files, choices)
    model = unfitted(task, settings)
    if choices.nominal:
        model.set_params(categorical_features=list(choices.nominal))
    named = {"sample_weight": choices.weight, "exposure": choices.exposure}
    try:
        with refusing(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit(
                model,
                files,
                target=choices.target,
                drop=choices.drop,
                **named,
                verbose=0 if as_json else 1,
            )
    except (OSError, pa.ArrowException) as error:
        raise Refusal(f"cannot read {data}: {error}") from error
    save_model(model, out)
    notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    done = BatchTraining(data, n_rows, task, choices, settings, model, notes)
    print_result(done, _show, _as_dict, as_json=as_json, written={"The model is in": out})


def _look(files: list[Path], choices: Choices) -> tuple[str, int]:
    """Return the task and the number of rows, by the names and the target alone."""
    import pyarrow.parquet

    from spinney.batches._sources import read_columns

    try:
        schema = pyarrow.parquet.read_schema(files[0])
        n_rows = sum(pyarrow.parquet.read_metadata(file).num_rows for file in files)
    except (OSError, pa.ArrowException) as error:
        raise Refusal(f"--batches reads Parquet files, and {files[0]} is none: {error}") from error
    target = check_names(schema.names, choices)
    kind = schema.field(target).type
    if choices.task is not None:
        return choices.task, n_rows
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "regression", n_rows
    if not pa.types.is_integer(kind):
        return "classification", n_rows
    distinct: set[Any] = set()
    for batch in read_columns(files, [target]):
        distinct.update(batch.column(0).unique().to_pylist())
        if len(distinct) > MOST_CLASSES:
            return "regression", n_rows
    return "classification", n_rows


def _show(done: BatchTraining, screen: Screen) -> None:
    n_columns = done.model.n_features_in_
    screen.line(f"{plural(done.n_rows, 'row')} in {done.source}, {plural(n_columns, 'feature')}.")
    for note in done.notes:
        screen.wrapped(f"Note: {note}")
    trees = trees_of(done.model)
    if len(trees) == 1:
        (tree,) = trees
        screen.head(f"Tree: {leaves_text(tree.n_leaves)}, depth {tree.max_depth}")
        screen.wrapped(how(done))
        depth = None if tree.n_leaves <= MOST_LEAVES else fitting_depth(tree)
        screen.tree(tree.to_text(max_depth=depth))
        return
    leaves = sum(tree.n_leaves for tree in trees) / len(trees)
    screen.head(f"Model: {plural(len(trees), 'tree')}, {leaves:.1f} leaves on average")
    names = [column.name for column in done.model._schema.columns]
    shares = zip(names, done.model.feature_importances_.tolist(), strict=True)
    best = itertools.islice(sorted(shares, key=lambda pair: -pair[1]), 10)
    screen.pairs([(name, f"{share:.3f}") for name, share in best])


def _as_dict(done: BatchTraining) -> dict[str, Any]:
    trees = trees_of(done.model)
    result: dict[str, Any] = {
        "data": {"source": done.source, "rows": done.n_rows, "target": done.choices.target},
        "task": done.task,
        "model": done.settings.model,
        "seed": done.settings.seed,
        "notes": list(done.notes),
        "trees": [tree.n_leaves for tree in trees],
    }
    if len(trees) == 1:
        result["tree"] = trees[0].to_dict()
    return result
