"""What is sent on Dask: as many bytes as the guide's cost model says."""

from typing import Any

import numpy as np
import pytest

from spinney import CARTClassifier, CARTRegressor, _core, _growth_planner

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array")

import spinney.dask as on_dask  # noqa: E402
from spinney.dask import _blocks  # noqa: E402

pytestmark = pytest.mark.slow
N_ROWS, N_COLUMNS, N_PARTS, DEPTH = 80_000, 6, 5, 4  # no node at that depth is small


@pytest.mark.parametrize("kind", ["two classes", "four classes", "weights", "number"])
def test_a_level_sends_what_the_cost_model_says(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(N_ROWS, N_COLUMNS))
    signal = X[:, 0] + 0.7 * X[:, 1] - 0.5 * X[:, 2] + random.normal(size=N_ROWS)
    n_classes = 4 if kind == "four classes" else 2
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    weight = random.random(N_ROWS) + 0.5 if kind == "weights" else None
    model: Any = on_dask.CARTRegressor if kind == "number" else on_dask.CARTClassifier
    received, sent = [], []

    class Counting(_core.Planner):
        def receive(self, answer: bytes) -> None:
            received.append(len(answer))
            super().receive(answer)

    def count(*arguments: Any) -> list[bytes]:
        answers = counted(*arguments)
        sent.append(sum(map(len, answers)))
        return answers

    def go_on(*arguments: Any) -> Any:
        step = gone_on(*arguments)
        sent.append(sum(map(len, step[1])))
        return step

    counted, gone_on = _blocks.count, _blocks.go_on
    monkeypatch.setattr(_growth_planner._core, "Planner", Counting)
    monkeypatch.setattr(_blocks, "count", count)
    monkeypatch.setattr(_blocks, "go_on", go_on)
    fitted = model(max_bins=255, max_depth=DEPTH, missing="majority")
    with dask.config.set(scheduler="synchronous"):
        parts = da.from_array(X, chunks=(-(-N_ROWS // N_PARTS), N_COLUMNS))
        fitted.fit(parts, signal if kind == "number" else y, weight)
    namesake = CARTRegressor if kind == "number" else CARTClassifier
    assert isinstance(fitted.to_local(), namesake)
    assert fitted.tree_.n_leaves == 2**DEPTH  # all nodes of all levels are counted
    numbers = {"two classes": 2, "four classes": 4, "weights": 3, "number": 2}[kind]
    by_model = [8 * numbers * 256 * N_COLUMNS * max(1, 2**level // 2) for level in range(DEPTH)]
    *levels, last = received  # a round divides the nodes of a level and counts those of the next
    assert levels == pytest.approx(by_model, rel=0.2)
    assert last < 0.05 * sum(by_model)  # nothing but the sums of children
    by_level = np.array(sent).reshape(DEPTH + 1, N_PARTS)[:DEPTH]
    np.testing.assert_allclose(by_level, np.tile(by_model, (N_PARTS, 1)).T, rtol=0.2)
