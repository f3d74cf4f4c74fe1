"""The three kinds of bagging are those of the estimators; facts of the data sets."""

import numpy as np
import pytest

from spinney import BaggingClassifier, CARTClassifier
from spinney._reproduce import Options
from spinney._reproduce.paper_mode import DATASETS, METHODS, RULES, STATED, read, work_of

N_MEMBERS = 50  # of a quick run


@pytest.fixture(scope="module")
def work():
    return work_of(Options(quick=True))


def fitted(rows, selection):
    tree = CARTClassifier(criterion="entropy", max_surrogates=0, **RULES[STATED])
    model = BaggingClassifier(tree, N_MEMBERS, selection=selection, random_state=3)
    return model.fit(rows.X, rows.y)


def test_the_methods_are_those_of_the_estimator(work) -> None:
    found = work(("runs", "glass", "entropy", 3))
    rows = read("glass")
    for name, selection in zip(METHODS, ("mode", "trimmed", None), strict=True):
        model = fitted(rows, selection)
        assert found[name] == 100 * np.mean(model.predict(rows.X) != rows.y)
        if selection == "mode":
            assert found["kept"] == 100 * len(model.selected_) / N_MEMBERS
            assert found["split_p"] == model.selection_report_.p_value


def test_errors_on_rows_left_out_are_higher(work) -> None:
    found = [work(("runs", "glass", "gini", run)) for run in range(3)]
    for name in METHODS:
        assert all(one[f"honest_{name}"] > one[name] for one in found)


def test_a_rule_is_asked_for_the_error_of_bagging_and_the_members_that_stay(work) -> None:
    found = work((STATED, "glass", "entropy", 3))
    rows = read("glass")
    assert found == {
        "error": 100 * np.mean(fitted(rows, None).predict(rows.X) != rows.y),
        "kept": 100 * len(fitted(rows, "mode").selected_) / N_MEMBERS,
    }


def test_housing_has_nine_classes_in_both_readings() -> None:
    by_rad, by_value = read("housing"), read("housing (medv)")
    assert by_rad.n_classes == by_value.n_classes == 9
    assert len(by_rad.X) == len(by_value.X) == 13
    assert "medv" in by_rad.X
    assert "rad" not in by_rad.X
    assert np.sort(np.unique(by_value.y, return_counts=True)[1]).tolist() == sorted(
        [24, 73, 118, 167, 40, 36, 17, 9, 22]
    )


def test_ordered_columns_keep_their_order() -> None:
    X = read("lympho").X
    assert list(X["number_of_nodes_in"].categories) == [str(i) for i in range(1, 9)]
    assert len(DATASETS) == 12
