"""Forests of 20 trees from Parquet files, beside LightGBM's and Spark's, in one run.

    python -m benchmarks.large_peers --rows 5_000_000 --folder /somewhere/with/room

The rows are those of `large_data.py`. Each fit runs in processes of its own, with two threads or
two workers, and reads the rows itself. Memory is anonymous memory of all its processes together, at
most; processor time is that of all of them. LightGBM grows random forests (`boosting="rf"`) by its
Dask estimator, and from text, which it reads twice so as not to hold it; Spark by `pyspark.ml`,
which needs Java. A way whose packages are not installed is left out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow.csv
import pyarrow.parquet

from benchmarks.large_data import N_COLUMNS, part, write

N_TREES, DEPTH, MAX_BINS, N_THREADS = 20, 12, 255, 2
_PER_NODE = 4  # columns that a node is offered: the square root of 20
LIGHTGBM = {
    "boosting": "rf",
    "objective": "binary",
    "max_depth": DEPTH,
    "num_leaves": 2**DEPTH,
    "max_bin": MAX_BINS,
    "bagging_fraction": 0.632,  # LightGBM draws without replacement
    "bagging_freq": 1,
    "feature_fraction_bynode": _PER_NODE / N_COLUMNS,
    "min_data_in_leaf": 1,
    "verbose": -1,
}


def features(data: Any) -> Any:
    """Return the columns of a table without the target."""
    return data.drop_columns(["y"])


def in_batches(folder: Path) -> Any:
    """Fit `spinney.batches`."""
    from spinney import RandomForestClassifier, batches

    forest = RandomForestClassifier(
        N_TREES, max_bins=MAX_BINS, max_depth=DEPTH, n_jobs=N_THREADS, random_state=0
    )
    batches.fit(forest, folder / "rows", target="y", folder=folder)
    return lambda test: forest.predict(features(test))


def on_dask(folder: Path) -> Any:
    """Fit `spinney.dask` with two worker processes."""
    import dask.dataframe as dd

    from spinney.dask import RandomForestClassifier

    with cluster():
        rows = dd.read_parquet(folder / "rows")
        forest = RandomForestClassifier(N_TREES, max_bins=MAX_BINS, max_depth=DEPTH, random_state=0)
        local = forest.fit(rows.drop(columns="y"), rows["y"]).to_local()
    return lambda test: local.predict(features(test))


def lightgbm_on_dask(folder: Path) -> Any:
    """Fit LightGBM's Dask estimator with two worker processes."""
    import dask.dataframe as dd
    import lightgbm

    settings = {name: value for name, value in LIGHTGBM.items() if name != "boosting"}
    with cluster() as client:
        rows = dd.read_parquet(folder / "rows").persist()  # or it takes the target's partitions
        forest = lightgbm.DaskLGBMClassifier(  # to be others than the table's
            boosting_type="rf", n_estimators=N_TREES, n_jobs=1, client=client, **settings
        )
        local = forest.fit(rows.drop(columns="y"), rows["y"]).to_local()
    return lambda test: local.predict(features(test).to_pandas())


def lightgbm_from_text(folder: Path) -> Any:
    """Fit LightGBM on a text file that it reads twice."""
    import lightgbm

    options = {"two_round": True, "header": False, "label_column": 0, "num_threads": N_THREADS}
    data = lightgbm.Dataset(str(folder / "rows.csv"), params=LIGHTGBM | options)
    booster = lightgbm.train(LIGHTGBM | options, data, N_TREES)
    return lambda test: booster.predict(features(test).to_pandas().to_numpy()) > 0.5


