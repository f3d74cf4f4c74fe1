"""Pages for those who change the code name files, folders and names that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "how_it_works.md"]
# A path starts at the root of the project, or at the folder that a section is about.
PLACES = [ROOT, ROOT / "cpp", ROOT / "cpp" / "spinney", ROOT / "src" / "spinney"]
ENDINGS = ("py", "pyi", "cpp", "hpp", "js", "toml", "md")
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def spans_in(text: str) -> set[str]:
    """Return what is written as code within a line."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)))


def paths_in(text: str) -> set[str]:
    """Return spans that have a folder; of patterns such as `prune/<name>.cpp` the folder."""
    paths = {span for span in spans_in(text) if re.fullmatch(r"[\w.]+(/[\w.<>{},]+)+/?|\w+/", span)}
    return {re.sub(r"[^/]*<.*", "", path) for path in paths}


def files_in(text: str) -> set[str]:
    """Return spans that are a file name alone."""
    return {span for span in spans_in(text) if re.fullmatch(rf"\w+\.({'|'.join(ENDINGS)})", span)}


def names_in(text: str) -> set[str]:
    """Return the identifiers of spans that are a name, a member, a call or a setting."""
    spans = spans_in(text) - files_in(text)
    shape = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*)(?:\(.*\)|\[\w+\]|=.*)?(?:\.\w+\(.*\))?")
    matches = (shape.fullmatch(span) for span in spans)
    return {name for match in matches if match for name in match[1].split(".")}


@cache
def file_names() -> frozenset[str]:
    folders = ("src", "cpp", "tests")
    return frozenset(file.name for folder in folders for file in (ROOT / folder).rglob("*.*"))


@cache
def identifiers() -> frozenset[str]:
    files = [
        file
        for folder in ("src", "cpp", "tests")
        for ending in ("py", "cpp", "hpp")
        for file in (ROOT / folder).rglob(f"*.{ending}")
        if file != Path(__file__)
    ]
    return frozenset(
        name for file in files for name in re.findall(r"\w+", file.read_text(encoding="utf-8"))
    )


def found(place: Path, path: str) -> bool:
    """Whether a file, a folder, or a header with its source of that name is there."""
    return (place / path).exists() or any((place / path).parent.glob(f"{Path(path).name}.?pp"))


def missing_in(text: str) -> list[str]:
    """Return what a page names and is not there."""
    paths = [path for path in paths_in(text) if not any(found(place, path) for place in PLACES)]
    folders = [path for path in paths if not any((ROOT / "src").rglob(path.rstrip("/")))]
    return sorted({*folders, *(files_in(text) - file_names()), *(names_in(text) - identifiers())})


@every_page
def test_every_path_and_name_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(paths_in(text)) > 10
    assert len(names_in(text)) > 10
    assert missing_in(text) == []


def test_what_is_gone_is_found_out() -> None:
    assert missing_in("`src/spinney/_params.py`, `registry.hpp`, `PARAMETERS`, `x is known`") == []
    gone = ["grow/gone.cpp", "gone_folder/", "_gone.py", "Gone" + "Learner", "_gone" + "_step"]
    text = f"`{gone[0]}`, `gone_folder/<name>.py`, `_gone.py`, `{gone[3]}.fit`, `Tree.{gone[4]}(a)`"
    assert missing_in(text) == sorted(gone)
