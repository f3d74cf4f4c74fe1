"""The peers, each as fit(X, y) -> predict; a peer that is not installed is left out."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from spinney import CARTClassifier, CARTRegressor


def spinney_fit(X, y, **options):
    return CARTClassifier(max_surrogates=options.pop("max_surrogates", 0), **options).fit(X, y)


def spinney_regression(X, y, **options):
    return CARTRegressor(max_surrogates=options.pop("max_surrogates", 0), **options).fit(X, y)


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


def ydf_table(X):
    """Return columns by name; those of a table that has names already are left alone."""
    return X if isinstance(X, dict) else {f"x{j}": X[:, j] for j in range(X.shape[1])}


def ydf_accuracy(model, X, y):
    return float(np.mean((model.predict(ydf_table(X)) > 0.5) == y))


def ydf_forest(X, y, n_trees, num_threads=1, **options):
    """YDF's random forest, grown like the others; None if YDF is not installed."""
    try:
        import ydf
    except ImportError:
        return None
    ydf.verbose(0)
    return ydf.RandomForestLearner(
        label="y",
        num_trees=n_trees,
        max_depth=-1,
        min_examples=1,
        num_threads=num_threads,
        compute_oob_performances=False,
        **options,
    ).train(ydf_table(X) | {"y": y})


_RPART = """
library(rpart)
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
data$y <- factor(data$y)
control <- rpart.control(cp = 0, xval = 10, minsplit = 2, minbucket = 1, maxcompete = 0,
                         maxsurrogate = as.integer(arguments[2]))
set.seed(1)
cat(sum(system.time(rpart(y ~ ., data, method = "class", control = control))[1:2]), "\\n")
"""


_RANGER = """
library(ranger)
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
data$y <- factor(data$y)
fit <- function() ranger(y ~ ., data, num.trees = as.integer(arguments[2]), num.threads = 1,
                         mtry = as.integer(arguments[3]), min.node.size = 1)
times <- replicate(2, system.time(fit())[["elapsed"]])
cat(min(times), "\\n")
"""


def rpart_seconds(X, y, max_surrogates):
    """Processor seconds of R's rpart to grow and cross-validate; None without R or rpart."""
    return _r_seconds(_RPART, X, y, max_surrogates)


def ranger_seconds(X, y, n_trees, mtry):
    """Seconds that R's ranger takes; None without R or ranger."""
    return _r_seconds(_RANGER, X, y, n_trees, mtry)


def _r_seconds(program, X, y, *arguments):
    """Run a program of R on a table; it prints seconds."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        table, script = Path(folder, "table.csv"), Path(folder, "time.R")
        heads = ",".join([*(f"x{j}" for j in range(X.shape[1])), "y"])
        np.savetxt(table, np.column_stack([X, y]), delimiter=",", header=heads, comments="")
        script.write_text(program)
        done = subprocess.run(
            ["Rscript", str(script), str(table), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None
