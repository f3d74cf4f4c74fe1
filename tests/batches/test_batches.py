"""Models from batches are those of the whole table, to the last byte of their files."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from large_tables import N_ROWS, NAMES, cut, features, model, table, task_of
from sklearn.base import clone

from spinney import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestRegressor,
    batches,
    save,
)
from spinney._table import BatchEncoder, encode_table

pytestmark = pytest.mark.filterwarnings("ignore:.* rows were seen by every member")


def file_of(fitted: Any, folder: Path) -> bytes:
    save(fitted, folder / "model")
    return (folder / "model").read_bytes()


@lru_cache
def whole(name: str, weighted: bool) -> Any:
    data = table(task_of(name))
    y = data["y"].to_numpy()
    weight = {"sample_weight": data["weight"].to_numpy()} if weighted else {}
    return clone(model(name)).fit(features(data), y, **weight)


def from_batches(name: str, parts: Any, weighted: bool = False) -> Any:
    options = {"sample_weight": "weight"} if weighted else {}
    drop = ["exposure"] if weighted else ["exposure", "weight"]
    return batches.fit(clone(model(name)), parts, target="y", drop=drop, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_that_of_the_whole_table(name: str, weighted: bool, tmp_path: Path) -> None:
    data = table(task_of(name))
    parts = [data.slice(0, 0), *cut(data, 777), data.slice(0, 0)]
    fitted = from_batches(name, parts, weighted)
    assert file_of(fitted, tmp_path) == file_of(whole(name, weighted), tmp_path)


@pytest.mark.parametrize("size", [1, 7, 1000, N_ROWS])
def test_the_size_of_batches_leaves_no_trace(size: int, tmp_path: Path) -> None:
    fitted = from_batches("two", cut(table("two"), size), weighted=True)
    assert file_of(fitted, tmp_path) == file_of(whole("two", True), tmp_path)


@pytest.mark.slow
def test_tuples_of_one_row_leave_no_trace(tmp_path: Path) -> None:  # which nothing joins
    data = table("number")
    X, y = data.select(["a", "b", "text"]).to_pandas(), data["y"].to_numpy()
    parts = [(X[i : i + 1], y[i : i + 1]) for i in range(2100)] + [(X[2100:], y[2100:])]
    fitted = batches.fit(model("number"), parts)
    assert file_of(fitted, tmp_path) == file_of(model("number").fit(X, y), tmp_path)


@pytest.mark.parametrize("name", ["two", "number"])
def test_batches_sorted_by_the_target_give_the_tree_of_that_table(
    name: str, tmp_path: Path
) -> None:
    data = table(name).sort_by("y")
    y = data["y"].to_numpy()
    expected = clone(model(name)).fit(features(data), y)
    fitted = from_batches(name, cut(data, 300))
    assert file_of(fitted, tmp_path) == file_of(expected, tmp_path)


def test_exposure_comes_as_a_column(tmp_path: Path) -> None:
    data = table("count")
    both = {"sample_weight": data["weight"].to_numpy(), "exposure": data["exposure"].to_numpy()}
    expected = model("count").fit(features(data), data["y"].to_numpy(), **both)
    named = {"sample_weight": "weight", "exposure": "exposure"}
    fitted = batches.fit(model("count"), cut(data, 500), target="y", **named)
    assert file_of(fitted, tmp_path) == file_of(expected, tmp_path)


def sources(data: pa.Table, folder: Path) -> dict[str, Any]:
    duckdb, pl = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    for i, part in enumerate(cut(data, 2000)):
        pyarrow.parquet.write_table(part, folder / f"part{i}.parquet", row_group_size=600)
    with (
        pa.OSFile(str(folder / "all.arrow"), "wb") as file,
        pa.ipc.new_file(file, data.schema) as to,
    ):
        to.write_table(data, 700)
    paths = sorted(folder.glob("*.parquet"))
    return {
        "pattern": folder / "*.parquet",
        "folder": folder,
        "paths": [str(path) for path in paths],
        "Arrow file": folder / "all.arrow",
        "reader": pa.RecordBatchReader.from_batches(data.schema, data.to_batches(900)),
        "batches": data.to_batches(900),
        "table": data,
        "dataset": pyarrow.dataset.dataset(paths),
        "generator": (part for part in cut(data, 900)),
        "callable": lambda: cut(data, 900),
        "DuckDB": duckdb.sql("SELECT * FROM data"),
        "polars": pl.from_arrow(data).lazy(),
        "pandas": [part.to_pandas() for part in cut(data, 900)],
    }


def test_batches_come_from_files_and_engines(tmp_path: Path) -> None:
    data = table("ten").select(["a", "b", "c", "y"])
    expected = model("ten").fit(data.drop_columns(["y"]), data["y"].to_numpy())
    wanted = file_of(expected, tmp_path)
    (tmp_path / "rows").mkdir()
    for name, source in sources(data, tmp_path / "rows").items():
        fitted = batches.fit(model("ten"), source, target="y")
        assert file_of(fitted, tmp_path) == wanted, name


def test_arrays_come_as_tuples(tmp_path: Path) -> None:
    data = table("number")
    X, y = np.column_stack([data["a"], data["b"]]), data["y"].to_numpy()
    weight = data["weight"].to_numpy()
    expected = model("number").fit(X, y, weight)
    parts = [(X[i : i + 600], y[i : i + 600], weight[i : i + 600]) for i in range(0, N_ROWS, 600)]
    fitted = batches.fit(model("number"), iter(parts))
    assert file_of(fitted, tmp_path) == file_of(expected, tmp_path)
    assert not hasattr(fitted, "feature_names_in_")


CELLS = st.lists(st.sampled_from(["a", "b", "", None, "z"]), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(cells=CELLS, numbers=st.booleans(), sizes=st.lists(st.integers(1, 5), max_size=6))
def test_any_batches_encode_as_the_whole(cells: list[Any], numbers: bool, sizes: list[int]) -> None:
    column = [None if cell is None else float(len(cell)) for cell in cells] if numbers else cells
    data = pa.table({"x": pa.array(column, pa.float64() if numbers else pa.string())})
    given = ["x"] if numbers else "from_dtype"
    expected, schema = encode_table(data, categorical_features=given)
    encoder, values, begin = BatchEncoder(given, "test"), [], 0
    for size in [*sizes, len(cells)]:
        part = data.slice(begin, size)
        begin += size
        if part.num_rows:
            values.append(encoder.encode(part))
    found, (places,) = encoder.finish()
    assert found == schema
    codes = np.concatenate(values)[:, 0]
    final = np.array([np.nan if code != code else places[int(code)] for code in codes])
    np.testing.assert_array_equal(final, expected[:, 0])


def test_a_column_that_is_empty_at_first_takes_the_type_of_later_batches() -> None:
    encoder = BatchEncoder("from_dtype", "test")
    encoder.encode(pa.table({"x": pa.nulls(2)}))
    encoder.encode(pa.table({"x": ["b", "a"]}))
    encoder.encode(pa.table({"x": pa.nulls(1)}))
    schema, (places,) = encoder.finish()
    assert schema.columns[0].categories == ("a", "b")
    assert places.tolist() == [1.0, 0.0]


def test_ordered_categories_keep_their_order() -> None:
    pd = pytest.importorskip("pandas")
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    encoder = BatchEncoder("from_dtype", "test")
    for cells in (["high"], ["low", None]):
        encoder.encode(pd.DataFrame({"x": pd.Series(cells, dtype=kind)}))
    (column,) = encoder.finish()[0].columns
    assert (column.kind, column.categories) == ("ordered", ("low", "high"))
    other = pd.CategoricalDtype(["high", "mid", "low"], ordered=True)
    with pytest.raises(ValueError, match="another order"):
        encoder.encode(pd.DataFrame({"x": pd.Series(["low"], dtype=other)}))


def failing() -> dict[str, tuple[Any, dict[str, Any], str]]:
    data, numbers = table("two"), model("number")
    parts = cut(data.drop_columns(["weight", "exposure"]), 2000)
    named = {"target": "y"}
    changed = parts[1].set_column(1, "b", pa.array(["x"] * parts[1].num_rows))
    gaps = parts[1].set_column(6, "y", pa.nulls(parts[1].num_rows, pa.string()))
    X, y = np.ones((5, 2)), np.arange(5)
    return {
        "other columns": ([parts[0], parts[1].drop_columns(["a"])], named, "same columns.*'a'"),
        "another order": ([parts[0], parts[1].select([1, 0, 2, 3, 4, 5, 6])], named, "their order"),
        "another type": ([parts[0], changed], named, "column 'b' holds categories"),
        "a gap in the target": ([parts[0], gaps], named, "target is missing in 2000 rows"),
        "no such target": (parts, {"target": "z"}, "target='z' is no column of a batch"),
        "no target": (parts, {}, r"must be a tuple \(X, y\)"),
        "a weight but no target": (parts, {"sample_weight": "weight"}, "no target is named"),
        "y of another length": ([(X, y[:4])], {}, "X has 5 rows, y has 4"),
        "no rows": ([], named, "hold no rows"),
        "text as weights": (parts, {"target": "b", "sample_weight": "text"}, "must hold numbers"),
        "not batches": (3, named, "got int"),
        "a bare frame": (parts[0].to_pandas(), named, r"Pass \[table\]"),
        "arrays and a target": ([X], named, "named columns"),
        "no file": ("nowhere/*.parquet", named, "no file matches"),
        "text for numbers": ([(X, ["a"] * 5)], {"model": numbers}, "must hold numbers"),
        "some weights": ([(X, y, y + 1.0), (X, y)], {}, "have weights, or none"),
    }


@pytest.mark.parametrize("case", failing())
def test_bad_batches_are_refused(case: str) -> None:
    parts, options, message = failing()[case]
    unfitted = options.pop("model", CARTClassifier(max_bins=20))
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=message):
        batches.fit(unfitted, parts, **options)
    assert not hasattr(unfitted, "tree_")


@pytest.mark.parametrize(
    ("unfitted", "message"),
    [
        (CARTClassifier(), "need max_bins"),
        (RandomForestRegressor(), "need max_bins"),
        (C45Classifier(), "models that grow by bins"),
        (CARTRegressor(max_bins=9, criterion="absolute_error"), "does not work with criterion"),
        (CARTClassifier(max_bins=9, missing="fractional"), "missing='fractional'"),
        (CARTClassifier(max_bins=9, splitter="oblique"), "splitter='oblique'"),
    ],
)
def test_models_that_need_exact_search_are_refused_before_a_row_is_read(
    unfitted: Any, message: str
) -> None:
    def unread() -> Any:
        raise AssertionError("a batch was read")
        yield

    with pytest.raises((ValueError, TypeError), match=message):
        batches.fit(unfitted, unread(), target="y")


def test_an_error_of_a_batch_reaches_the_caller_and_leaves_no_files(tmp_path: Path) -> None:
    def broken() -> Any:
        yield from cut(table("two"), 1000)
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        batches.fit(CARTClassifier(max_bins=9), broken(), target="y", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_rows_read_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    unfitted = model("ten forest").set_params(verbose=1, n_estimators=2)
    batches.fit(unfitted, cut(table("ten"), 2500), target="y")
    shown = capsys.readouterr().err
    assert "reading rows: 5000" in shown
    assert "growing trees: 2 of 2" in shown
