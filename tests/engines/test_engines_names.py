"""Names that are hard to quote, in every database: right answers, or a refusal in words."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "export"))

from databases import Database
from hostile_names import KINDS, NAMES, PAIRS, Hostile, hostile

from spinney.export import to_sql

pytestmark = pytest.mark.slow
LONGEST = {"postgresql": 63, "mysql": 64}


def refused(dialect: str, kind: str, name: str, other: str, probabilities: bool) -> str | None:
    """What the refusal must say; None if there must be none."""
    is_column = kind.startswith("column")
    said = [name, other] if is_column else [f"probability_{name}", f"probability_{other}"]
    named = is_column or (probabilities and kind.startswith("class"))
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in name + other):
        return "cannot hold|limits names to"  # whatever is seen first
    if named and dialect in LONGEST:
        sizes = [len(t.encode()) if dialect == "postgresql" else len(t) for t in said]
        if max(sizes) > LONGEST[dialect]:
            return "limits names to"
    if is_column and dialect != "postgresql" and name.casefold() == other.casefold():
        return "one and the same"
    if named and "" in said and dialect != "sqlite":
        return "an empty name"
    if named and dialect == "mysql":
        if any(ord(char) > 0xFFFF for char in name + other):
            return "cannot hold the character"
        if any(text.endswith(" ") for text in said):
            return "ends in a blank"
    return None


def answers(database: Database, case: Hostile, query: str) -> list[tuple[Any, ...]]:
    rows = pd.DataFrame(case.asked)
    try:
        database.make_table("hostile", rows)
        return sorted(database.run(query), key=lambda row: row[0])
    finally:
        database.run("DROP TABLE IF EXISTS hostile")


def check(database: Database, kind: str, name: str, other: str, strict: bool) -> None:
    """Compare a query with its model, unless it is refused."""
    case = hostile(kind, name, other)
    probabilities = strict
    options: dict[str, Any] = {
        "dialect": database.dialect,
        "keep": ["row_key"],
        "strict": strict,
        "probabilities": probabilities,
    }
    match = refused(database.dialect, kind, name, other, probabilities)
    if match is not None:
        with pytest.raises(ValueError, match=match):
            to_sql(case.model, "hostile", **options)
        return
    found = answers(database, case, to_sql(case.model, "hostile", **options))
    assert [row[0] for row in found] == list(range(len(case.said)))
    case.check_answers([row[1] for row in found])
    if probabilities:
        shares = np.array([row[2:] for row in found], dtype=float)
        np.testing.assert_allclose(shares, case.model.predict_proba(case.asked), atol=1e-12)


@pytest.mark.parametrize("strict", [False, pytest.param(True, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_name(database, kind, name, strict):
    check(database, kind, NAMES[name], f"{NAMES[name]}x", strict)


@pytest.mark.parametrize("strict", [False, pytest.param(True, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("kind", KINDS)
def test_names_that_are_alike(database, kind, pair, strict):
    check(database, kind, *PAIRS[pair], strict)


any_name = st.text(st.characters(codec=None, exclude_categories=()), max_size=25)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(any_name, st.sampled_from(KINDS), st.booleans())
def test_any_name(database, name, kind, strict):
    check(database, kind, name, f"{name}x", strict)
