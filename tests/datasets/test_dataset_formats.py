"""The three formats hold the same values, each in the types of its own library."""

import numpy as np
import pytest

from spinney.datasets import list_datasets, load

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def plain(values):
    """Any column as a list of float or str, with None for a gap."""
    cells = values.to_list() if isinstance(values, (pd.Series, pl.Series)) else values.tolist()
    return [
        None if cell is None or cell != cell else cell if isinstance(cell, str) else float(cell)
        for cell in cells
    ]


def told(dataset):
    """The columns of the target, and the exposure if there is one."""
    if dataset.task == "survival":
        return [dataset.target["event"], dataset.target["time"]]
    return [dataset.target] if dataset.exposure is None else [dataset.target, dataset.exposure]


@pytest.fixture(scope="module", params=list_datasets())
def loaded(request):
    return {as_: load(request.param, as_=as_) for as_ in ("dict", "pandas", "polars")}


@pytest.mark.parametrize("as_", ["pandas", "polars"])
def test_frames_hold_the_values_of_the_dict(loaded, as_):
    expected, frame = loaded["dict"], loaded[as_]
    assert list(frame.data.columns) == list(expected.data) == list(expected.feature_names)
    for name, values in expected.data.items():
        assert plain(frame.data[name]) == plain(values), name
    for ours, theirs in zip(told(frame), told(expected), strict=True):
        assert plain(ours) == plain(theirs)
    if frame.task == "survival":
        assert list(frame.target.columns) == ["event", frame.target_name]
    else:
        assert frame.target.name == frame.target_name


@pytest.mark.parametrize("as_", ["pandas", "polars"])
def test_what_is_known_about_a_set_does_not_depend_on_the_format(loaded, as_):
    for field in ("name", "target_name", "feature_names", "kinds", "categories", "task"):
        assert getattr(loaded[as_], field) == getattr(loaded["dict"], field)


def test_dict_columns_are_float_or_object_arrays(loaded):
    dataset = loaded["dict"]
    for name, kind in dataset.kinds.items():
        values = dataset.data[name]
        assert values.ndim == 1
        if kind == "numeric":
            assert values.dtype == np.float64
        else:
            assert values.dtype == object
            assert {type(value) for value in values} <= {str, type(None)}


def test_pandas_types_follow_the_kinds(loaded):
    dataset = loaded["pandas"]
    for name, kind in dataset.kinds.items():
        column = dataset.data[name]
        if kind == "numeric":
            whole = bool((column == column.round()).all())
            assert column.dtype == (np.int64 if whole else np.float64), name
        else:
            assert isinstance(column.dtype, pd.CategoricalDtype), name
            assert tuple(column.cat.categories) == dataset.categories[name]
            assert column.cat.ordered == (kind == "ordered")


def test_polars_types_follow_the_kinds(loaded):
    dataset = loaded["polars"]
    for name, kind in dataset.kinds.items():
        column = dataset.data[name]
        if kind == "numeric":
            whole = column.null_count() == 0 and bool((column == column.round()).all())
            assert column.dtype == (pl.Int64 if whole else pl.Float64), name
            assert column.dtype == pl.Int64 or not column.is_nan().any()
        elif kind == "ordered":
            assert column.dtype == pl.Enum(list(dataset.categories[name])), name
        else:
            assert column.dtype == pl.String, name


def test_class_labels_are_strings_and_regression_targets_numbers(loaded):
    for dataset in loaded.values():
        kinds = {type(value) for column in told(dataset) for value in plain(column)}
        assert kinds == ({str} if dataset.task == "classification" else {float})


def test_numeric_codes_of_nominal_columns_are_not_numbers():
    heart = load("heart_disease", as_="pandas")
    assert list(heart.data["sex"].cat.categories) == ["0", "1"]
    assert list(heart.data["thal"].cat.categories) == ["3", "6", "7"]


def test_a_whole_number_column_with_gaps_stays_float():
    column = load("breast_cancer_wisconsin", as_="pandas").data["bare_nuclei"]
    assert column.dtype == np.float64
    assert column.isna().sum() == 16


def test_ordered_pandas_column_compares_by_rank():
    buying = load("car_evaluation", as_="pandas").data["buying"]
    assert (buying < "high").sum() == 864
