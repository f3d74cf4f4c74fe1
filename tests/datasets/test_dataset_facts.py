"""Sizes, class counts, gaps and kinds of each set, as its documentation states them."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

from spinney.datasets import list_datasets, load
from spinney.datasets._registry import REGISTRY


class Facts(NamedTuple):
    rows: int
    kinds: tuple[int, int, int]  # numeric, nominal, ordered
    target: str
    classes: dict[str, int]  # empty for regression
    missing: dict[str, int]  # by column
    events: int | None = None  # of lifetimes


BINARY_CREDIT = {"good": 700, "bad": 300}
FACTS = {
    "adult": Facts(
        48842,
        (6, 7, 1),
        "income",
        {"<=50K": 37155, ">50K": 11687},
        {"workclass": 2799, "occupation": 2809, "native_country": 857},
    ),
    "balance_scale": Facts(
        625, (4, 0, 0), "class", {"left": 288, "balanced": 49, "right": 288}, {}
    ),
    "boston_housing": Facts(506, (12, 1, 0), "medv", {}, {}),
    "breast_cancer_wdbc": Facts(
        569, (30, 0, 0), "diagnosis", {"benign": 357, "malignant": 212}, {}
    ),
    "breast_cancer_wisconsin": Facts(
        699, (9, 0, 0), "class", {"benign": 458, "malignant": 241}, {"bare_nuclei": 16}
    ),
    "bupa_liver": Facts(345, (6, 0, 0), "selector", {"1": 145, "2": 200}, {}),
    "car_evaluation": Facts(
        1728, (0, 0, 6), "class", {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65}, {}
    ),
    "cpu_performance": Facts(209, (6, 1, 0), "published_relative_performance", {}, {}),
    "credit_example": Facts(10, (2, 3, 0), "class", {"bad": 5, "good": 5}, {}),
    "german_credit": Facts(1000, (7, 11, 2), "class", BINARY_CREDIT, {}),
    "german_credit_numeric": Facts(1000, (24, 0, 0), "class", BINARY_CREDIT, {}),
    "glass": Facts(
        214,
        (9, 0, 0),
        "class",
        {
            "building_windows_float": 70,
            "building_windows_non_float": 76,
            "vehicle_windows_float": 17,
            "containers": 13,
            "tableware": 9,
            "headlamps": 29,
        },
        {},
    ),
    "haberman": Facts(
        306, (3, 0, 0), "class", {"survived_5_years": 225, "died_within_5_years": 81}, {}
    ),
    "heart_disease": Facts(
        920,
        (6, 6, 1),
        "class",
        {"absent": 411, "present": 509},
        {
            "resting_blood_pressure": 59,
            "serum_cholesterol": 30,
            "fasting_blood_sugar_gt_120": 90,
            "resting_ecg": 2,
            "max_heart_rate": 55,
            "exercise_induced_angina": 55,
            "st_depression": 62,
            "st_slope": 309,
            "major_vessels_coloured": 611,
            "thal": 486,
        },
    ),
    "insurance": Facts(64, (0, 1, 2), "claims", {}, {}),
    "iris": Facts(150, (4, 0, 0), "class", {"setosa": 50, "versicolor": 50, "virginica": 50}, {}),
    "lung": Facts(
        228,
        (6, 1, 0),
        "time",
        {},
        {"ph_ecog": 1, "ph_karno": 1, "pat_karno": 3, "meal_cal": 47, "wt_loss": 14},
        165,
    ),
    "lymphography": Facts(
        148,
        (0, 15, 3),
        "class",
        {"normal": 2, "metastases": 81, "malign_lymph": 61, "fibrosis": 4},
        {},
    ),
    "mushroom": Facts(
        8124, (0, 22, 0), "class", {"edible": 4208, "poisonous": 3916}, {"stalk_root": 2480}
    ),
    "pbc": Facts(
        418,
        (12, 5, 0),
        "time",
        {},
        {
            "treatment": 106,
            "ascites": 106,
            "hepato": 106,
            "spiders": 106,
            "chol": 134,
            "copper": 108,
            "alk_phos": 106,
            "ast": 106,
            "trig": 136,
            "platelet": 11,
            "protime": 2,
            "stage": 6,
        },
        161,
    ),
    "pima_indians_diabetes": Facts(768, (8, 0, 0), "class", {"negative": 500, "positive": 268}, {}),
    "solder": Facts(900, (0, 4, 1), "skips", {}, {}),
    "sonar": Facts(208, (60, 0, 0), "class", {"mine": 111, "rock": 97}, {}),
    "veteran": Facts(137, (3, 3, 0), "time", {}, {}, 128),
    "waveform": Facts(5000, (21, 0, 0), "class", {"0": 1657, "1": 1647, "2": 1696}, {}),
    "wine": Facts(178, (13, 0, 0), "class", {"1": 59, "2": 71, "3": 48}, {}),
    "yeast": Facts(
        1484,
        (8, 0, 0),
        "class",
        {
            "CYT": 463,
            "NUC": 429,
            "MIT": 244,
            "ME3": 163,
            "ME2": 51,
            "ME1": 44,
            "EXC": 35,
            "VAC": 30,
            "POX": 20,
            "ERL": 5,
        },
        {},
    ),
}


@pytest.fixture(scope="module", params=sorted(FACTS))
def case(request):
    return load(request.param, as_="dict"), FACTS[request.param]


def is_missing(values):
    if values.dtype == object:
        return np.array([value is None for value in values])
    return np.isnan(values)


@pytest.mark.parametrize("name", list_datasets())
def test_the_list_of_sets_states_their_sizes(name):
    data = load(name, as_="dict")
    n_classes = len(set(data.target.tolist())) if data.task == "classification" else 0
    size = [len(data.target), len(data.feature_names), n_classes]
    assert list(REGISTRY[name].size) == size


def test_every_set_has_its_facts_stated_here():
    assert sorted(FACTS) == list_datasets()


def test_row_count_is_as_documented_in_every_column(case):
    dataset, facts = case
    lengths = {len(values) for values in dataset.data.values()} | {len(dataset.target)}
    assert lengths == {facts.rows}


def test_kinds_are_as_documented(case):
    dataset, facts = case
    found = Counter(dataset.kinds.values())
    assert tuple(found[kind] for kind in ("numeric", "nominal", "ordered")) == facts.kinds


def test_target_is_as_documented(case):
    dataset, facts = case
    assert dataset.target_name == facts.target
    assert facts.target not in dataset.data
    if facts.classes:
        assert dataset.task == "classification"
        assert Counter(dataset.target) == facts.classes
    elif facts.events is not None:
        assert dataset.task == "survival"
        assert dataset.target["event"].sum() == facts.events
        assert np.all(dataset.target["time"] > 0)
    else:
        assert dataset.task == "regression"
        assert np.all(np.isfinite(dataset.target))


def test_missing_cells_are_as_documented_column_by_column(case):
    dataset, facts = case
    found = {name: int(is_missing(values).sum()) for name, values in dataset.data.items()}
    assert {name: count for name, count in found.items() if count} == facts.missing


def test_every_value_is_one_of_the_categories_and_every_category_occurs(case):
    dataset, _ = case
    for name, categories in dataset.categories.items():
        seen = {value for value in dataset.data[name] if value is not None}
        assert seen == set(categories), name
        assert len(categories) == len(set(categories)), name


def test_registry_names_only_columns_that_exist(case):
    dataset, _ = case
    entry = REGISTRY[dataset.name]
    assert {*entry.nominal, *entry.ordered} <= set(dataset.feature_names)
    assert not set(entry.nominal) & set(entry.ordered)


@pytest.mark.parametrize(
    ("name", "distinct", "low", "high"),
    [
        ("boston_housing", 229, 5.0, 50.0),
        ("cpu_performance", 116, 6.0, 1150.0),
        ("insurance", 46, 0.0, 400.0),
        ("solder", 47, 0.0, 48.0),
    ],
)
def test_regression_target_spans_its_documented_range(name, distinct, low, high):
    target = load(name, as_="dict").target
    assert (len(np.unique(target)), target.min(), target.max()) == (distinct, low, high)


@pytest.mark.slow
def test_education_is_ordered_as_its_number_is():
    adult = load("adult", as_="dict")
    pairs = set(zip(adult.data["education_num"], adult.data["education"], strict=True))
    assert tuple(level for _, level in sorted(pairs)) == adult.categories["education"]


def test_nominal_codes_follow_the_numbers_in_them():
    purposes = load("german_credit", as_="dict").categories["purpose"]
    assert " ".join(purposes) == "A40 A41 A42 A43 A44 A45 A46 A48 A49 A410"


def test_ordered_columns_run_from_low_to_high():
    credit = load("german_credit", as_="dict").categories
    cars = load("car_evaluation", as_="dict").categories
    assert credit["employment_since"] == ("A71", "A72", "A73", "A74", "A75")
    assert credit["job"] == ("A171", "A172", "A173", "A174")
    assert cars["buying"] == cars["maint"] == ("low", "med", "high", "vhigh")
    assert cars["doors"] == ("2", "3", "4", "5more")
    assert cars["persons"] == ("2", "4", "more")
    assert cars["lug_boot"] == ("small", "med", "big")
    assert cars["safety"] == ("low", "med", "high")


def test_the_balance_tips_to_the_larger_product():
    scale = load("balance_scale", as_="dict")
    x = scale.data
    tip = np.sign(x["left_weight"] * x["left_distance"] - x["right_weight"] * x["right_distance"])
    words = {1.0: "left", 0.0: "balanced", -1.0: "right"}
    assert [words[side] for side in tip] == scale.target.tolist()


def test_credit_example_splits_at_an_income_of_36():
    credit = load("credit_example", as_="dict")
    above = credit.data["income"] > 36
    assert Counter(credit.target[above]) == {"good": 3}
    assert Counter(credit.target[~above]) == {"bad": 5, "good": 2}
    men = credit.data["gender"] == "male"
    assert Counter(credit.target[men]) == {"bad": 3, "good": 2}


def test_claims_are_counted_by_their_holders():
    claims = load("insurance", as_="dict")
    assert (claims.exposure.sum(), claims.target.sum()) == (23359, 3151)
    assert load("solder", as_="dict").exposure is None


def test_lifetimes_are_those_of_the_publications():
    lung, pbc, veteran = (load(name, as_="dict").target for name in ("lung", "pbc", "veteran"))
    assert np.median(lung["time"]) == 255.5
    assert pbc["time"].max() == 4795
    assert [int(t) for t in veteran["time"][:3]] == [72, 411, 228]
