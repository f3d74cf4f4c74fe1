"""What the fuzzers can find: each check of the reader is removed in turn, and they are let loose.

Every check of a copy of the sources is given a number and a switch, so that one build serves all.
In C++ a check is an `if` that leads to a refusal, in Python an `if` that raises. A removal is found
if an accepted file saves to other bytes, if an answer is not sane, or if the process dies.
"""

import ast
import builtins
import importlib.abc
import importlib.machinery
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fuzz import ROOT

CORE = [
    f"cpp/spinney/{name}.cpp" for name in ("file/restore", "tree/tree", "expression/expression")
]
CORE += ["cpp/spinney/forest/forest.cpp"]
SWITCH = """
#include <cstdlib>
static bool spinney_keeps(int check) {
  static const char* gone = std::getenv("SPINNEY_GONE");
  return gone == nullptr || std::atoi(gone) != check;
}
"""
REFUSES = re.compile(r'\s*\{?\s*(refuse\(|return (at_node\(|who|"[^"]))')
MODULES = re.compile(r"spinney\._(file|state)\.")
COMPILERS = ("clang++", "clang++-19", "clang++-17", "clang++-14")


# -- The decoder


def _closing(text: str, opening: int) -> int:
    """Return the place of the bracket that closes one."""
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError("brackets do not match")


def _without_declaration(condition: str) -> tuple[str, str]:
    """Divide `const int n = f(); n > 3` behind its first part, which may be empty."""
    place = condition.find("; ")
    if place < 0 or "{" in condition[:place]:  # a lambda
        return "", condition
    return condition[: place + 2], condition[place + 2 :]


def switched(text: str, first: int) -> tuple[str, list[str]]:
    """Give every check of a C++ source a switch; return the source, and what each check says."""
    out, checks, done = "", [], 0
    for found in re.finditer(r"\bif \(", text):
        if found.start() < done:
            continue
        opening = found.end() - 1
        closing = _closing(text, opening)
        condition = text[opening + 1 : closing]
        if not REFUSES.match(text, closing + 1):
            continue
        start, condition = _without_declaration(condition)
        out += text[done:opening] + f"({start}({condition})"
        out += f" && spinney_keeps({first + len(checks)}))"
        end = text.index(";", closing)
        checks.append(" ".join(text[opening:end].split())[:110])
        done = closing + 1
    include = text.index("#include")
    return (out + text[done:]).replace(text[:include], text[:include] + SWITCH, 1), checks


def build_target(folder: Path) -> tuple[Path, list[str]]:
    """Build the fuzz target over sources with switches; return it and the checks."""
    for name in ("cpp", "fuzz"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "CMakeLists.txt", folder)
    checks: list[str] = []
    for name in CORE:
        text, more = switched((folder / name).read_text(encoding="utf-8"), len(checks))
        (folder / name).write_text(text, encoding="utf-8")
        checks += [f"{Path(name).name}: {check}" for check in more]
    clang = next(name for name in COMPILERS if shutil.which(name))
    options = ["-DSPINNEY_FUZZ=ON", "-DSPINNEY_SANITIZE=address", f"-DCMAKE_CXX_COMPILER={clang}"]
    quiet: Any = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["cmake", "-S", folder, "-B", folder / "build", *options], **quiet)
    subprocess.run(["cmake", "--build", folder / "build", "--parallel", "2"], **quiet)
    return folder / "build" / "fuzz_decoder", checks


def fuzz_without(target: Path, check: int, seconds: int) -> str:
    """Run the target without one check; return what it found, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        limits = [f"-max_total_time={seconds}", "-max_len=3000", "-timeout=5", "-rss_limit_mb=1024"]
        corpus = [folder, ROOT / "fuzz/corpus/decoder"]
        done = subprocess.run(
            [target, *corpus, *limits, "-seed=1", f"-artifact_prefix={folder}/"],
            env=os.environ | {"SPINNEY_GONE": str(check)},
            capture_output=True,
            text=True,
            errors="replace",
        )
    if done.returncode == 0:
        return ""
    lines = re.findall(r"FOUND: .*|SUMMARY: .*|.*Assertion .*|.*runtime error.*", done.stderr)
    return (lines[0] if lines else f"exit {done.returncode}")[-110:]


# -- What reads the container and the description


class _Switches(ast.NodeTransformer):
    """Gives each `if` that does nothing but raise a switch."""

    def __init__(self, name: str, checks: list[str]) -> None:
        self.name, self.checks = name, checks

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        if len(node.body) == 1 and isinstance(node.body[0], ast.Raise):
            call = ast.parse(f"spinney_keeps({len(self.checks)})", mode="eval").body
            self.checks.append(f"{self.name}: if {ast.unparse(node.test)}"[:130])
            node.test = ast.BoolOp(ast.And(), [node.test, call])
        return node


class Importer(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports the modules that read files with a switch at every check."""

    def __init__(self) -> None:
        self.checks: list[str] = []
        self.gone = -1
        builtins.spinney_keeps = lambda check: check != self.gone  # type: ignore[attr-defined]

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Return how to import a module, if it is one of those."""
        if not MODULES.match(name):
            return None
        place = ROOT / "src" / Path(*name.split(".")).with_suffix(".py")
        loader = importlib.machinery.SourceFileLoader(name, str(place))
        loader.get_code = lambda _: self._code(name, place)  # type: ignore[method-assign]
        return importlib.machinery.ModuleSpec(name, loader, origin=str(place))

    def _code(self, name: str, place: Path) -> Any:
        tree = ast.parse(place.read_text(encoding="utf-8"))
        changed = _Switches(name.removeprefix("spinney."), self.checks).visit(tree)
        return compile(ast.fix_missing_locations(changed), str(place), "exec")


def load_without(importer: Importer, check: int, seeds: Any, folder: Path, count: int) -> str:
    """Load mutants without one check, in a process of its own; return what was found."""
    import contextlib
    import io

    from fuzz.files import try_files

    importer.gone = check
    with contextlib.redirect_stdout(io.StringIO()):
        tally = try_files(check * count, count, seeds, folder, chunk=count)
    importer.gone = -1
    return tally.findings[0][:200] if tally.findings else ""


# -- Both


def report(seconds: int, count: int, only: list[int] | None) -> int:
    """Print for each check whether its removal is found; return how many are not."""
    missed = []
    with tempfile.TemporaryDirectory() as name:
        target, checks = build_target(Path(name)) if seconds else (Path(), [])
        for number, check in enumerate(checks):
            if only is None or number in only:
                found = fuzz_without(target, number, seconds)
                missed += [] if found else [check]
                print(
                    f"{'found ' if found else 'MISSED'} {number} {check}\n       {found}",
                    flush=True,
                )
    if count:
        missed += _report_python(count, only)
    print(f"{len(missed)} removals were not found", *missed, sep="\n")
    return len(missed)


def _report_python(count: int, only: list[int] | None) -> list[str]:
    importer = Importer()
    sys.meta_path.insert(0, importer)
    from fuzz.files import make_seeds, temporary_place

    missed = []
    with temporary_place() as name:
        seeds = make_seeds(Path(name), every=3)
        for number, check in enumerate(importer.checks):
            if only is not None and number not in only:
                continue
            found = load_without(importer, number, seeds, Path(name), count)
            missed += [] if found else [check]
            print(f"{'found ' if found else 'MISSED'} {number} {check}\n       {found}", flush=True)
    return missed
