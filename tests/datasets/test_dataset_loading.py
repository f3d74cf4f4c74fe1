"""Names, formats, errors and the object that comes back."""

import dataclasses
import pickle

import pytest

from spinney import datasets
from spinney.datasets import _dataset, list_datasets, load


@pytest.fixture
def only(monkeypatch):
    """Pretend that no table library but the named ones is installed."""

    def pretend(*installed):
        found = {name: object() for name in installed}
        monkeypatch.setattr(_dataset, "find_spec", found.get)

    return pretend


@pytest.mark.parametrize("name", list_datasets())
def test_each_set_has_a_loader_of_its_own(name):
    loader = getattr(datasets, f"load_{name}")
    dataset = loader(as_="dict")
    assert dataset.name == name
    assert isinstance(dataset.data, dict)
    assert f"load_{name}" in datasets.__all__


def test_there_is_no_loader_without_a_set():
    loaders = {name for name in datasets.__all__ if name.startswith("load_")}
    assert loaders == {f"load_{name}" for name in list_datasets()}


def test_names_are_sorted():
    assert list_datasets() == sorted(list_datasets())
    assert len(list_datasets()) == 27


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("german_credti", "Did you mean 'german_credit'?"),
        ("Iris", "Did you mean 'iris'?"),
        ("pima", "Did you mean 'pima_indians_diabetes'?"),
        ("breast", "Did you mean 'breast_cancer_wdbc' or 'breast_cancer_wisconsin'?"),
        ("zzzzzz", "The names are: adult, balance_scale"),
        ("", "The names are: adult, balance_scale"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(wrong, hint):
    with pytest.raises(ValueError, match="there is no data set") as caught:
        load(wrong)
    assert repr(wrong) in str(caught.value)
    assert hint in str(caught.value)


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(
        ValueError, match="as_ must be 'pandas', 'polars', 'dict' or None, got 'df'"
    ):
        load("iris", as_="df")


@pytest.mark.parametrize("as_", ["pandas", "polars"])
def test_a_format_whose_library_is_absent_says_what_to_do(only, as_):
    only()
    with pytest.raises(ImportError, match=f"needs {as_}.*as_='dict'"):
        load("iris", as_=as_)


def test_default_is_the_dict_without_pandas(only):
    only("polars")
    assert isinstance(load("iris").data, dict)


def test_default_is_pandas_where_it_is_installed():
    pd = pytest.importorskip("pandas")
    assert isinstance(load("iris").data, pd.DataFrame)


def test_x_and_y_are_the_data_and_the_target():
    iris = load("iris", as_="dict")
    assert iris.X is iris.data
    assert iris.y is iris.target


def test_a_dataset_is_frozen_and_its_text_form_is_short():
    iris = load("iris", as_="dict")
    with pytest.raises(dataclasses.FrozenInstanceError):
        iris.name = "other"
    assert repr(iris) == (
        "Dataset(name='iris', target_name='class', task='classification', licence='CC BY 4.0')"
    )


def test_a_dataset_survives_pickling():
    credit = load("credit_example", as_="dict")
    again = pickle.loads(pickle.dumps(credit))
    assert again.kinds == credit.kinds
    assert again.target.tolist() == credit.target.tolist()


def test_two_loads_share_no_arrays():
    first, second = load("iris", as_="dict"), load("iris", as_="dict")
    first.data["sepal_length"][0] = -1.0
    assert second.data["sepal_length"][0] == 5.1


@pytest.mark.parametrize("name", ["boston_housing", "pima_indians_diabetes"])
def test_sets_without_an_open_licence_say_so(name):
    loader = getattr(datasets, f"load_{name}")
    text = " ".join(loader.__doc__.split())
    assert "reproducing published results only" in text
    assert "no open licence" in text
    assert "no open licence" in load(name, as_="dict").licence
