"""Make this tree a release: `python docs/make_release.py 0.2.0`. Needs towncrier.

The version is written wherever it stands, and what is in changelog.d/ moves into CHANGELOG.md.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The files that name the version, each with what stands before and behind it.
PLACES = {
    "pyproject.toml": ('\nversion = "', '"\n'),
    "CITATION.cff": ("\nversion: ", "\n"),
    "src/spinney/__init__.py": ('\n__version__ = "', '"\n'),
    "docs/guide/rules_to_sql.md": (" by spinney ", ".\n"),
}


def rewrite(root: Path, old: str, new: str) -> None:
    """Write another version wherever the old one stands."""
    for name, (before, behind) in PLACES.items():
        path = root / name
        text = path.read_text(encoding="utf-8")
        if before + old + behind not in text:
            raise SystemExit(f"{name} does not name version {old}")
        text = text.replace(before + old + behind, before + new + behind)
        path.write_text(text, encoding="utf-8")


def present_version(root: Path) -> str:
    """Return the version that pyproject.toml names."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "(.+)"$', text, flags=re.MULTILINE)
    if found is None:
        raise SystemExit("pyproject.toml names no version")
    return found[1]


def main(words: list[str]) -> None:
    """Read the version from the command line, and do it."""
    if len(words) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+", words[0]):
        raise SystemExit("give the new version, such as 0.2.0")
    old, new = present_version(ROOT), words[0]
    if [int(n) for n in new.split(".")] <= [int(n) for n in old.split(".")]:
        raise SystemExit(f"the new version must be later than {old}, got {new}")
    rewrite(ROOT, old, new)
    subprocess.run(["towncrier", "build", "--yes", "--version", new], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
