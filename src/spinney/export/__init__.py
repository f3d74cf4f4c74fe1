"""Export of models: text, DOT for Graphviz, SQL, C, Python, JSON, PMML, ONNX, treelite.

`to_sql`, `to_c` and `to_python` generate code with the exact predictions of the model, including
categories and missing values; `to_json` is for other programs. Each is imported on first use: to
print a tree needs nothing of ensembles.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import spinney
from spinney import _libraries  # noqa: F401  (first: see there)

if TYPE_CHECKING:
    from spinney.export._c import to_c
    from spinney.export._graphviz import to_graphviz
    from spinney.export._json import from_json, to_json
    from spinney.export._onnx import to_onnx
    from spinney.export._pmml import to_pmml
    from spinney.export._python import to_python
    from spinney.export._sql import to_sql
    from spinney.export._text import to_text
    from spinney.export._treelite import to_treelite

__all__ = [
    "from_json",
    "to_c",
    "to_graphviz",
    "to_json",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_sql",
    "to_text",
    "to_treelite",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'spinney.export' has no attribute {name!r}")
    with spinney._first_use:
        module = import_module(f"spinney.export._{name.partition('_')[2]}")
    globals()[name] = value = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
