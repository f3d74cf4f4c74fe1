"""Warnings that point at the user's line, however deep in the package they arise."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something, at the innermost frame that is not of this package or of scikit-learn.

    Parameters
    ----------
    message : str
        The message.
    category : type, default=UserWarning
        The kind of warning.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_internal(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def quiet_about_unseen() -> Iterator[None]:
    """Ignore the warning of categories that fit did not see: folds of rare ones are expected."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "column .* holds categories that fit did not see")
        yield


def _is_internal(path: str) -> bool:
    return path.startswith(_PACKAGE) or "sklearn" in path or "joblib" in path
