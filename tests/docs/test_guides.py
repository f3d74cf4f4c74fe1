"""What the pages of the guide show is what happens."""

import re
from pathlib import Path

import pytest
from page_blocks import FENCED, read_blocks, run_page

DOCS = Path(__file__).parents[2] / "docs"

PAGES = [
    *sorted((DOCS / "guide").glob("*.md")),
    *sorted((DOCS / "how_to").glob("*.md")),
    *sorted((DOCS / "coming_from").glob("*.md")),
    DOCS / "index.md",
    DOCS / "tutorial.md",
]
HUBS = [DOCS / f"{name}.md" for name in ("guide", "how_to", "coming_from", "project")]
PROSE = [DOCS / f"{name}.md" for name in ("benchmarks", "comparison", "how_it_works", "install")]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_print_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for package in re.findall(r"^<!-- needs (\w+) -->$", page.read_text("utf-8"), re.MULTILINE):
        pytest.importorskip(package)
    n_run = 0
    for block, printed in run_page(page, tmp_path):
        assert printed == block.shown, f"{page.name}, line {block.line}"
        n_run += 1
    assert n_run > 0


@pytest.mark.parametrize("page", [*PAGES, *HUBS, *PROSE], ids=lambda page: page.stem)
def test_every_file_that_is_linked_exists(page: Path) -> None:
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose)
    links = [link for link in links if not link.startswith("auto_gallery/")]  # made by the build
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_output_belongs_to_the_block_right_before_it() -> None:
    page = "```python\nprint(1)\n```\n\n```text\n1\n```\n\nWords.\n\n```text\n2\n```\n"
    run, alone = read_blocks(page)
    assert (run.text, run.shown, run.line) == ("print(1)\n", "1\n", 1)
    assert (alone.language, alone.shown) == ("text", "")


def test_a_block_that_names_a_file_is_no_output() -> None:
    page = "```python\npass\n```\n\n```c\n/* main.c */\nint x;\n```\n"
    run, file = read_blocks(page)
    assert run.shown == ""
    assert file.file == "main.c"


def test_a_page_that_shows_something_else_is_found_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\n```text\n2\n```\n", encoding="utf-8")
    ((block, printed),) = run_page(page, tmp_path)
    assert (block.shown, printed) == ("2\n", "1\n")


@pytest.mark.parametrize("hub", ["guide", "how_to", "coming_from"])
def test_the_list_of_a_hub_names_every_page(hub: str) -> None:
    text = (DOCS / f"{hub}.md").read_text(encoding="utf-8")
    listed = re.findall(rf"\]\({hub}/(\w+)\.md\)", text)
    assert sorted(set(listed)) == sorted(page.stem for page in (DOCS / hub).glob("*.md"))
