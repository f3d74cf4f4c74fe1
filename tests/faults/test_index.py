"""The list of cases names every file of the folder, and no other."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent


def test_every_file_of_cases_is_listed_and_exists():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\| (\S+\.py) \|$", text, flags=re.MULTILINE))
    assert [name for name in sorted(named) if not (FOLDER / name).exists()] == []
    here = {path.name for path in FOLDER.glob("test_*.py")} - {Path(__file__).name}
    assert here - named == set()
