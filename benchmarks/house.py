"""The size of the Python code, and how much of it one call passes: `python -m benchmarks.house`.

Lines of code are lines with a token that is neither a comment nor part of a docstring. Files and
functions are those of this package that one call passes; of `spinney train` with its imports. With
`--source DIR` only files and lines are counted, of another version's folder `src/spinney`.
"""

import argparse
import ast
import inspect
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1] / "src" / "spinney"
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
_NO_CODE |= {tokenize.ENDMARKER}


def code_lines(text: str) -> int:
    """Return the number of lines of a module that hold code."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            docstrings.update(range(first.lineno, (first.end_lineno or 0) + 1))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - docstrings)


def rooms(source: Path) -> tuple[Counter[str], Counter[str]]:
    """Return the number of files, and of lines of code, of each folder."""
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).parts
        room = parts[0] if len(parts) > 1 else "beside the rooms"
        files[room] += 1
        lines[room] += code_lines(path.read_text(encoding="utf-8"))
    return files, lines


def passed(call: Callable[[], Any]) -> tuple[int, int]:
    """Return the number of files and of functions of the package that a call passes."""
    files: set[str] = set()
    functions: set[tuple[str, int]] = set()

    def note(frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and str(PACKAGE) in code.co_filename:
            files.add(code.co_filename)
            if code.co_flags & inspect.CO_OPTIMIZED:  # not the body of a module or class
                functions.add((code.co_filename, code.co_firstlineno))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(files), len(functions)


def calls() -> dict[str, tuple[int, int]]:
    """Return files and functions of some calls, all but the last after a first one."""
    from click.testing import CliRunner

    words = ["train", "german_credit", "--jobs", "1"]
    found = {"spinney train, with imports": passed(lambda: _train(CliRunner(), words))}
    import spinney
    from spinney.datasets import load_german_credit

    X, y = (credit := load_german_credit()).X, credit.y
    tree = spinney.CARTClassifier(pruning="cost_complexity", random_state=0)
    forest = spinney.RandomForestClassifier(60, early_stopping=True, random_state=0)
    for name, model in {"pruned CART": tree, "forest that stops": forest}.items():
        model.fit(X, y).predict(X)
        found[f"{name}, fit"] = passed(lambda model=model: model.fit(X, y))
        found[f"{name}, predict"] = passed(lambda model=model: model.predict(X))
    return found


def _train(runner: Any, words: list[str]) -> None:
    from spinney._cli import main

    assert runner.invoke(main, words).exit_code == 0


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--source", type=Path, help="count the files of this folder only")
    source = parser.parse_args().source
    if source is None:
        for name, (n_files, n_functions) in calls().items():
            print(f"{name:<28} {n_files:4} files {n_functions:5} functions")
    files, lines = rooms(source or PACKAGE)
    for room in sorted(files):
        print(f"{room:<28} {files[room]:4} files {lines[room]:7,} lines of code")
    print(f"{'all':<28} {files.total():4} files {lines.total():7,} lines of code")


if __name__ == "__main__":
    main()
