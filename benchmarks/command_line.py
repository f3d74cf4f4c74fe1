"""The command line on a long table: processor seconds of whole commands, and what imports take."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks._measure import show

IMPORTS = "import sklearn.base, sklearn.metrics, sklearn.pipeline, pyarrow.csv"


def command_line(n_rows=300_000, repeats=3):
    """Train at depth 8 and predict; commands that need no model; scikit-learn's import alone."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder) / "table.csv", n_rows)
        train = ["train", "table.csv", "--target", "y", "--max-depth", "8", "--out", "m.spinney"]
        commands = {
            "imports alone": ["-c", IMPORTS],
            "train --max-depth 8": ["-m", "spinney", *train],
            "train --max-depth 8 --model cart_full --no-cv": [
                *("-m", "spinney", *train, "--model", "cart_full", "--no-cv")
            ],
            "predict": ["-m", "spinney", "predict", "m.spinney", "table.csv", "--out", "p.csv"],
            "split": ["-m", "spinney", "split", "iris", "--train-out", "a", "--test-out", "b"],
            "datasets": ["-m", "spinney", "datasets"],
            "--help": ["-m", "spinney", "--help"],
        }
        rows = []
        for name, words in commands.items():
            best = min(processor_seconds(words, folder) for _ in range(repeats))
            rows.append([name, f"{best:.2f}"])
    show(f"Commands on {n_rows:,} rows of 21 columns: processor seconds", ["", "s"], rows)


def write_table(path, n_rows):
    """Write numbers, categories and gaps, and a target that some of them tell."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(n_rows, 14)).round(4)
    codes = random.integers(3 + 3 * np.arange(6), size=(n_rows, 6))
    score = numbers[:, 0] + 0.5 * numbers[:, 1] + (codes[:, 0] == 1) + random.normal(size=n_rows)
    gaps = random.random(n_rows) < 0.05
    columns = [list(map(str, numbers[:, k].tolist())) for k in range(14)]
    columns[13] = ["" if gap else cell for gap, cell in zip(gaps, columns[13], strict=True)]
    columns += [[f"cat_{code}" for code in codes[:, k].tolist()] for k in range(6)]
    columns.append(np.where(score > 1, "yes", "no").tolist())
    names = [*(f"n{k}" for k in range(14)), *(f"c{k}" for k in range(6)), "y"]
    lines = [",".join(names), *map(",".join, zip(*columns, strict=True))]
    path.write_text("\n".join(lines) + "\n")


def processor_seconds(words, folder):
    """Return what a process of Python takes, whatever else the machine does.

    Modules are compiled once, as those of an installed package are.
    """
    compiled = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled"),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env=os.environ | compiled,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def quick_command_line():
    command_line(20_000, 1)
