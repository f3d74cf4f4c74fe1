"""The examples of the gallery are whole; `nox -s docs` runs them, and fails if one does."""

import ast
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted((DOCS / "gallery").rglob("*.py"))


def test_there_are_enough_of_them() -> None:
    assert len(SCRIPTS) >= 25


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_compiles_has_a_title_and_imports_what_is_there(script: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    title, line, *_ = (ast.get_docstring(tree) or "").split("\n")
    assert title
    assert re.fullmatch("=+", line)
    assert len(line) == len(title)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spinney"):
            module = __import__(node.module, fromlist=["x"])
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


def test_no_two_examples_have_the_same_title() -> None:
    titles = [script.read_text(encoding="utf-8").split("\n")[1] for script in SCRIPTS]
    assert len(set(titles)) == len(titles)


def test_every_folder_has_its_words() -> None:
    for folder in {script.parent for script in SCRIPTS}:
        assert (folder / "README.txt").exists(), folder.name
