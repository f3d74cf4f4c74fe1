"""Model files: `save` and `load`.

`_container` reads and writes the file, `_values` converts plain values to JSON and arrays, and
`_models` converts a model to a list of objects.
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney._file._container import ModelFileError
from spinney._file._models import load, save

__all__ = ["ModelFileError", "load", "save"]
