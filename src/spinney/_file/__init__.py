"""Model files: `save` and `load`.

`_container` is the file with its arrays, `_values` turns plain values into JSON and arrays,
and `_models` a model into a list of objects.
"""

from spinney import _libraries  # noqa: F401  (first: see there)
from spinney._file._errors import ModelFileError
from spinney._file._models import load, save

__all__ = ["ModelFileError", "load", "save"]
