"""Use an installed spinney as a newcomer would, and print digests of what it learnt.

Run by itself, in an environment that has nothing but the package: `nox -s wheels` runs it with each
Python it finds. The digests must be the same whatever Python, compiler and machine made them.
"""

import hashlib
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

import spinney
from spinney import datasets


def models(X: object, y: object) -> dict[str, object]:
    """Return fitted models of several kinds by name."""
    return {
        "cart": spinney.CARTClassifier(pruning="cost_complexity", random_state=0).fit(X, y),
        "c45": spinney.C45Classifier().fit(X, y),
        "forest": spinney.RandomForestClassifier(n_estimators=20, random_state=0, n_jobs=2).fit(
            X, y
        ),
        "adaboost": spinney.AdaBoostClassifier(n_estimators=10, random_state=0).fit(X, y),
    }


def digest(numbers: np.ndarray) -> str:
    """Return a digest of the bits of an array."""
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()[:16]


def command(*words: str) -> str:
    """Run the `spinney` script that was installed beside this Python, and return its output."""
    program = Path(sysconfig.get_path("scripts")) / "spinney"
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [program, *words], check=True, capture_output=True, text=True, env=environment
    ).stdout


def main() -> None:
    """Fit, save, load and predict, in Python and by the command; a difference is an error."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") and sys._is_gil_enabled():
        raise SystemExit("importing spinney has switched the global lock of Python on")
    data = datasets.load_heart_disease(as_="dict")
    X = pa.table(data.X)
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models(X, data.y).items():
            path = Path(folder) / f"{name}.spinney"
            spinney.save(model, path)
            shares = model.predict_proba(X)
            if not np.array_equal(spinney.load(path).predict_proba(X), shares):
                raise SystemExit(f"{name} predicts something else after save and load")
            print(name, digest(shares))
        trained = str(Path(folder) / "credit.spinney")
        command("train", "german_credit", "--out", trained)
        answers = command("predict", trained, "german_credit", "--proba")
        print("command", hashlib.sha256(answers.encode()).hexdigest()[:16])


if __name__ == "__main__":
    main()
