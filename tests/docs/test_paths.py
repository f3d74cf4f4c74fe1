"""Pages for those who change the code name files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "how_it_works.md"]
# A path is told from the root of the project, or from the folder that a section is about.
PLACES = [ROOT, ROOT / "cpp", ROOT / "cpp" / "spinney", ROOT / "src" / "spinney"]


def paths_in(text: str) -> set[str]:
    """Return what is written as code and has a folder, but for patterns."""
    named = re.findall(r"`([\w.]+(?:/[\w.{},]+)+/?)`", text)
    return {path for path in named if "{" not in path}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_path_exists(page: Path) -> None:
    paths = paths_in(page.read_text(encoding="utf-8"))
    assert len(paths) > 10
    missing = [path for path in paths if not any(found(place, path) for place in PLACES)]
    assert sorted(missing) == []


def found(place: Path, path: str) -> bool:
    """Whether a file, a folder, or a header with its source of that name is there."""
    return (place / path).exists() or any((place / path).parent.glob(f"{Path(path).name}.?pp"))


def test_a_file_that_is_gone_is_found_out() -> None:
    assert paths_in("see `grow/gone.cpp` and `prune/<name>.cpp`, `a.b`") == {"grow/gone.cpp"}
    assert not any(found(place, "grow/gone.cpp") for place in PLACES)
