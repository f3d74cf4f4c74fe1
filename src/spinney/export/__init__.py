"""Trees in other forms: text to read, DOT for Graphviz."""

from spinney.export._dot import to_graphviz
from spinney.export._text import to_text

__all__ = ["to_graphviz", "to_text"]
