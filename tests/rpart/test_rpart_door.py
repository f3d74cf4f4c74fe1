"""Calls of spinney.rpart against those of rpart 4.1.19, which `make_door.R` records."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("formulaic", reason="needs formulaic, of pip install '.[test]'")

from spinney import CARTClassifier, CARTRegressor, SurvivalTree, load, save  # noqa: E402
from spinney.datasets import load_boston_housing  # noqa: E402
from spinney.rpart import cptable, plotcp, printcp, prune, rpart, rpart_control, summary  # noqa: E402

HERE = Path(__file__).parent
SPINE = "Kyphosis ~ Age + Number + Start"


@cache
def kyphosis() -> Any:
    return pd.read_csv(HERE / "door" / "kyphosis.csv")


@cache
def table(name: str) -> Any:
    if name == "anova":
        houses = load_boston_housing()
        return houses.X.assign(medv=houses.y)
    files = {"poisson": "counts/data/solder.csv", "exposure": "counts/data/policies.csv"}
    files["exp"] = "lifetimes/data/veteran.csv"
    data = pd.read_csv(HERE / files[name]) if name in files else kyphosis()
    return data.rename(columns=lambda column: column.lstrip("."))


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "class": (SPINE, {}),
    "information": (SPINE, {"parms": {"split": "information"}}),
    "prior": (SPINE, {"parms": {"prior": [0.65, 0.35]}}),
    "loss": (SPINE, {"parms": {"loss": [[0, 1], [3, 0]]}}),
    "control": (SPINE, {"minsplit": 10, "cp": 0.001, "maxcompete": 2, "maxsurrogate": 1}),
    "anova": ("medv ~ .", {}),
    "poisson": ("count ~ .", {"method": "poisson"}),
    "exposure": ("cbind(exposure, count) ~ .", {}),
    "exp": ("Surv(time, event) ~ .", {}),
}


@cache
def fitted(name: str) -> tuple[Any, dict[str, Any]]:
    formula, given = CALLS[name]
    data = table(name)
    given = dict(given)
    call = {key: given.pop(key) for key in ("parms", "method") if key in given}
    control = rpart_control(xval=np.arange(len(data)) % 10, **given)
    expected = json.loads((HERE / "door" / f"{name}.json").read_text())
    return rpart(formula, data, control=control, **call), expected


@pytest.mark.parametrize("name", CALLS)
def test_the_table_of_sizes_is_that_of_rpart(name: str) -> None:
    """All but errors of costs, where rpart 4.1.19 charges the opposite error (decision 0003)."""
    fit, expected = fitted(name)
    ours, theirs = cptable(fit).to_numpy(dtype=float), np.array(expected["cptable"])
    np.testing.assert_allclose(ours[:, :3], theirs[:, :3], rtol=1e-9)
    if name not in ("loss", "control"):  # there a held-out value equals a cut
        # rpart judges the last row at a penalty between cp and the row before, we at its own
        np.testing.assert_allclose(ours[:-1, 3:], theirs[:-1, 3:], rtol=1e-9)
        np.testing.assert_allclose(ours[-1, 3:], theirs[-1, 3:], rtol=0.06)


@pytest.mark.parametrize("name", CALLS)
def test_nodes_are_those_of_rpart(name: str) -> None:
    """With its numbers and complexities; which child is the left one, rpart decides otherwise."""
    fit, expected = fitted(name)
    found = re.findall(
        r"Node number (\d+): (\d+) obs\w+(?:, complexity param=(\S+))?", summary(fit)
    )
    sizes = sorted(int(n) for _, n, _ in found)
    assert sizes == sorted(expected["n"])
    assert {int(k).bit_length() for k, _, _ in found} == {
        int(k).bit_length() for k in expected["nodes"]
    }
    cp = CALLS[name][1].get("cp", 0.01)
    theirs = [c for c in expected["complexity"] if c > cp * (1 + 1e-9)]
    ours = [float(c) for _, _, c in found if c and float(c) > cp * (1 + 1e-9)]
    np.testing.assert_allclose(sorted(ours), sorted(theirs), rtol=1e-5)


@pytest.mark.parametrize("name", ["class", "information", "prior", "loss", "control"])
def test_expected_losses_are_those_of_rpart(name: str) -> None:
    fit, expected = fitted(name)
    ours = [float(loss) for loss in re.findall(r"expected loss=(\S+)", summary(fit, digits=12))]
    np.testing.assert_allclose(sorted(ours), sorted(expected["losses"]), rtol=1e-6)


@pytest.mark.parametrize("name", ["class", "information", "control", "anova"])
def test_competing_tests_are_those_of_rpart(name: str) -> None:
    fit, expected = fitted(name)
    root = re.split(r"Node number \d+", summary(fit, digits=12))[1]
    found = re.findall(r"^ {6}(\w+)[^,]*(?:, \d[^,]*)*, improve=(\S+),", root, flags=re.MULTILINE)
    assert [column for column, _ in found] == expected["primary"]["names"]
    ours = [float(worth) for _, worth in found]
    np.testing.assert_allclose(ours, expected["primary"]["improve"], rtol=1e-9)


@pytest.mark.parametrize("name", ["class", "control", "anova", "poisson"])
def test_surrogates_of_the_root_are_those_of_rpart(name: str) -> None:
    fit, expected = fitted(name)
    found = fit.tree_.root.surrogates
    assert [one.test.feature_name for one in found] == expected["surrogates"]["names"]
    np.testing.assert_allclose([one.agreement for one in found], expected["surrogates"]["agree"])


def test_importances_are_those_of_rpart() -> None:
    fit, expected = fitted("class")
    shares = dict(zip(fit.tree_.feature_names, fit.tree_.importances(surrogates=True), strict=True))
    theirs = expected["importance"]
    ratio = [shares[name] / theirs[name] for name in theirs]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)


def test_the_defaults_are_those_of_rpart() -> None:
    control = rpart_control()
    assert (control.minsplit, control.minbucket, control.cp, control.xval) == (20, 7, 0.01, 10)
    assert (control.maxcompete, control.maxsurrogate, control.maxdepth) == (4, 5, 30)
    assert rpart_control(minbucket=5).minsplit == 15


def test_the_result_is_an_ordinary_estimator(tmp_path: Path) -> None:
    fit, _ = fitted("class")
    assert isinstance(fit, CARTClassifier)
    assert isinstance(fitted("anova")[0], CARTRegressor)
    assert isinstance(fitted("exp")[0], SurvivalTree)
    assert fit.predict(kyphosis()[["Age", "Number", "Start"]]).shape == (81,)
    save(fit, tmp_path / "fit.spinney")
    again = load(tmp_path / "fit.spinney")
    assert again.tree_ == fit.tree_
    assert cptable(again)["nsplit"].tolist() == cptable(fit)["nsplit"].tolist()
    with pytest.raises(ValueError, match="TreeEditor"):
        summary(again)


def test_prune_takes_the_subtree_of_a_penalty() -> None:
    fit, _ = fitted("class")
    assert [prune(fit, cp=cp).tree_.n_leaves for cp in (0.001, 0.01, 0.02, 0.2)] == [5, 5, 2, 1]
    small = prune(fit, cp=0.02)
    assert cptable(small)["nsplit"].tolist() == [0, 1]
    assert "Node number 3" in summary(small)
    assert fit.tree_.n_leaves == 5
    with pytest.raises(ValueError, match="cp must be a number"):
        prune(fit, cp="small")


def test_printcp_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    printcp(fitted("class")[0])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Classification tree:", f'rpart("{SPINE}", method="class")']
    assert "Root node error: 17/81 = 0.20988" in lines
    assert lines[-3].split() == ["1", "0.17647", "0", "1.00000", "1.00000", "0.21559"]


def test_plotcp_draws_a_point_for_each_size() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = plotcp(fitted("class")[0])
    assert axes.get_xlabel() == "cp"
    assert len(axes.get_xticks()) == 3
    plt.close(axes.figure)


def test_without_folds_there_are_no_errors() -> None:
    fit = rpart(SPINE, kyphosis(), control={"xval": 0})
    assert list(cptable(fit)) == ["CP", "nsplit", "rel error"]
    with pytest.raises(ValueError, match="xval was 0"):
        plotcp(fit)


def test_the_order_of_levels_is_that_of_priors_and_losses() -> None:
    """R takes the order of the factor's levels, not of the alphabet."""
    data = kyphosis().assign(
        Kyphosis=lambda d: pd.Categorical(d["Kyphosis"], categories=["present", "absent"])
    )
    turned = rpart(SPINE, data, parms={"prior": [0.35, 0.65]}, control={"xval": 0})
    assert (
        turned.tree_
        == rpart(
            SPINE,
            kyphosis(),
            parms={"prior": {"absent": 0.65, "present": 0.35}},
            control={"xval": 0},
        ).tree_
    )


