"""The list of public names is that of the package."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MAKER = runpy.run_path(str(DOCS / "make_reference.py"))


def test_the_reference_names_what_there_is() -> None:
    """After a change: `python docs/make_reference.py`."""
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == MAKER["page"]()


def test_the_reference_names_what_there_is_for_dask() -> None:
    pytest.importorskip("dask", reason="needs Dask")
    ((module, names),) = MAKER["public_names"](["spinney.dask"])
    assert MAKER["DASK"] == MAKER["section"](module, names)


def test_every_name_has_a_meaning() -> None:
    rows = (DOCS / "reference.md").read_text(encoding="utf-8").split("\n")
    names = [row for row in rows if row.startswith("| `")]
    assert len(names) > 100
    assert [row for row in names if not row.endswith(". |") or "new empty" in row] == []
