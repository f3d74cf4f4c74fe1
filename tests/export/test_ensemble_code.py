"""Ensembles as C, Python and JSON: the same answers as the model's."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))

from engine_models import hard_rows, mild, random_model
from export_c_program import cell, source, working_compiler
from export_cases import plain_rows

from spinney import RandomForestClassifier, RandomForestRegressor
from spinney.export import from_json, to_c, to_json, to_python

KINDS = [
    "forest",
    "forest of numbers",
    "counts",
    "bagging",
    "bagging of numbers",
    "AdaBoost",
    "AdaBoost of numbers",
    "IGPA forest",
    "small forest",
    "small forest of numbers",
    "evolved forest",
    "votes",
    "survival forest",
]
SEEDS = range(4)
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def flat_rows(kind: str, n_rows: int) -> Any:
    X = hard_rows(n_rows, 77, new=True)
    return mild(X) if "evolved" in kind else X


def same(model: Any, X: Any, said: list[Any], shares: Any) -> None:
    if shares is None:
        np.testing.assert_allclose(said, model.predict(X), rtol=1e-12)
        return
    assert said == model.predict(X).tolist()
    np.testing.assert_allclose(shares, model.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_python_module_predicts_as_the_ensemble(kind, seed):
    model, X = random_model(kind, seed), flat_rows(kind, 300)
    text, module = to_python(model), {}
    exec(text, module)
    imports = [line for line in text.splitlines() if line.startswith(("import", "from"))]
    assert all(line.startswith("from math import") for line in imports)
    rows = plain_rows(X)
    shares = [module["predict_proba"](row) for row in rows] if "predict_proba" in module else None
    same(model, X, [module["predict"](row) for row in rows], shares)


class Described:
    """What the program in C wants to know of a model."""

    def __init__(self, model: Any, header: str) -> None:
        self.model = model
        self.classes = getattr(model, "classes_", None)
        first = model.estimators_[0]
        while not hasattr(first, "tree_"):
            first = first.estimator
        self.schema = first.tree_.schema
        self.labels = None
        if self.classes is not None:
            abstains = getattr(model, "abstain_label", None)
            extra = [] if abstains is None else [abstains]
            self.labels = [*self.classes.tolist(), *extra]


COMPILERS = [
    "gcc",
    "clang",
    *(pytest.param(f"{c} -m32", marks=pytest.mark.thorough) for c in ("gcc", "clang")),
]


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_header_in_c_predicts_as_the_ensemble(compiler, tmp_path):
    found = working_compiler(compiler, tmp_path)
    cases = [(kind, seed) for kind in KINDS for seed in SEEDS]
    models = []
    for i, (kind, seed) in enumerate(cases):
        header = to_c(random_model(kind, seed), f"m{i}")
        assert "malloc" not in header
        (tmp_path / f"m{i}.h").write_text(header, encoding="utf-8")
        models.append(Described(random_model(kind, seed), header))
    (tmp_path / "main.c").write_text(source(models))
    command = [*found, *STRICT, str(tmp_path / "main.c"), "-o", str(tmp_path / "main"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    for i, (kind, _) in enumerate(cases):
        X = flat_rows(kind, 2000)
        rows = plain_rows(X)
        text = "\0".join(cell(value) for row in rows for value in row)
        run = [str(tmp_path / "main"), str(i), str(len(rows))]
        answer = subprocess.run(run, input=text.encode(), capture_output=True, check=True)
        numbers = np.frombuffer(answer.stdout).reshape(len(rows), -1)
        labels = models[i].labels
        if labels is None:
            same(models[i].model, X, numbers[:, 0].tolist(), None)
        else:
            said = [labels[int(code)] for code in numbers[:, 0]]
            same(models[i].model, X, said, numbers[:, 1:])


MANY = """
#include <stdio.h>
#include "plain.h"
#include "mixed.h"
#include "number.h"
static double rows[N_ROWS * plain_n_features];
static int said[N_ROWS];
static double means[N_ROWS];
int main(void) {
  long i, wrong = 0;
  if (fread(rows, sizeof(double), N_ROWS * plain_n_features, stdin) == 0) return 1;
  plain_predict_many(rows, N_ROWS, said);
  for (i = 0; i < N_ROWS; ++i) wrong += said[i] != plain_predict(rows + i * plain_n_features);
  mixed_predict_many(rows, N_ROWS, said);
  for (i = 0; i < N_ROWS; ++i) wrong += said[i] != mixed_predict(rows + i * mixed_n_features);
  number_predict_many(rows, N_ROWS, means);
  for (i = 0; i < N_ROWS; ++i) {
    const double one = number_predict(rows + i * number_n_features);
    wrong += means[i] < one || means[i] > one;
  }
  plain_predict_many(rows, N_ROWS, said);
  for (i = 0; i < N_ROWS; ++i) printf("%d ", said[i]);
  printf("%ld", wrong);
  return 0;
}
"""


@pytest.mark.slow
def test_many_rows_at_once_are_predicted_as_one_by_one(tmp_path):
    gcc = working_compiler("gcc", tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1237, 5))
    y = np.array(["a", "b", "c"])[(X[:, 0] + X[:, 1] * X[:, 2] > 0) + (X[:, 3] > 1).astype(int)]
    X[rng.random(X.shape) < 0.1] = np.nan
    models = {
        "plain": RandomForestClassifier(9, missing="majority", random_state=0, oob_score=False),
        "mixed": RandomForestClassifier(3, missing="fractional", random_state=0, oob_score=False),
        "number": RandomForestRegressor(5, missing="learned", random_state=0, oob_score=False),
    }
    for name, model in models.items():
        model.fit(X, np.nan_to_num(X[:, 4]) if name == "number" else y)
        (tmp_path / f"{name}.h").write_text(to_c(model, name))
    (tmp_path / "main.c").write_text(MANY.replace("N_ROWS", str(len(X))))
    command = [*gcc, *STRICT, str(tmp_path / "main.c"), "-o", str(tmp_path / "main")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    run = subprocess.run(
        [str(tmp_path / "main")], input=X.tobytes(), capture_output=True, check=True
    )
    *codes, wrong = map(int, run.stdout.split())
    assert wrong == 0
    assert models["plain"].classes_[codes].tolist() == models["plain"].predict(X).tolist()
    assert "plain_steps" in (tmp_path / "plain.h").read_text()
    assert "mixed_steps" not in (tmp_path / "mixed.h").read_text()


def test_json_of_an_ensemble_describes_every_member():
    model = random_model("AdaBoost", 1)
    data = json.loads(to_json(model))
    assert data["format"] == "spinney ensemble"
    assert data["rule"] == "boost"
    assert [member["weight"] for member in data["members"]] == model.estimator_weights_.tolist()
    tree = from_json(
        json.dumps({"format": "spinney tree", "version": 1, **data["members"][0]["tree"]})
    )
    assert tree == model.forest_[0]
    with pytest.raises(ValueError, match=r"an ensemble.*spinney\.save"):
        from_json(to_json(model))


def test_json_of_a_vote_has_its_quorum():
    data = json.loads(to_json(random_model("votes", 1)))
    assert data["quorum"] == {"share": 0.5, "passed": True, "abstain": "unsure"}
