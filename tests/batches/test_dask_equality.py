"""Models on Dask are those of their namesakes, to the last byte of their files."""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from large_tables import NAMES, model, table, task_of
from sklearn.base import clone

from spinney import CARTClassifier, CARTRegressor, _core, save

dask = pytest.importorskip("dask", reason="dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask's frames need pandas")
da = pytest.importorskip("dask.array")

import spinney.dask as on_dask  # noqa: E402
from spinney._table import Column, Schema  # noqa: E402
from spinney.dask import _borders, _growth  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.* rows were seen by every member"),
]
N_ROWS = 7000  # those of positive weight are more than are worth a fit elsewhere


@pytest.fixture(autouse=True)
def tasks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run tasks one after the other, and never all rows in one place."""

    def gathered(self: Any) -> None:
        raise AssertionError("all rows were fetched")

    monkeypatch.setattr(_growth.RemoteRows, "gather", gathered)
    with dask.config.set(scheduler="synchronous"):
        yield


def file_of(fitted: Any, folder: Path) -> bytes:
    save(fitted, folder / "model")
    return (folder / "model").read_bytes()


def like(unfitted: Any) -> Any:
    return getattr(on_dask, type(unfitted).__name__)(**unfitted.get_params(deep=False))


@lru_cache
def frame(task: str) -> Any:
    return table(task, N_ROWS).to_pandas()


@lru_cache
def whole(name: str, weighted: bool) -> Any:
    data = frame(task_of(name))
    weight = {"sample_weight": data["weight"]} if weighted else {}
    return clone(model(name)).fit(of_features(data), data["y"], **weight)


def of_features(data: Any) -> Any:
    return data.drop(columns=["weight", "exposure", "y"])


def fitted_on(name: str, data: Any, weighted: bool, **options: Any) -> Any:
    weight = {"sample_weight": data["weight"]} if weighted else {}
    return like(model(name)).fit(of_features(data), data["y"], **weight, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_that_of_the_namesake(name: str, weighted: bool, tmp_path: Path) -> None:
    parts = dd.from_pandas(frame(task_of(name)), npartitions=4)
    fitted = fitted_on(name, parts, weighted)
    assert file_of(fitted.to_local(), tmp_path) == file_of(whole(name, weighted), tmp_path)


def divided(data: Any, sizes: list[int]) -> Any:
    """Return partitions of the given sizes, the last with the rest."""
    ends = np.cumsum([0, *sizes])
    parts = [data.iloc[a:b] for a, b in pairwise(ends)]
    parts.append(data.iloc[ends[-1] :])
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=data.iloc[:0])


OTHERS = [name for name in NAMES if name not in ("two", "number")]
PARTITIONS: dict[str, Callable[[Any], Any]] = {
    "one": lambda data: dd.from_pandas(data, npartitions=1),
    "two": lambda data: dd.from_pandas(data, npartitions=2),
    "seven": lambda data: dd.from_pandas(data, npartitions=7),
    "fifty": lambda data: dd.from_pandas(data, npartitions=50),
    "empty ones": lambda data: divided(data, [0, 3000, 0, 0, 1, 2500, 0]),
    "an empty last": lambda data: divided(data, [3000, N_ROWS - 3000]),
}


@pytest.mark.parametrize("how", PARTITIONS)
@pytest.mark.parametrize(
    "name", ["two", "number", *(pytest.param(n, marks=pytest.mark.thorough) for n in OTHERS)]
)
def test_partitions_leave_no_trace(name: str, how: str, tmp_path: Path) -> None:
    fitted = fitted_on(name, PARTITIONS[how](frame(task_of(name))), weighted=True)
    assert file_of(fitted.to_local(), tmp_path) == file_of(whole(name, True), tmp_path)


@pytest.mark.parametrize("by", ["y", "c", "text"])
def test_sorted_rows_give_the_tree_of_sorted_rows(by: str, tmp_path: Path) -> None:
    data = frame("ten").sort_values(by, kind="stable").reset_index(drop=True)
    expected = clone(model("ten")).fit(of_features(data), data["y"])
    fitted = fitted_on("ten", dd.from_pandas(data, npartitions=7), weighted=False)
    assert file_of(fitted.to_local(), tmp_path) == file_of(expected, tmp_path)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, in Dask's reader
def test_files_are_partitions_however_few_columns_are_read(tmp_path: Path) -> None:
    data = frame("two").drop(columns="empty")
    for i, begin in enumerate(range(0, N_ROWS, 1000)):
        data.iloc[begin : begin + 1000].to_parquet(tmp_path / f"part{i}.parquet", index=False)
    parts = dd.read_parquet(tmp_path / "*.parquet")
    assert len(parts["y"].to_delayed()) < parts.npartitions  # Dask joins files of one column
    fitted = fitted_on("two", parts, weighted=True)
    expected = clone(model("two")).fit(of_features(data), data["y"], data["weight"])
    assert file_of(fitted.to_local(), tmp_path) == file_of(expected, tmp_path)
    joined = parts.assign(p=fitted.predict_proba(of_features(parts))[:, 1]).compute()
    np.testing.assert_array_equal(joined["p"], expected.predict_proba(of_features(data))[:, 1])


def test_arrow_columns_are_read(tmp_path: Path) -> None:
    data = frame("two").convert_dtypes(dtype_backend="pyarrow")
    expected = clone(model("two")).fit(of_features(data), data["y"].to_numpy())
    fitted = fitted_on("two", dd.from_pandas(data, npartitions=3), weighted=False)
    assert file_of(fitted.to_local(), tmp_path) == file_of(expected, tmp_path)


@pytest.mark.parametrize("chunks", [(7000, 2), (1000, 1), (3999, 2)])
def test_arrays_of_any_chunks(chunks: tuple[int, int], tmp_path: Path) -> None:
    data = frame("number")
    X, y = data[["a", "b", "c"]].to_numpy(), data["y"].to_numpy()
    expected = clone(model("number")).fit(X, y)
    for target in (da.from_array(y, chunks=777), y):
        fitted = like(model("number")).fit(da.from_array(X, chunks=chunks), target)
        assert file_of(fitted.to_local(), tmp_path) == file_of(expected, tmp_path)


def test_exposure_and_shrinkage(tmp_path: Path) -> None:
    data = frame("count")
    tree = CARTRegressor(max_bins=90, criterion="poisson", min_samples_leaf=9, shrinkage=4.0)
    rest = {"sample_weight": data["weight"], "exposure": data["exposure"]}
    expected = clone(tree).fit(of_features(data), data["y"], **rest)
    parts = dd.from_pandas(data, npartitions=5)
    rest = {"sample_weight": parts["weight"], "exposure": parts["exposure"]}
    fitted = like(tree).fit(of_features(parts), parts["y"], **rest)
    assert file_of(fitted.to_local(), tmp_path) == file_of(expected, tmp_path)


@pytest.mark.parametrize(
    "settings_of",
    [
        {"priors": {"no": 0.2, "yes": 0.8}},
        {"cost_matrix": {("yes", "no"): 5.0}, "cost_method": "altered_priors"},
        {"cost_matrix": {("yes", "no"): 5.0}},
        {"class_weight": {"no": 3.0, "yes": 1.0}, "criterion": "entropy"},
        {"monotonic_cst": {"a": 1}, "missing": "learned"},
        {"categorical_features": ["b"], "missing": "category"},
        {"ccp_alpha": 0.002, "max_surrogates": 2},
        {"max_features": 2, "random_state": 4},
    ],
    ids=lambda one: "-".join(one),
)
def test_settings_of_one_tree(settings_of: dict[str, Any], tmp_path: Path) -> None:
    data, tree = frame("two"), CARTClassifier(max_bins=30, min_samples_leaf=10, **settings_of)
    expected = clone(tree).fit(of_features(data), data["y"], data["weight"])
    parts = dd.from_pandas(data, npartitions=3)
    fitted = like(tree).fit(of_features(parts), parts["y"], parts["weight"])
    assert file_of(fitted.to_local(), tmp_path) == file_of(expected, tmp_path)


def borders_by_parts(
    X: Any, used: Any, max_bins: int, n_parts: int, splitters: list[Any] | None = None
) -> tuple[Any, int]:
    """Return the borders that partitions find together, and how many values they sent."""
    schema = Schema(tuple(Column(f"x{j}", "numeric") for j in range(X.shape[1])), True)
    parts = list(zip(np.array_split(X, n_parts), np.array_split(used, n_parts), strict=True))
    n_used = int(used.sum())
    if splitters is None:
        samples = [_borders.sample(part, own, n_used) for part, own in parts]
        splitters = _borders.splitters_of(samples, schema, n_used)
    dealt = [_borders.deal(part, schema, own, splitters) for part, own in parts]
    counts = _borders.add_counts(*[_borders.counts_of(one) for one in dealt])
    columns = _borders.columns_of(splitters, counts, max_bins)
    n_sent = 0
    while sum(map(len, wanted := [column.wanted() for column in columns])):
        told = [
            _borders.take(part, schema, one, wanted)
            for (part, _), one in zip(parts, dealt, strict=True)
        ]
        for column, buckets, *values in zip(columns, wanted, *told, strict=True):
            n_sent += sum(map(len, values))
            if len(buckets):
                column.tell(buckets, np.sort(np.concatenate(values)))
    return _borders.borders_of(columns, schema), n_sent


def check_borders(X: Any, used: Any, max_bins: int, found: Any) -> None:
    kinds, sizes = np.zeros(X.shape[1], np.uint8), np.zeros(X.shape[1], np.int32)
    table = _core.Dataset(np.ascontiguousarray(X), kinds, sizes)
    expected = _core.find_borders(table, used, max_bins).arrays()
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, other)


@settings(max_examples=150, deadline=None)
@given(
    values=st.lists(st.sampled_from([-1.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, np.nan]), min_size=1),
    more=st.lists(st.floats(-2.0, 4.0), max_size=30),
    splitters=st.sets(st.sampled_from([-1.5, -1.0, 0.0, 0.75, 1.0, 3.0])),
    left_out=st.integers(1, 9),
    max_bins=st.integers(2, 9),
    n_parts=st.integers(1, 4),
)
def test_borders_of_partitions_are_those_of_the_core(
    values: list[float],
    more: list[float],
    splitters: set[float],
    left_out: int,
    max_bins: int,
    n_parts: int,
) -> None:
    X = np.array(values + more)[:, None]
    used = np.arange(len(X)) % 10 != left_out  # the first row takes part
    for chosen in ([np.array(sorted(splitters))], None):  # whatever the splitters
        found, _ = borders_by_parts(X, used, max_bins, n_parts, chosen)
        check_borders(X, used, max_bins, found)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 50])
def test_few_values_are_sent_for_borders(n_parts: int) -> None:
    random = np.random.default_rng(5)
    X = random.normal(size=(60_000, 5))
    X[:, 1] = np.round(X[:, 1], 2)  # ties
    X[:, 2] = np.where(random.random(len(X)) < 0.5, 0.25, X[:, 2])  # half of them one value
    X[:, 3] = np.exp(9.0 * X[:, 3])
    X[random.random(len(X)) < 0.2, 3] = np.nan
    X[:, 4] = np.sort(X[:, 4])  # partitions that do not overlap
    used = random.random(len(X)) < 0.9
    found, n_sent = borders_by_parts(X, used, 16, n_parts)
    check_borders(X, used, 16, found)
    assert n_sent < 0.3 * X.size  # 17 ends among 235 buckets a column, and neighbours


def test_rounds_of_growth_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    parts = dd.from_pandas(frame("two"), npartitions=3)
    like(model("two")).fit(of_features(parts), parts["y"], verbose=1)
    assert "rounds of growth" in capsys.readouterr().err
    like(model("two")).fit(of_features(parts), parts["y"])
    assert not capsys.readouterr().err


# -- Predictions


@pytest.mark.parametrize("name", ["two", "ten forest", "number forest"])
def test_predictions_are_lazy_and_those_of_the_model(name: str) -> None:
    data = frame(task_of(name))
    local, fitted = whole(name, False), like(model(name))
    fitted._local = local
    X = of_features(data)
    parts = of_features(divided(data, [0, 10, 3000]))
    methods = ["predict", "apply", *(["predict_proba"] if hasattr(local, "classes_") else [])]
    for method in methods:
        lazy = getattr(fitted, method)(parts)
        assert isinstance(lazy, da.Array)
        expected = getattr(local, method)(X)
        found = lazy.compute()
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_predictions_for_arrays_have_known_chunks() -> None:
    data = frame("number")
    X = data[["a", "b", "c"]].to_numpy()
    fitted = on_dask.CARTRegressor(max_depth=3).fit(da.from_array(X, chunks=(2000, 3)), data["y"])
    lazy = fitted.predict(da.from_array(X, chunks=(1500, 3)))
    assert lazy.chunks == ((1500, 1500, 1500, 1500, 1000),)
    np.testing.assert_array_equal(lazy.compute(), fitted.to_local().predict(X))


def test_parameters_are_those_of_the_namesake_with_bins() -> None:
    tree = on_dask.CARTClassifier(max_depth=3)
    assert tree.max_bins == 255
    assert tree.get_params() == CARTClassifier(max_depth=3, max_bins=255).get_params()
    assert clone(tree).set_params(max_bins=7).max_bins == 7
    with pytest.raises(TypeError, match="max_dept"):
        on_dask.CARTClassifier(max_dept=3)


# -- Bad input


def broken(part: Any) -> Any:
    if len(part):
        raise RuntimeError("the disk is gone")
    return part


def first_changed(data: Any, change: Callable[[Any], Any]) -> Any:
    """Return the features, the first partition changed."""
    first, *rest = of_features(data).to_delayed()
    return dd.from_delayed([dask.delayed(change)(first), *rest], verify_meta=False)


def with_gap(y: Any) -> Any:
    return y.map_partitions(lambda part: part.where(part.index != 70), meta=y._meta)


def shorter(y: Any) -> Any:
    return y.map_partitions(lambda part: part.iloc[:-1], meta=y._meta).clear_divisions()


BAD_ROWS: dict[str, tuple[Callable[[Any], tuple[Any, Any]], str]] = {
    "other columns": (
        lambda data: (first_changed(data, lambda X: X.rename(columns={"a": "z"})), data["y"]),
        "same columns",
    ),
    "other types": (
        lambda data: (first_changed(data, lambda X: X.assign(a="text")), data["y"]),
        "column 'a' holds",
    ),
    "other partitions": (
        lambda data: (of_features(data), data["y"].repartition(npartitions=2)),
        "X has 3 partitions, y has 2",
    ),
    "partitions of another length": (
        lambda data: (of_features(data).clear_divisions(), shorter(data["y"])),
        "rows",
    ),
    "another length": (
        lambda data: (of_features(data), np.zeros(3)),
        "inconsistent numbers of samples",
    ),
    "a gap in the target": (
        lambda data: (of_features(data), with_gap(data["y"])),
        "target is missing in 1 rows",
    ),
    "a table in memory": (lambda data: (data.compute(), None), "must be a dask array"),
    "a partition that raises": (
        lambda data: (of_features(data).map_partitions(broken, meta=of_features(data)), data["y"]),
        "the disk is gone",
    ),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows_are_refused(case: str) -> None:
    rows, message = BAD_ROWS[case]
    X, y = rows(dd.from_pandas(frame("two"), npartitions=3))
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message):
        on_dask.CARTClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("change", "message"), [(with_gap, "missing|NaN"), (shorter, "partition 0 of X has .* rows")]
)
def test_bad_numbers_to_learn_are_refused(change: Callable[[Any], Any], message: str) -> None:
    data = dd.from_pandas(frame("number"), npartitions=3)
    with pytest.raises(ValueError, match=message):
        on_dask.CARTRegressor().fit(of_features(data), change(data["y"]))


def unread(part: Any) -> Any:
    raise AssertionError("a partition was read")


@pytest.mark.parametrize(
    ("unfitted", "message"),
    [
        (on_dask.CARTRegressor(criterion="absolute_error"), "does not work with criterion"),
        (on_dask.CARTClassifier(missing="fractional"), "fractional"),
        (on_dask.CARTClassifier(splitter="oblique"), "oblique"),
        (on_dask.CARTClassifier(early_stopping=True), "one place"),
        (on_dask.CARTClassifier(pruning="mdl"), "pruning='mdl' needs"),
        (on_dask.BaggingClassifier(), "need max_bins"),
    ],
)
def test_what_needs_rows_in_one_place_is_refused_before_any_is_read(
    unfitted: Any, message: str
) -> None:
    data = dd.from_pandas(frame("two"), npartitions=3)
    X = of_features(data).map_partitions(unread, meta=of_features(data))
    with pytest.raises(ValueError, match=message):
        unfitted.fit(X, data["y"])


def test_small_members_and_exposures_of_classes_are_refused() -> None:
    data = dd.from_pandas(frame("two"), npartitions=3)
    with pytest.raises(ValueError, match="a member sees"):
        on_dask.RandomForestClassifier(3, max_samples=500).fit(of_features(data), data["y"])
    with pytest.raises(ValueError, match="for regressors"):
        on_dask.CARTClassifier().fit(of_features(data), data["y"], exposure=data["c"])


def test_before_fit_there_is_no_model() -> None:
    with pytest.raises(ValueError, match="not fitted yet"):
        on_dask.CARTClassifier().to_local()
    with pytest.raises(AttributeError, match="tree_"):
        _ = on_dask.CARTClassifier().tree_
