"""One table in every database, for all models."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from databases import KINDS, Database, opened
from engine_models import hard_rows, mild

N_ROWS = int(os.environ.get("SPINNEY_ENGINE_ROWS", "20000"))


@pytest.fixture(scope="session")
def many_rows():
    """Rows that are hard on engines."""
    return hard_rows(N_ROWS, 1234, new=True)


@pytest.fixture(scope="session", params=KINDS)
def database(request: pytest.FixtureRequest, many_rows) -> Iterator[Database]:
    """A database with these rows in the table data, and without the far ones in mild."""
    with opened(request.param) as found:
        found.make_table("data", many_rows)
        found.make_table("mild", mild(many_rows))
        yield found
