"""The peers, each as fit(X, y) -> predict; a peer that is not installed is left out."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from spinney import CARTClassifier


def spinney_fit(X, y, **options):
    return CARTClassifier(max_surrogates=options.pop("max_surrogates", 0), **options).fit(X, y)


def sklearn_fit(X, y, **options):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0, **options).fit(X, y)


def ydf_fit(X, y, **options):
    """YDF's CART, fully grown like the others; None if YDF is not installed."""
    try:
        import ydf
    except ImportError:
        return None
    ydf.verbose(0)
    table = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    return ydf.CartLearner(
        label="y",
        max_depth=-1,
        min_examples=1,
        validation_ratio=0.0,
        num_threads=1,
        **options,
    ).train(table)


def ydf_accuracy(model, X, y):
    table = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return float(np.mean((model.predict(table) > 0.5) == y))


_RPART = """
library(rpart)
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
data$y <- factor(data$y)
control <- rpart.control(cp = 0, xval = 10, minsplit = 2, minbucket = 1, maxcompete = 0,
                         maxsurrogate = as.integer(arguments[2]))
set.seed(1)
cat(system.time(rpart(y ~ ., data, method = "class", control = control))[["elapsed"]], "\\n")
"""


def rpart_seconds(X, y, max_surrogates):
    """Seconds that R's rpart takes to grow and cross-validate; None without R or rpart."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        table, script = Path(folder, "table.csv"), Path(folder, "time.R")
        heads = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=heads, comments="")
        script.write_text(_RPART)
        done = subprocess.run(
            ["Rscript", str(script), str(table), str(max_surrogates)],
            capture_output=True,
            text=True,
            check=False,
        )
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None
