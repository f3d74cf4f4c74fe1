"""The pages on papers tell how they were made, and show what they point to."""

import re
from pathlib import Path

import pytest

from spinney._reproduce import PAPERS
from spinney._reproduce.runner import find_paper

FOLDER = Path(__file__).parents[2] / "docs" / "papers"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.stem in PAPERS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_the_command_and_every_table_and_figure(page) -> None:
    text = page.read_text(encoding="utf-8")
    paper = find_paper(page.stem)
    assert text.startswith(f"# {paper.title}\n")
    assert f"spinney reproduce {paper.name}" in text
    for part in paper.parts:
        assert f"## {part.name}: {part.title}" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_of_a_page_lead_somewhere(page) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def test_every_experiment_has_a_page() -> None:
    assert {page.stem for page in PAGES} == set(PAPERS)
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"[{name}]({name}.md)" in listed for name in PAPERS)
