"""Trees of the size of J48's, with its answer for every training row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from weka_cases import CASES, SETTINGS, Case, Run, load, run_weka, why_not

import spinney

if not hasattr(spinney, "C45Classifier"):
    pytest.skip("C45Classifier is not there yet", allow_module_level=True)

COUNTS_ROWS = (
    "J48 does not cut a column in a node with fewer known rows than twice the least weight of a "
    "side, whatever the rows weigh; here all bounds count weight"
)
CLOSE_VALUES = (
    "J48 does not cut between neighbours of a node that lie no more than 1e-5 apart; the "
    "refractive index has such steps"
)
# Case and setting: why J48's tree is another one.
KNOWN_DIFFERENCES: dict[tuple[str, str], str] = {
    **{("heart_disease__weights", name): COUNTS_ROWS for name in SETTINGS},
    **{
        ("breast_cancer_wisconsin__weights", name): COUNTS_ROWS
        for name in ("unpruned", "cf 0.4", "leaf 5")
    },
    **{
        ("glass", name): CLOSE_VALUES
        for name in ("default", "unpruned", "not raised", "cf 0.1", "cf 0.4")
    },
}

EVERY = [
    pytest.param(case, name, id=f"{case.name}-{name.replace(' ', '_')}")
    for case in CASES
    for name in SETTINGS
]


def fitted(case: Case, name: str) -> Any:
    model = spinney.C45Classifier(rules=False, **SETTINGS[name][1])
    return model.fit(case.table, case.y, sample_weight=case.weight)


def differences(case: Case, model: Any, run: Run) -> list[str]:
    """Say in words where a tree and J48's are not the same."""
    found = []
    if (model.tree_.n_nodes, model.tree_.n_leaves) != (run.n_nodes, run.n_leaves):
        ours = f"{model.tree_.n_nodes} nodes, {model.tree_.n_leaves} leaves"
        found.append(f"{ours}; J48 has {run.n_nodes} and {run.n_leaves}")
    labels = np.searchsorted(case.classes, model.predict(case.table))
    if len(rows := np.flatnonzero(labels != run.labels)):
        found.append(f"{len(rows)} rows get another label, the first is row {rows[0]}")
    off = np.abs(model.predict_proba(case.table) - run.proba).max()
    if off > 1e-6:
        found.append(f"probabilities differ by up to {off:.2g}")
    return found


@pytest.mark.parametrize(("case", "name"), EVERY)
def test_tree_is_that_of_j48(case: Case, name: str) -> None:
    found = differences(case, fitted(case, name), load(case)[name])
    if (case.name, name) in KNOWN_DIFFERENCES:
        assert found, "a known difference is gone: take it off the list"
    else:
        assert not found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_training_accuracy_is_that_of_j48(case: Case) -> None:
    if (case.name, "default") in KNOWN_DIFFERENCES:
        pytest.skip(KNOWN_DIFFERENCES[case.name, "default"])
    theirs = case.classes[load(case)["default"].labels] == case.y
    accuracy = fitted(case, "default").score(case.table, case.y, sample_weight=case.weight)
    assert accuracy == pytest.approx(np.average(theirs, weights=case.weight), abs=1e-12)


def test_known_differences_name_cases_and_settings() -> None:
    names = {case.name for case in CASES}
    assert all(case in names and name in SETTINGS for case, name in KNOWN_DIFFERENCES)


@pytest.mark.slow
@pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
@pytest.mark.parametrize("dataset", ["heart_disease", "german_credit"])
def test_files_hold_what_weka_finds_today(dataset: str) -> None:
    case = next(case for case in CASES if case.name == dataset)
    names = ["default", "unpruned"]
    stored = load(case)
    for name, run in run_weka(case, names).items():
        assert (run.n_nodes, run.n_leaves) == (stored[name].n_nodes, stored[name].n_leaves)
        np.testing.assert_array_equal(run.labels, stored[name].labels)
        np.testing.assert_allclose(run.proba, stored[name].proba, atol=1e-8)


@pytest.mark.slow
@pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
def test_weka_and_we_agree_on_rows_it_has_not_been_asked_before() -> None:
    case = Case("heart_disease", rows=500, gaps=60)
    for name, run in run_weka(case, list(SETTINGS)).items():
        assert differences(case, fitted(case, name), run) == [], name
