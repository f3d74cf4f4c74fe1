"""`predict_many` in C says what the model says, in every way in which it is written."""

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export_c_program import working_compiler
from test_ensemble_code import COMPILERS, STRICT

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    CARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.export import to_c
from spinney.export._c import Ranks

N_ROWS = (0, 1, 15, 16, 17, 1237)
PROGRAM = """
#include <stdio.h>
#include "NAME.h"
static double rows[1237 * NAME_n_features];
static TYPE said[1237];
int main(void) {
  static const long n_rows[] = {COUNTS};
  int i;
  if (fread(rows, sizeof(double), 1237 * NAME_n_features, stdin) == 0) return 1;
  for (i = 0; i < (int)(sizeof(n_rows) / sizeof(n_rows[0])); ++i) {
    NAME_predict_many(rows, n_rows[i], said);
    fwrite(said, sizeof(said[0]), (size_t)n_rows[i], stdout);
  }
  return 0;
}
"""


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1237, 5))
    y = np.array(["a", "b", "c"])[(X[:, 0] + X[:, 1] * X[:, 2] > 0) + (X[:, 3] > 1).astype(int)]
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def check(name: str, model: Any, X: Any, folder: Path, compiler: list[str]) -> str:
    """Compare the answers for several numbers of rows; return the header."""
    header = to_c(model, name)
    (folder / f"{name}.h").write_text(header)
    numbers = not hasattr(model, "classes_")
    text = PROGRAM.replace("NAME", name).replace("COUNTS", ", ".join(map(str, N_ROWS)))
    (folder / f"{name}.c").write_text(text.replace("TYPE", "double" if numbers else "int"))
    command = [*compiler, *STRICT, f"{name}.c", "-o", name, "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    run = subprocess.run(
        [str(folder / name)], input=X.tobytes(), capture_output=True, check=True
    ).stdout
    found = np.frombuffer(run, dtype=float if numbers else np.int32)
    wanted = np.concatenate([model.predict(X)[:n] for n in N_ROWS])
    if numbers:
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    else:
        assert model.classes_[found].tolist() == wanted.tolist()
    assert f"{name}_steps[]" in header, "rows went one by one"
    return header


@pytest.fixture(params=COMPILERS)
def compiler(request, tmp_path) -> list[str]:
    return working_compiler(request.param, tmp_path)


def forest(**options: Any) -> Any:
    return RandomForestClassifier(
        7, missing="majority", random_state=0, oob_score=False, n_jobs=1, **options
    )


@pytest.mark.slow
def test_many_ranks_take_more_bits(tmp_path, compiler, monkeypatch):
    X, y = data()
    model = forest().fit(X, y)
    assert "typedef unsigned short few_rank;" in check("few", model, X, tmp_path, compiler)
    monkeypatch.setattr(Ranks, "SHORT", 100)
    assert "typedef unsigned int more_rank;" in check("more", model, X, tmp_path, compiler)


@pytest.mark.slow
def test_a_label_may_count_for_several_classes(tmp_path, compiler):
    X, y = data()
    base = CARTClassifier(missing="majority", max_depth=4)
    model = BaggingClassifier(base, 6, targets="regroup", combine="vote", random_state=0)
    header = check("grouped", model.fit(X, y), X, tmp_path, compiler)
    assert "grouped_vote[]" not in header


@pytest.mark.slow
def test_trees_of_one_leaf_and_of_many_stand_together(tmp_path, compiler):
    X, y = data()
    check("leaves", forest(min_samples_leaf=len(X)).fit(X, y), X, tmp_path, compiler)
    base = CARTClassifier(missing="majority", max_depth=1)
    check("stumps", AdaBoostClassifier(base, 5).fit(X, y), X, tmp_path, compiler)
    numbers = RandomForestRegressor(5, missing="learned", random_state=0, oob_score=False)
    check("means", numbers.fit(X, np.nan_to_num(X[:, 4])), X, tmp_path, compiler)


def test_nothing_in_a_header_is_written_to():
    X, y = data()
    header = to_c(forest(max_depth=3).fit(X, y))
    kept = re.findall(r"\bstatic (?!const\b|inline\b).*", header)
    assert kept == []
    assert not re.search(r"\b(malloc|calloc|alloca|extern)\b", header)
