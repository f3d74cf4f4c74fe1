"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest
from page_blocks import run_page

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def text() -> str:
    return README.read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def test_the_examples_print_what_is_shown(tmp_path: Path) -> None:
    run = list(run_page(README, tmp_path, languages=("python",)))
    assert len(run) == 1
    for block, printed in run:
        assert printed == block.shown, f"line {block.line}"


def test_there_are_two_commands_to_set_up(text: str) -> None:
    assert blocks(text, "sh") == [
        "pip install . && spinney compare heart_disease\n",
        "pip install '.[test]' && pytest -n auto\n",
    ]


def test_it_fits_a_screen(text: str) -> None:
    (code,) = blocks(text, "python")
    assert len([line for line in code.splitlines() if line.strip()]) == 5
    assert len(text.splitlines()) <= 70


def test_every_file_that_is_linked_exists(text: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
