"""Make this tree a release: `python docs/make_release.py 0.2.0 [2026-11-18]`. Needs towncrier.

The version and the date, today's if none is given, are written wherever they stand, and what is in
changelog.d/ moves into CHANGELOG.md. Run again for the same version, it takes the release back and
makes it anew, with the changes that have come since.
"""

import datetime
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


def write_date(root: Path, date: str) -> None:
    """Write the date of the release into CITATION.cff, below the version."""
    path = root / "CITATION.cff"
    text = re.sub(r"date-released: .*\n", "", path.read_text(encoding="utf-8"))
    text = re.sub(r"(\nversion: .*\n)", rf"\1date-released: {date}\n", text)
    path.write_text(text, encoding="utf-8")


def take_back(root: Path, version: str) -> None:
    """Restore the fragments and the list of changes from before a version was made."""

    def git(*words: str) -> str:
        command = ["git", *words]
        done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    made = git("log", "-1", "--format=%H", "-S", f'\nversion = "{version}"', "--", "pyproject.toml")
    before = f"{made}^" if made else "HEAD"  # a release that is not committed yet
    git("checkout", before, "--", "changelog.d", "CHANGELOG.md")


def main(words: list[str]) -> None:
    """Read the version and the date from the command line, and do it."""
    if not 1 <= len(words) <= 2 or not re.fullmatch(r"\d+\.\d+\.\d+", words[0]):
        raise SystemExit("give the new version, such as 0.2.0, and if you like a date")
    date = words[1] if words[1:] else datetime.date.today().isoformat()
    try:
        datetime.date.fromisoformat(date)
    except ValueError as error:
        raise SystemExit(f"the date of the version must be such as 2026-11-18: {error}") from None
    old, new = present_version(ROOT), words[0]
    if [int(n) for n in new.split(".")] < [int(n) for n in old.split(".")]:
        raise SystemExit(f"the new version must not be earlier than {old}, got {new}")
    if old == new:
        take_back(ROOT, new)
    rewrite(ROOT, old, new)
    write_date(ROOT, date)
    build = ["towncrier", "build", "--yes", "--version", new, "--date", date]
    subprocess.run([sys.executable, "-m", *build], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
