"""The fenced blocks of a page: what runs, what it shall print, and files that it needs.

- A `python` block runs in the names that the blocks before it made; an `sh` block runs in a shell.
- The block right after either, with nothing but blank lines between, is what it prints. One that
  has no such block prints nothing.
- A block whose first line is a comment with nothing but a file name is that file.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"(?:/\* |# |-- )([\w.]+\.\w+)(?: \*/)?\n")
_RUNS = ("python", "sh")
_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


@dataclass(frozen=True)
class Block:
    """A fenced block, and what stands right after it as its output."""

    language: str
    text: str
    line: int
    shown: str

    @property
    def file(self) -> str | None:
        """The file that the block is, if it is one."""
        named = _FILE.match(self.text)
        return named.group(1) if named else None


def read_blocks(page: str) -> list[Block]:
    """Return the blocks of a page; those that are the output of another are only in that one."""
    found = list(FENCED.finditer(page))
    blocks: list[Block] = []
    taken = -1
    for place, match in enumerate(found):
        if place == taken:
            continue
        language, text = match.groups()
        shown = ""
        if language in _RUNS and place + 1 < len(found):
            after = found[place + 1]
            is_next = not page[match.end() : after.start()].strip()
            if is_next and after.group(1) not in _RUNS and not _FILE.match(after.group(2)):
                shown, taken = after.group(2), place + 1
        line = page.count("\n", 0, match.start()) + 1
        blocks.append(Block(language, text, line, shown))
    return blocks


def run_page(
    path: Path, folder: Path, languages: tuple[str, ...] = _RUNS
) -> Iterator[tuple[Block, str]]:
    """Run the blocks of a page in order; yield each with what it printed.

    Files are written to the folder, which must be the current one. Blocks in other languages are
    passed over, and a shell block whose first program is not installed is left out.
    """
    names: dict[str, Any] = {"__name__": "page"}
    for block in read_blocks(path.read_text(encoding="utf-8")):
        if block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language not in languages:
            continue
        elif block.language == "python":
            yield block, _run_python(block, path, names)
        elif block.language == "sh" and shutil.which(block.text.split()[0], path=_PATH):
            yield block, _run_shell(block, folder)


def _run_python(block: Block, path: Path, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    code = "\n" * block.line + block.text  # so that a traceback has the page's own line
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(path), "exec"), names)
    return without_trailing_blanks(printed.getvalue())


def _run_shell(block: Block, folder: Path) -> str:
    done = subprocess.run(
        block.text,
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PATH": _PATH},
    )
    return without_trailing_blanks(done.stdout)


def without_trailing_blanks(text: str) -> str:
    """Return printed text as a page can show it: blank lines at its end do not matter."""
    stripped = text.rstrip("\n")
    return f"{stripped}\n" if stripped else ""
