"""Time a forest as SQL, C and ONNX beside its own predict: `python -m benchmarks.handover`.

A forest of 100 trees of 1,000 leaves, by default on 1,000,000 rows in DuckDB and PostgreSQL; C and
predict run on one thread. Needs gcc, duckdb, psycopg and PostgreSQL; what is missing is left out.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spinney import RandomForestClassifier
from spinney.export import to_c, to_json, to_onnx, to_pmml, to_sql

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "engines"))

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "model.h"
int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 0;
  double *rows = malloc(sizeof(double) * (size_t)n * model_n_features);
  long i, total = 0;
  const size_t got = fread(rows, sizeof(double), (size_t)n * model_n_features, stdin);
  const clock_t begin = clock();
  for (i = 0; i < n; ++i) total += model_predict(rows + i * model_n_features);
  printf("%ld %f %ld\\n", total, (double)(clock() - begin) / CLOCKS_PER_SEC, (long)got);
  free(rows);
  return 0;
}
"""


def table(n_rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Return numbers with a few gaps, and two classes that no small tree tells apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 8))
    score = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2
    y = np.where(score + rng.normal(0, 0.5, n_rows) > 0.5, "yes", "no")
    X[rng.random(X.shape) < 0.02] = np.nan
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(8)]), y


def in_c(model: Any, values: Any) -> tuple[float, int]:
    """Return the seconds of the compiled header, and the number of rows that it calls yes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "model.h").write_text(to_c(model))
        (place / "main.c").write_text(PROGRAM)
        make = ["gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "main.c", "-o", "main"]
        subprocess.run(make, cwd=place, check=True)
        run = [str(place / "main"), str(len(values))]
        said = subprocess.run(run, input=values.tobytes(), capture_output=True, check=True)
    total, seconds, _ = said.stdout.split()
    return float(seconds), int(total)


def own(model: Any, values: Any) -> float:
    """Return the processor time of predict on one thread."""
    begin = time.process_time()
    model.predict(values)
    return time.process_time() - begin


def in_database(model: Any, dialect: str, X: pd.DataFrame) -> tuple[float, int]:
    """Return the seconds that a database takes for all rows, and how many it calls yes."""
    from databases import opened

    with opened(dialect) as database:
        database.make_table("data", X)
        query = to_sql(model, "data", dialect=dialect)
        begin = time.perf_counter()
        counted = f"SELECT COUNT(*) FROM ({query}) AS scored WHERE prediction = 'yes'"
        found = database.run(counted)
        return time.perf_counter() - begin, int(found[0][0])


def print_sizes(model: Any) -> None:
    """Print how large the model is in each form."""
    for name, size in (
        ("SQL", len(to_sql(model, dialect="postgresql"))),
        ("C", len(to_c(model))),
        ("JSON", len(to_json(model))),
        ("PMML", len(to_pmml(model))),
        ("ONNX", len(to_onnx(model).SerializeToString())),
    ):
        print(f"{name}: {size / 1e6:.1f} MB", flush=True)


def main() -> None:
    """Print sizes, times and whether the answers agree."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--engines", nargs="*", default=["duckdb", "postgresql"])
    options.add_argument("--no-sizes", action="store_true")
    given = options.parse_args()
    X, y = table(40_000, 0)
    model = RandomForestClassifier(
        100, max_leaf_nodes=1000, random_state=0, oob_score=False, n_jobs=1
    ).fit(X, y)
    leaves = [tree.n_leaves for tree in model.forest_]
    print(f"{len(leaves)} trees of {np.mean(leaves):.0f} leaves")
    if not given.no_sizes:
        print_sizes(model)
    rows, _ = table(given.rows, 1)
    some = np.ascontiguousarray(rows.to_numpy()[:100_000])
    frame = rows[:100_000]
    yes = int((model.predict(frame) == "yes").sum())
    pairs = [(in_c(model, some), own(model, frame)) for _ in range(3)]
    times, ours = [c for (c, _), _ in pairs], [o for _, o in pairs]
    assert pairs[0][0][1] == yes
    print(f"{len(some)} rows on one thread: C {min(times):.2f} s, predict {min(ours):.2f} s")
    for dialect in given.engines:
        seconds, found = in_database(model, dialect, rows)
        same = found == int((model.predict(rows) == "yes").sum())
        print(f"{dialect}: {len(rows)} rows in {seconds:.0f} s; same: {same}", flush=True)


if __name__ == "__main__":
    main()
