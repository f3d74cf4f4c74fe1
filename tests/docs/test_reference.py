"""The list of public names is that of the package."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_names_what_there_is() -> None:
    """After a change: `python docs/make_reference.py`."""
    made = runpy.run_path(str(DOCS / "make_reference.py"))["page"]()
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == made


def test_every_name_has_a_meaning() -> None:
    rows = (DOCS / "reference.md").read_text(encoding="utf-8").split("\n")
    names = [row for row in rows if row.startswith("| `")]
    assert len(names) > 100
    assert [row for row in names if not row.endswith(". |") or "new empty" in row] == []
