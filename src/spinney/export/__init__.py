"""Models in other forms: text to read, DOT for Graphviz, and code that runs without spinney.

`to_sql`, `to_c` and `to_python` write code that predicts as the model does, with its categories
and its missing values; `to_json` describes the model to any program.
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney.export._c import to_c
from spinney.export._dot import to_graphviz
from spinney.export._json import from_json, to_json
from spinney.export._python import to_python
from spinney.export._sql import to_sql
from spinney.export._text import to_text

__all__ = ["from_json", "to_c", "to_graphviz", "to_json", "to_python", "to_sql", "to_text"]
