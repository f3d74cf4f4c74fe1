"""Memory and time of fits on Parquet files in batches, beside the same fit on the whole table.

    python benchmarks/large_data.py --rows 50_000_000 --folder /somewhere/with/20/GB

Each fit runs in a process of its own, which is asked for its memory ten times a second: anonymous
memory is what it holds; mapped pages of files are the system's to drop.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

N_COLUMNS = 20
_PART = 1_000_000  # rows of a file


def part(first: int, n_rows: int) -> pa.Table:
    """Return some rows: 20 columns of numbers, two of few values, and two classes."""
    random = np.random.default_rng(first)
    X = random.normal(size=(n_rows, N_COLUMNS)).astype(np.float32)
    X[:, 18] = np.round(X[:, 18])
    X[:, 19] = np.floor(3 * X[:, 19])
    score = X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 18] > 0) + random.normal(size=n_rows)
    columns = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    return pa.table({**columns, "y": (score > 0.5).astype(np.int8)})


def write(folder: Path, n_rows: int) -> None:
    """Write the rows into files of a million each, unless they are there."""
    for i, first in enumerate(range(0, n_rows, _PART)):
        file = folder / f"part{i:04}.parquet"
        if not file.exists():
            pyarrow.parquet.write_table(part(first, min(_PART, n_rows - first)), file)


class Memory(threading.Thread):
    """Remembers the most memory that this process had."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.anonymous = self.mapped = 0

    def run(self) -> None:
        """Look ten times a second."""
        while True:
            lines = Path("/proc/self/status").read_text().splitlines()
            now = {
                line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith("Rss")
            }
            self.anonymous = max(self.anonymous, now["RssAnon"])
            self.mapped = max(self.mapped, now["RssFile"])
            time.sleep(0.1)


def fit(how: str, kind: str, folder: Path, spool: str | None, threads: int) -> None:
    """Fit in this process and print what it took."""
    from spinney import CARTClassifier, RandomForestClassifier, batches

    memory = Memory()
    memory.start()
    began, cpu = time.monotonic(), time.process_time()
    model = CARTClassifier(max_bins=255, max_depth=12, n_jobs=threads)
    if kind == "forest":
        model = RandomForestClassifier(
            20, max_bins=255, max_depth=12, n_jobs=threads, random_state=0, oob_score=False
        )
    if how == "batches":
        batches.fit(model, folder, target="y", folder=spool)
    else:
        data = pyarrow.parquet.read_table(folder)
        model.fit(data.drop_columns(["y"]), data["y"].to_numpy())
    took = {"seconds": time.monotonic() - began, "cpu": time.process_time() - cpu}
    test = part(10**9, 100_000)
    score = model.score(test.drop_columns(["y"]), test["y"].to_numpy())
    gigabytes = {"anonymous_gb": memory.anonymous / 2**20, "mapped_gb": memory.mapped / 2**20}
    print(json.dumps({"how": how, "kind": kind, **took, **gigabytes, "accuracy": score}))


def main() -> None:
    """Write the files, and fit in processes of their own."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--rows", type=lambda text: int(text.replace("_", "")), default=5_000_000
    )
    arguments.add_argument("--folder", type=Path)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--whole", action="store_true", help="also on the whole table")
    arguments.add_argument("--run", nargs=2, metavar=("HOW", "KIND"), help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.run:
        fit(*given.run, given.folder / "rows", str(given.folder), given.threads)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        folder = Path(given.folder or made)
        (folder / "rows").mkdir(exist_ok=True)
        write(folder / "rows", given.rows)
        for how in ["batches", *(["whole"] if given.whole else [])]:
            for kind in ("tree", "forest"):
                own = [sys.executable, __file__, "--folder", str(folder), "--run", how, kind]
                subprocess.run([*own, "--threads", str(given.threads)], check=True)


if __name__ == "__main__":
    main()
