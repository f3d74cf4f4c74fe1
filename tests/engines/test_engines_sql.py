"""Queries for models of every kind, run by real engines, say what the models say."""

from typing import Any

import numpy as np
import pytest
from engine_models import KINDS, mild, random_model

from spinney.export import to_sql

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 20))]


def check(database: Any, model: Any, X: Any, table: str = "data", **options: Any) -> None:
    classes = getattr(model, "classes_", getattr(model, "classes", None))
    proba = classes is not None
    query = to_sql(
        model,
        table,
        dialect=database.dialect,
        keep=["row_key"],
        prediction="said",
        probabilities=proba,
        **options,
    )
    found = sorted(database.run(query))
    assert [row[0] for row in found] == list(range(len(X)))
    said = model.predict(X).tolist()
    if not proba:
        np.testing.assert_allclose([row[1] for row in found], said, rtol=1e-12)
        return
    assert [row[1] for row in found] == said
    shares = np.array([row[2:] for row in found], dtype=float)
    np.testing.assert_allclose(shares, model.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_engine_says_what_the_model_says(database, many_rows, kind, seed):
    model = random_model(kind, seed)
    if "evolved" in kind:
        check(database, model, mild(many_rows), "mild", strict=bool(seed % 2))
    else:
        check(database, model, many_rows, strict=bool(seed % 2))
