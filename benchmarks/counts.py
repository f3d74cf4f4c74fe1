"""Poisson trees against squared error, and against scikit-learn's, in one thread."""

import numpy as np
from sklearn.metrics import mean_poisson_deviance
from sklearn.tree import DecisionTreeRegressor

from benchmarks._measure import seconds, show
from spinney import CARTRegressor

_LEAST = 1e-9  # a rate of 0 is judged as this one


def claims(n_rows, seed=0):
    """Return 20 numeric columns, exposures, and counts that depend on three of the columns."""
    rng = np.random.default_rng(seed)
    X, exposure = rng.normal(size=(n_rows, 20)), rng.uniform(0.1, 1.0, n_rows)
    rate = 0.3 * np.exp(0.5 * X[:, 0] - 0.3 * X[:, 1] + 0.4 * (X[:, 2] > 0))
    return X, exposure, rng.poisson(exposure * rate).astype(float), rng.poisson(rate).astype(float)


def counts(n_rows=100_000):
    rows = []
    X, exposure, exposed, plain = claims(n_rows)
    X_test, _, _, y_test = claims(n_rows, seed=1)
    for words, limits in [
        ("fully grown", {}),
        ("leaves of 50 rows", {"min_samples_leaf": 50}),
        ("leaves of 200 rows", {"min_samples_leaf": 200}),
        ("depth 8", {"max_depth": 8}),
        ("depth 8, 255 bins", {"max_depth": 8, "max_bins": 255}),
    ]:

        def tree(criterion, limits=limits):
            return CARTRegressor(criterion, max_surrogates=0, **limits)

        squares, _ = seconds(lambda: tree("squared_error").fit(X, plain))
        ours, model = seconds(lambda: tree("poisson").fit(X, plain))
        told, _ = seconds(lambda: tree("poisson").fit(X, exposed, exposure=exposure))
        heavy, _ = seconds(lambda: tree("squared_error").fit(X, exposed / exposure, exposure))
        known = {name: limit for name, limit in limits.items() if name != "max_bins"}
        theirs, peer = seconds(
            lambda: DecisionTreeRegressor(criterion="poisson", **known).fit(X, plain),  # noqa: B023
            1,
        )
        drawn = CARTRegressor("poisson", max_surrogates=0, prior_cv=1.0, **limits).fit(X, plain)
        deviances = [
            mean_poisson_deviance(y_test, np.maximum(fitted.predict(X_test), _LEAST))
            for fitted in (model, drawn, peer)
        ]
        rows.append(
            [
                words,
                f"{ours:.3f}",
                f"{ours / squares:.2f}",
                f"{told / heavy:.2f}",
                f"{theirs / ours:.1f}",
                *(f"{deviance:.3f}" for deviance in deviances),
            ]
        )
    show(
        f"Poisson, {n_rows:,} x 20: times of squared error, with exposure of that with weights",
        [
            "",
            "seconds",
            "of squares",
            "exposed",
            "scikit-learn x",
            "deviance",
            "with a prior",
            "sk",
        ],
        rows,
    )
