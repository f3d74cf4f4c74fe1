"""Growing and choosing the size by 10-fold cost-complexity pruning."""

import numpy as np

from benchmarks._data import numeric
from benchmarks._measure import seconds, show
from benchmarks.peers import rpart_seconds
from spinney import CARTClassifier


def sklearn_loop(X, y):
    """Do what a scikit-learn user writes: a path, then every alpha on every fold."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    alphas = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas
    alphas = np.unique(np.quantile(alphas, np.linspace(0, 1, 20)))
    errors = np.zeros(len(alphas))
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        for k, alpha in enumerate(alphas):
            tree = DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(X[train], y[train])
            errors[k] += (tree.predict(X[test]) != y[test]).sum()
    best = DecisionTreeClassifier(ccp_alpha=alphas[errors.argmin()], random_state=0)
    return best.fit(X, y)


def selection(n_rows=20_000, with_loop=True):
    X, y = numeric(n_rows)
    rows = []
    for surrogates in (0, 5):
        ours, model = seconds(
            lambda: CARTClassifier(
                pruning="cost_complexity",
                max_surrogates=surrogates,  # noqa: B023
                random_state=0,
            ).fit(X, y),
            2,
        )
        theirs = rpart_seconds(X, y, surrogates)
        rows.append(
            [
                f"{surrogates} surrogates",
                f"{ours:.2f}",
                model.tree_.n_leaves,
                f"{theirs / ours:.1f}" if theirs else "-",
                "",
            ]
        )
        if with_loop and surrogates == 0:
            loop, _ = seconds(lambda: sklearn_loop(X, y), 1)
            rows[0][-1] = f"{loop / ours:.0f}"
    show(
        f"10-fold cost-complexity selection, {n_rows:,} x 20 (rpart: all its alphas; "
        "scikit-learn: a loop over 20 alphas)",
        ["", "spinney s", "leaves", "rpart x", "scikit-learn loop x"],
        rows,
    )
