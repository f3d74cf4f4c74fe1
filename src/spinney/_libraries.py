"""Imports what all of spinney needs of scikit-learn, in one order.

Modules of scikit-learn need each other in circles. Two threads that begin at different places of a
circle find a module that is half imported: an ImportError. Every public package imports this module
first, so that the second thread waits here until the first is through.
"""

from typing import Any

import sklearn.base  # noqa: F401


def import_pandas(refusal: str) -> Any:
    """Return pandas, which is not installed with spinney, or raise an error that explains it."""
    try:
        import pandas
    except ImportError:
        raise ImportError(refusal) from None
    return pandas
