"""A tree of one leaf says why, and what would help; priors are judged by their own measure."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from sklearn.metrics import precision_score, recall_score, roc_auc_score

from spinney import CARTClassifier
from spinney._folds import make_folds

Run = Callable[..., Result]
OPTIONS = [
    "--cost yes:no=14",
    """--set 'priors={"no": 0.5, "yes": 0.5}'""",
    "--set class_weight=balanced",
]


def mailing(n_rows: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of which few answer yes, and no group of them mostly so."""
    random = np.random.default_rng(3)
    X = random.normal(size=(n_rows, 3)).round(3)
    chance = 1 / (1 + np.exp(3.3 - 1.2 * X[:, 0]))
    return X, np.where(random.random(n_rows) < chance, "yes", "no")


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    X, y = mailing()
    lines = [",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True)]
    path = tmp_path / "mail.csv"
    path.write_text("\n".join(["a,b,c,buys", *lines]) + "\n")
    return path


def test_an_unbalanced_target_is_explained_with_what_would_help(run: Run, mail: Path) -> None:
    X, y = mailing()
    found = json.loads(run("train", mail, "--target", "buys", "--json").stdout)
    leaf = found["single_leaf"]
    assert found["trees"] == [1]
    assert f"yes is {100 * np.mean(y == 'yes'):.1f} % of the rows" in leaf["reasons"][0]
    assert [each["option"] for each in leaf["options"]] == ["as it is", *OPTIONS]
    balanced = leaf["options"][-1]
    guess, score = np.empty_like(y), np.empty(len(y))
    codes = (y == "yes").astype(int)
    model = CARTClassifier(
        pruning="cost_complexity", class_weight="balanced", random_state=0, cv=10
    )
    for train, test in make_folds(5, X, codes, np.ones(len(y), dtype=bool), 0):
        model.fit(X[train], y[train])
        guess[test], score[test] = model.predict(X[test]), model.predict_proba(X[test])[:, 1]
    assert balanced["recall"] == pytest.approx(recall_score(y, guess, pos_label="yes"))
    assert balanced["precision"] == pytest.approx(precision_score(y, guess, pos_label="yes"))
    assert balanced["auc"] == pytest.approx(roc_auc_score(codes, score))
    assert balanced["recall"] > 0.3 > leaf["options"][0]["recall"]


def test_every_option_works_as_it_is_written(run: Run, mail: Path) -> None:
    text = run("train", mail, "--target", "buys").output
    assert "One leaf: why, and what would help" in text
    for option in OPTIONS:
        assert option in text
        done = run("train", mail, "--target", "buys", *shlex.split(option))
        assert done.exit_code == 0, done.output
        assert "Tree: 1 leaf" not in done.output


def test_without_cross_validation_the_options_are_only_named(run: Run, mail: Path) -> None:
    text = run("train", mail, "--target", "buys", "--set", "min_samples_leaf=550", "--no-cv").output
    assert "One leaf: why" in text
    assert OPTIONS[0] in text
    assert "recall" not in text


def test_priors_are_compared_with_what_they_make_of_a_constant(run: Run, mail: Path) -> None:
    given = ["train", mail, "--target", "buys", "--set", 'priors={"no": 0.5, "yes": 0.5}']
    found = json.loads(run(*given, "--json").stdout)["error"]
    assert found["measure"] == "error rate by weight"
    assert found["baseline"] == pytest.approx(0.5, abs=0.02)
    assert found["relative"] < 1
    assert "% by weight, 95 % interval" in run(*given).output


def test_a_target_that_nothing_predicts_is_no_matter_of_weights(run: Run, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = [f"{random.normal():.3f},{'ab'[k % 2]}" for k in range(200)]
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(["x,y", *rows]) + "\n")
    text = " ".join(run("train", path, "--target", "y", "--set", "max_depth=1").output.split())
    assert "One leaf: why No test was found that predicts better than always" in text
    assert "class_weight" not in text


def test_of_more_classes_the_mean_recall_is_shown(run: Run, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = [f"{random.normal():.3f},{'aaaaaaabc'[random.integers(9)]}" for _ in range(300)]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(["x,y", *rows]) + "\n")
    text = run("train", path, "--target", "y").output
    assert "mean recall" in text
    assert "None of them finds more" in text
    assert "--cost" not in text
    assert "--set class_weight=balanced" in text
