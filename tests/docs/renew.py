"""Write into pages what their blocks print now: python tests/docs/renew.py PAGE.md ...

For changes that are meant: look at the difference afterwards, and at what the prose says of the
numbers.
"""

import os
import sys
import tempfile
from pathlib import Path

from page_blocks import run_page


def renew(page: Path) -> int:
    """Replace what the page shows; return how many blocks show something else now."""
    text = page.read_text(encoding="utf-8")
    languages = ("python",) if page.name == "README.md" else ("python", "sh")
    n_changed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block, printed in run_page(page, Path(folder), languages):
            if printed == block.shown:
                continue
            if not block.shown:
                raise SystemExit(f"{page.name}, line {block.line}: no block to show {printed!r}")
            before = f"```{block.language}\n{block.text}```"
            place = text.index(block.shown, text.index(before) + len(before))
            text = text[:place] + printed + text[place + len(block.shown) :]
            n_changed += 1
        os.chdir(page.parent)
    page.write_text(text, encoding="utf-8")
    return n_changed


if __name__ == "__main__":
    for path in [Path(name).resolve() for name in sys.argv[1:]]:
        print(f"{path.name}: {renew(path)} blocks renewed", flush=True)
