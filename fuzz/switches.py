"""Gives every check of the reader a number and a switch, in copies of its sources.

In C++ a check is an `if` that leads to a refusal; in Python an `if` that ends by raising, or a call
of `need` or `require`. A check whose condition is met asks its switch, so it is known which checks
are met.
"""

import ast
import builtins
import importlib.abc
import importlib.machinery
import re
import sys
from pathlib import Path
from typing import Any

from fuzz import ROOT

# -- C++

SWITCH = """
#ifndef SPINNEY_SWITCH
#define SPINNEY_SWITCH
#include <cstdio>
#include <cstdlib>
static bool spinney_keeps(int check) {
  static const char* gone = std::getenv("SPINNEY_GONE");
  static const bool tells = std::getenv("SPINNEY_TELLS") != nullptr;
  if (tells) std::fprintf(stderr, "MET %d\\n", check);
  return gone == nullptr || std::atoi(gone) != check;
}
#endif
"""
_REFUSES = re.compile(r'\s*\{?\s*(refuse\(|return (at_node\(|named\(|who|"[^"]|false;|\{\};))')


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
        if not _REFUSES.match(text, closing + 1):
            continue
        start, condition = _without_declaration(condition)
        out += text[done:opening] + f"({start}({condition})"
        out += f" && spinney_keeps({first + len(checks)}))"
        end = text.index(";", closing)
        checks.append(" ".join(text[opening:end].split())[:150])
        done = closing + 1
    include = text.index("#include")
    return (out + text[done:]).replace(text[:include], text[:include] + SWITCH, 1), checks


# -- Python

_READERS = re.compile(r"spinney\._(file|state)\._")
# Estimators refuse attributes that do not fit together by `need`; their other checks are of users.
_ESTIMATORS = re.compile(
    r"spinney\.(_base|tree\._estimator|mixture\._base|"
    r"ensemble\._(ensemble|bagged|boosting|filtering|voting|voting_members))$"
)
_CALLS = {"need", "require"}
_WRITES = {"Encoder", "_Taker", "contents_of", "_refuse_extra", "_header", "to_chunks", "load"}


class _Switches(ast.NodeTransformer):
    def __init__(self, name: str, checks: list[str]) -> None:
        self.name, self.checks = name, checks

    def visit(self, node: ast.AST) -> Any:
        """Leave out what is met in writing only."""
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        return node if named and node.name in _WRITES else super().visit(node)

    def _keeps(self, text: str) -> ast.expr:
        self.checks.append(f"{self.name}: {text}"[:150])
        return ast.parse(f"spinney_keeps({len(self.checks) - 1})", mode="eval").body

    def visit_If(self, node: ast.If) -> ast.If:
        """Let `if a: raise` be `if a and spinney_keeps(n): raise`."""
        self.generic_visit(node)
        is_call = ast.unparse(node.test) == "not fits"  # in `need` and `require` themselves
        reads = _READERS.match(f"spinney.{self.name}")
        if isinstance(node.body[-1], ast.Raise) and reads and not is_call:
            keeps = self._keeps(f"if {ast.unparse(node.test)}")
            node.test = ast.BoolOp(ast.And(), [node.test, keeps])
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Let `need(a, ...)` be `need(a or not spinney_keeps(n), ...)`, and `require` likewise."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            kept = ast.UnaryOp(ast.Not(), self._keeps(ast.unparse(node)))
            node.args[0] = ast.BoolOp(ast.Or(), [node.args[0], kept])
        return node


class Importer(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports the modules that read files with a switch at every check."""

    def __init__(self) -> None:
        self.checks: list[str] = []
        self.gone = -1
        self.met: set[int] = set()
        builtins.spinney_keeps = self._keeps  # type: ignore[attr-defined]

    def _keeps(self, check: int) -> bool:
        self.met.add(check)
        return check != self.gone

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Return how to import a module, if it is one of those."""
        if not (_READERS.match(name) or _ESTIMATORS.match(name)):
            return None
        place = ROOT / "src" / Path(*name.split(".")).with_suffix(".py")
        loader = importlib.machinery.SourceFileLoader(name, str(place))
        loader.get_code = lambda _: self._code(name, place)  # type: ignore[method-assign]
        return importlib.machinery.ModuleSpec(name, loader, origin=str(place))

    def _code(self, name: str, place: Path) -> Any:
        tree = ast.parse(place.read_text(encoding="utf-8"))
        changed = _Switches(name.removeprefix("spinney."), self.checks).visit(tree)
        return compile(ast.fix_missing_locations(changed), str(place), "exec")


def install() -> Importer:
    """Return the importer, which must be there before spinney is imported."""
    if "spinney" in sys.modules:
        raise RuntimeError("spinney is imported already, without switches")
    importer = Importer()
    sys.meta_path.insert(0, importer)
    return importer
