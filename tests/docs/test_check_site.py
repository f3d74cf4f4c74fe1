"""The check of the built site finds links that lead nowhere."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
problems = runpy.run_path(str(DOCS / "check_site.py"))["problems"]


def test_links_that_lead_somewhere_pass(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<i id="x"></i><a href="a/b.html#y">2</a><a href="#x">3</a>'
    )
    (tmp_path / "a" / "b.html").write_text('<p id="y"></p><a href="../#x">4</a><img src="c.png">')
    (tmp_path / "a" / "c.png").write_bytes(b"")
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<a href="gone.html">1</a>', "index.html: gone.html leads nowhere"),
        ('<a href="#gone">1</a>', "index.html: #gone leads nowhere"),
        ('<img src="gone.png">', "index.html: gone.png leads nowhere"),
        (
            '<script src="https://a.example/x.js"></script>',
            "index.html: loads https://a.example/x.js",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, page: str, expected: str) -> None:
    (tmp_path / "index.html").write_text(page)
    assert problems(tmp_path) == [expected]


def test_links_to_other_sites_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="https://a.example/">1</a>')
    assert problems(tmp_path) == []
