"""Random survival forests against scikit-survival's, in one thread, concordance beside."""

import numpy as np

from benchmarks._measure import seconds, show
from spinney import RandomSurvivalForest


def lifetimes(n_rows, seed=0):
    """Return 20 numeric columns, and lifetimes that depend on five of them, a third censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 20))
    log_hazard = X[:, 0] + 0.5 * X[:, 1] - 0.7 * (X[:, 2] > 0) + 0.5 * X[:, 3] * X[:, 4]
    end, stop = rng.exponential(np.exp(-log_hazard)), rng.exponential(2.0, n_rows)
    y = np.empty(n_rows, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = end <= stop, np.minimum(end, stop)
    return X, y


def survival(n_rows=5_000, n_trees=100):
    X, y = lifetimes(n_rows)
    X_test, y_test = lifetimes(2_000, seed=1)
    rows = []
    fits = {}
    for criterion in ("logrank", "exponential"):
        fits[criterion] = seconds(
            lambda: RandomSurvivalForest(
                n_trees,
                criterion=criterion,  # noqa: B023
                oob_score=False,
                random_state=0,
            ).fit(X, y),
            1,
        )
    try:
        from sksurv.ensemble import RandomSurvivalForest as Peer

        peer = Peer(n_trees, random_state=0, n_jobs=1)
        fits["scikit-survival"] = seconds(lambda: peer.fit(X, y), 1)
    except ImportError:
        pass
    for name, (time, model) in fits.items():
        score = model.score(X_test, y_test)
        rows.append([name, f"{time:.2f}", f"{time / fits['logrank'][0]:.1f}", f"{score:.4f}"])
    show(
        f"{n_trees} survival trees, {n_rows:,} x 20",
        ["", "seconds", "times", "concordance"],
        rows,
    )