def by_spark(folder: Path) -> Any:
    """Fit Spark's random forest, with two threads of one Java machine."""
    from pyspark.ml.classification import RandomForestClassifier
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(f"local[{N_THREADS}]")
        .config("spark.driver.memory", "4g")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    names = [f"x{j}" for j in range(N_COLUMNS)]
    gather = VectorAssembler(inputCols=names, outputCol="features")
    forest = RandomForestClassifier(
        labelCol="y",
        numTrees=N_TREES,
        maxDepth=DEPTH,
        maxBins=MAX_BINS,
        featureSubsetStrategy="sqrt",
        seed=0,
    )
    model = forest.fit(gather.transform(spark.read.parquet(str(folder / "rows"))))

    def predict(test: Any) -> Any:
        pyarrow.parquet.write_table(test, folder / "test.parquet")
        rows = gather.transform(spark.read.parquet(str(folder / "test.parquet")))
        found = model.transform(rows).select("prediction").collect()
        return np.array([row.prediction for row in found])

    return predict


def cluster() -> Any:
    """Return a client of two worker processes of one thread each."""
    import distributed

    return distributed.Client(
        n_workers=N_THREADS, threads_per_worker=1, dashboard_address=None, silence_logs=50
    )


WAYS: dict[str, tuple[Callable[[Path], Any], tuple[str, ...]]] = {
    "spinney in batches": (in_batches, ()),
    "spinney on Dask": (on_dask, ("dask", "distributed")),
    "LightGBM on Dask": (lightgbm_on_dask, ("lightgbm", "dask", "distributed")),
    "LightGBM from text": (lightgbm_from_text, ("lightgbm",)),
    "Spark": (by_spark, ("pyspark",)),
}


def fit(name: str, folder: Path) -> None:
    """Fit in this process, and print seconds and accuracy."""
    began = time.monotonic()
    predict = WAYS[name][0](folder)
    seconds = time.monotonic() - began
    test = part(10**9, 100_000)
    accuracy = float(np.mean(predict(test) == test["y"].to_numpy()))
    print(json.dumps({"seconds": seconds, "accuracy": accuracy}), flush=True)


def watched(command: list[str]) -> dict[str, float]:
    """Run a command; return what it printed, its memory at most and its processor time."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    own, times, most = psutil.Process(process.pid), {}, 0
    while process.poll() is None:
        anonymous = 0
        for one in [own, *children_of(own)]:
            try:
                used = one.cpu_times()
                times[one.pid] = used.user + used.system
                anonymous += anonymous_bytes(one.pid)
            except (psutil.Error, OSError):
                continue
        most = max(most, anonymous)
        time.sleep(0.2)
    out = process.communicate()[0].splitlines()
    if process.returncode:
        return {"failed": float(process.returncode)}
    return json.loads(out[-1]) | {"cpu": sum(times.values()), "anonymous_gb": most / 2**30}


def children_of(process: psutil.Process) -> list[psutil.Process]:
    """Return the processes that a process started, and those that these did."""
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def anonymous_bytes(pid: int) -> int:
    """Return the anonymous memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def write_text(folder: Path) -> None:
    """Write the rows as text, the target first."""
    with (folder / "rows.csv").open("wb") as to:
        options = pyarrow.csv.WriteOptions(include_header=False)
        for file in sorted((folder / "rows").glob("*.parquet")):
            data = pyarrow.parquet.read_table(file)
            columns = ["y", *(name for name in data.column_names if name != "y")]
            pyarrow.csv.write_csv(data.select(columns), to, options)


def main() -> None:
    """Write the rows, and fit each way in processes of its own."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--rows", type=lambda text: int(text.replace("_", "")), default=1_000_000
    )
    arguments.add_argument("--folder", type=Path)
    arguments.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    arguments.add_argument("--run", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.run:
        fit(given.run, given.folder)
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        folder = Path(made)
        (folder / "rows").mkdir()
        write(folder / "rows", given.rows)
        if "LightGBM from text" in given.ways:
            write_text(folder)
        for name in given.ways:
            missing = [package for package in WAYS[name][1] if find_spec(package) is None]
            if missing:
                print(f"{name}: {missing[0]} is not installed")
                continue
            command = [sys.executable, "-m", "benchmarks.large_peers", "--run", name]
            found = watched([*command, "--folder", str(folder)])
            print(name, {key: round(value, 3) for key, value in found.items()}, flush=True)


if __name__ == "__main__":
    main()