def test_rows_without_a_response_are_left_out() -> None:
    data = kyphosis().astype({"Kyphosis": object})
    data.loc[[3, 8], "Kyphosis"] = None
    fit = rpart(SPINE, data, control={"xval": 0})
    assert fit.tree_.root.n_samples == 79


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"formula": "Kyphosis ~ Age:Start"}, "no interaction terms"),
        ({"formula": "Kyphosis ~ Age + Weight"}, "names Weight"),
        ({"formula": "Kyphosis ~ log(Age)"}, "A tree is the same for log"),
        ({"formula": "Kyphosis"}, "formula must be such as"),
        ({"formula": "Kyphosis ~ 1"}, "no columns"),
        ({"formula": "Surv(Age) ~ Start"}, "takes two columns"),
        ({"formula": "Surv(Age, Start) ~ Number"}, "event of Surv"),
        ({"method": "class", "formula": "Surv(Age, Start > 3) ~ Number"}, "names Start > 3"),
        ({"method": "exp"}, "goes with Surv"),
        ({"method": "mrt"}, "method must be one of"),
        ({"parms": {"split": "twoing"}}, "'gini' or 'information'"),
        ({"parms": {"prioir": [1, 2]}}, "prioir as well"),
        ({"parms": {"loss": [[0, 1]]}}, "matrix of 2 rows"),
        ({"control": {"usesurrogate": 1}}, "usesurrogate must be 2"),
        ({"control": {"surrogatestyle": 3}}, "surrogatestyle must be 0 or 1"),
        ({"control": {"cp": 7}}, "cp must be from 0 to 1"),
        ({"control": {"xval": [1, 2]}}, "must have 81 folds"),
    ],
)
def test_what_cannot_be_is_told(change: dict[str, Any], message: str) -> None:
    call = {"formula": SPINE, "data": kyphosis(), **change}
    with pytest.raises(ValueError, match=message):
        rpart(call.pop("formula"), call.pop("data"), **call)


def test_other_mistakes_are_told() -> None:
    with pytest.raises(TypeError, match="pandas DataFrame"):
        rpart(SPINE, [[1, 2]])
    with pytest.raises(TypeError, match="has no minsplits"):
        rpart_control(minsplits=3)
    with pytest.raises(TypeError, match="without a pruning_path_"):
        cptable(CARTClassifier().fit([[0.0], [1.0]], [0, 1]))
