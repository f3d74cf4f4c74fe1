"""Where batches come from: files, queries of other engines, and whatever can be iterated over."""

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

_ROWS = 1 << 16  # of a batch that is read from a file
_ARROW = (".arrow", ".feather", ".ipc")


def batches_of(source: Any) -> tuple[Iterator[Any], int | None]:
    """Return the batches of a source, and the number of rows if it is known beforehand.

    Parameters
    ----------
    source : path, list, iterable, callable, DuckDB relation, polars LazyFrame or Arrow object
        As `spinney.batches.fit` takes it.

    Returns
    -------
    tuple of iterator and int or None
    """
    if isinstance(source, str | os.PathLike):
        return _of_files(matching_files(source))
    if isinstance(source, list | tuple) and source and _are_paths(source):
        return _of_files([file for one in source for file in matching_files(one)])
    if isinstance(source, pa.Table | pa.RecordBatch):
        return iter([source]), source.num_rows
    for method in ("collect_batches", "fetch_record_batch", "to_batches", "scanner"):
        if hasattr(source, method):
            return _of_engine(source, method)
    if callable(source):
        return batches_of(source())
    if isinstance(source, Iterable) and not hasattr(source, "columns"):
        return iter(source), None
    raise TypeError(
        "batches must be a path or a pattern of Parquet files, a list of them, a DuckDB relation, "
        "a polars LazyFrame, an Arrow dataset or reader, an iterable of tables, or a function that "
        f"returns one of these, got {type(source).__name__}. Pass [table] for one table."
    )


def _are_paths(source: Iterable[Any]) -> bool:
    return all(isinstance(one, str | os.PathLike) for one in source)


def _of_engine(source: Any, method: str) -> tuple[Iterator[Any], int | None]:
    """Ask another engine for its batches, in its own words."""
    if method == "collect_batches":  # polars; the order of the rows is part of the table
        return iter(source.collect_batches(chunk_size=_ROWS, maintain_order=True)), None
    if method == "fetch_record_batch":  # DuckDB
        reader = getattr(source, "to_arrow_reader", source.fetch_record_batch)
        return iter(reader(_ROWS)), None
    if method == "to_batches":  # an Arrow dataset or scanner
        return iter(source.to_batches()), None
    return iter(source.scanner().to_batches()), None


def matching_files(pattern: str | os.PathLike[str]) -> list[Path]:
    """Return the files of a path, folder or pattern, by name.

    Parameters
    ----------
    pattern : path
        A file, a folder of Parquet files, or a pattern such as "data/*.parquet".

    Returns
    -------
    list of Path
    """
    path = Path(pattern)
    if path.is_dir():
        found = sorted(path.rglob("*.parquet"))
    elif path.exists():
        found = [path]
    else:
        found = [Path(name) for name in sorted(glob.glob(str(pattern), recursive=True))]
    if not found:
        raise FileNotFoundError(f"no file matches {str(pattern)!r}. Check the path of the batches.")
    return found


def _of_files(files: list[Path]) -> tuple[Iterator[Any], int | None]:
    import pyarrow.parquet

    counts = [
        pyarrow.parquet.read_metadata(file).num_rows if file.suffix not in _ARROW else None
        for file in files
    ]
    total = None if None in counts else sum(count or 0 for count in counts)
    return (batch for file in files for batch in _read(file)), total


def _read(file: Path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    if file.suffix in _ARROW:
        with pa.memory_map(str(file)) as mapped:
            reader = pa.ipc.open_file(mapped)
            yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
        return
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(file) as parquet:
        yield from parquet.iter_batches(_ROWS, columns=columns)


def read_columns(files: list[Path], columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield some columns of Parquet files.

    Parameters
    ----------
    files : list of Path
        In order.
    columns : list of str
        Their names.

    Yields
    ------
    RecordBatch
    """
    for file in files:
        yield from _read(file, columns)


def joined(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the same rows with small Arrow batches joined: each would cost time of its own.

    Parameters
    ----------
    batches : iterator
        Of any tables.

    Yields
    ------
    table
    """
    waiting: list[pa.Table] = []
    for batch in batches:
        if isinstance(batch, pa.RecordBatch):
            batch = pa.Table.from_batches([batch])
        is_table = isinstance(batch, pa.Table)
        n_rows = sum(table.num_rows for table in waiting)
        fits = is_table and waiting and batch.schema.equals(waiting[0].schema) and n_rows < _ROWS
        if waiting and not fits:
            yield pa.concat_tables(waiting)
            waiting = []
        if is_table:
            waiting.append(batch)
        else:
            yield batch
    if waiting:
        yield pa.concat_tables(waiting)


Picker = Callable[[Any], tuple[Any, dict[str, Any]]]


def picker(names: dict[str, str | None], drop: Iterable[str] = ()) -> Picker:
    """Return what takes a batch apart.

    Parameters
    ----------
    names : dict
        The column of "target", "sample_weight" and "exposure"; without a target, batches are tuples
        of the table and these, in this order.
    drop : iterable of str
        Columns to leave out.

    Returns
    -------
    function
        From a batch to the table of the features, and the columns by what they are.
    """
    named = {what: name for what, name in names.items() if name is not None}
    if "target" not in named:
        return lambda batch: _from_tuple(batch, named)
    dropped = list(drop)

    def pick(batch: Any) -> tuple[Any, dict[str, Any]]:
        table = _frame(batch)
        columns = list(table.columns)
        for what, name in named.items():
            if name not in columns:
                has = ", ".join(map(str, columns[:8]))
                raise ValueError(f"{what}={name!r} is no column of a batch, which has {has}.")
        out = [name for name in [*named.values(), *dropped] if name in columns]
        features = table.drop(list(dict.fromkeys(out))).to_native()
        return features, {what: _column(table[name]) for what, name in named.items()}

    return pick


def _frame(batch: Any) -> Any:
    import narwhals as nw

    try:
        return nw.from_native(batch, eager_only=True)
    except TypeError:
        raise TypeError(
            "with target= every batch must be a table with named columns (Arrow, pandas, polars), "
            f"got {type(batch).__name__}. Pass pairs (X, y) for arrays, and no target."
        ) from None


def _column(series: Any) -> Any:
    """Return a column of a batch as estimators take a target."""
    column = series.to_native()
    if isinstance(column, pa.ChunkedArray):
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        return column.to_numpy()
    return column


def _from_tuple(batch: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    if named:
        raise ValueError(
            f"{next(iter(named))} names a column, but no target is named. Give target=."
        )
    if not isinstance(batch, tuple) or len(batch) not in (2, 3):
        raise TypeError(
            "without target= every batch must be a tuple (X, y) or (X, y, sample_weight), got "
            f"{type(batch).__name__}. Name the column of the target: target='name'."
        )
    keys = ("target", "sample_weight")[: len(batch) - 1]
    return batch[0], dict(zip(keys, batch[1:], strict=True))
