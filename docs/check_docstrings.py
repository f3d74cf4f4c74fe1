"""numpydoc's checks of every docstring: `python docs/check_docstrings.py`.

What is checked is in `pyproject.toml`. It is `numpydoc lint`, but for classes whose constructor is
not written in them: fields of dataclasses and named tuples are parameters, and so is what a class
documents of the constructor that it inherits.
"""

import ast
import sys
from pathlib import Path

from numpydoc.hooks import validate_docstrings

ROOT = Path(__file__).parents[1]


class Validator(validate_docstrings.AstValidator):
    """Knows the parameters of classes without a constructor of their own."""

    @property
    def signature_parameters(self) -> tuple[str, ...]:
        """Return the names of parameters in their order."""
        if not isinstance(self.node, ast.ClassDef) or _writes_constructor(self.node):
            names = super().signature_parameters
            return names[1:] if names[:1] == ("self",) else names  # a method of several classes
        own = _fields(self.node)
        named = [name for name in self.doc_all_parameters if name not in own]
        inherited = named if set(map(ast.unparse, self.node.bases)) - {"NamedTuple"} else []
        return (*inherited, *own)


def _writes_constructor(node: ast.ClassDef) -> bool:
    return any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in node.body)


def _fields(node: ast.ClassDef) -> list[str]:
    """Return the fields of a dataclass or a named tuple, in their order."""
    marks = map(ast.unparse, [*node.decorator_list, *node.bases])
    if not any("dataclass" in mark or mark == "NamedTuple" for mark in marks):
        return []
    declared = [part for part in node.body if isinstance(part, ast.AnnAssign)]
    return [ast.unparse(p.target) for p in declared if "ClassVar" not in ast.unparse(p.annotation)]


if __name__ == "__main__":
    validate_docstrings.AstValidator = Validator
    files = sys.argv[1:] or sorted(map(str, (ROOT / "src" / "spinney").rglob("*.py")))
    sys.exit(validate_docstrings.run_hook(files, config=ROOT))
