"""The instructions that the core runs on, and its threads, change no bit of what is learned."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from spinney import _core

# Small and large nodes, classes, numbers, ties, gaps, categories, boosting, evolved tests, rules.
PROGRAM = """
import hashlib, sys, tempfile, pathlib
import numpy as np
import spinney
from spinney import _core

rng = np.random.default_rng(0)
X = rng.normal(size=(3_000, 8))
X[:, 6] = np.round(X[:, 6])
y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
label = (y > 0).astype(int)
mixed = X.copy()
mixed[:, 7] = rng.integers(0, 9, len(X))
mixed[rng.random(X.shape) < 0.05] = np.nan
models = [
    spinney.CARTClassifier(max_surrogates=0).fit(X, label),
    spinney.CARTRegressor(max_surrogates=0).fit(X, y),
    spinney.CARTClassifier(criterion="entropy", categorical_features=[7]).fit(mixed, label),
    spinney.CARTRegressor(criterion="poisson").fit(X, np.floor(np.abs(y))),
    spinney.RandomForestClassifier(8, random_state=0).fit(X, label),
    spinney.RandomForestRegressor(8, max_features=3, random_state=0).fit(X, y),
    spinney.AdaBoostClassifier(n_estimators=20, random_state=0).fit(X, label),
    spinney.C45Classifier().fit(mixed[:400], label[:400]),
    spinney.GPTreeClassifier(generations=5, random_state=0).fit(X[:413], label[:413]),
    spinney.GPTreeClassifier(generations=5, random_state=0).fit(mixed[:413], label[:413]),
]
if len(sys.argv) > 1:
    jobs = int(sys.argv[1])
    pairs = [(models[0], label), (models[1], y), (models[4], label), (models[5], y)]
    models = [
        type(model)(**{**model.get_params(deep=False), "n_jobs": jobs}).fit(X, target)
        for model, target in pairs
    ]
    for model in models:
        model.set_params(n_jobs=None)
digest = hashlib.sha256()
with tempfile.TemporaryDirectory() as folder:
    for i, model in enumerate(models):
        path = pathlib.Path(folder, f"{i}.spinney")
        spinney.save(model, path)
        digest.update(path.read_bytes())
        digest.update(np.ascontiguousarray(model.predict(X)).tobytes())
print(_core.instructions(), digest.hexdigest())
"""


def digest(*arguments: str, instructions: str = "") -> tuple[str, str]:
    """What the core ran on, and a digest of all models and of their answers."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SPINNEY_INSTRUCTIONS": instructions},
    )
    assert done.returncode == 0, done.stderr
    ran_on, found = done.stdout.split()
    return ran_on, found


@pytest.mark.slow
def test_models_have_the_same_bytes_whatever_the_instructions() -> None:
    has = _core.instructions()
    if has == "plain":
        pytest.skip("this machine, or this build, has nothing beyond the oldest instructions")
    known = ["plain", "avx2", "avx512"]
    names = known[: known.index(has) + 1]
    found = [digest(instructions=name) for name in names]
    assert [ran_on for ran_on, _ in found] == names
    assert len({models for _, models in found}) == 1


@pytest.mark.slow
def test_models_have_the_same_bytes_with_1_to_16_threads() -> None:
    assert len({digest(str(jobs))[1] for jobs in (1, 2, 3, 5, 16)}) == 1


def test_the_variable_says_what_the_core_runs_on() -> None:
    program = "from spinney import _core; print(_core.instructions())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SPINNEY_INSTRUCTIONS": "plain"},
    )
    assert done.stdout == "plain\n"
