"""What may happen to a bad call: an error that names the culprit, and nothing else changes."""

import pickle
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Raises:
    """An error and words that its message must hold, as a pattern."""

    words: str
    error: type[Exception] = ValueError


CHANCE = Raises(
    "first member has a weighted error of .*no better than guessing.*stronger estimator"
)


class Untouchable:
    """Data that nobody may look at."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"data was asked for {name}")

    def __len__(self) -> int:
        raise AssertionError("data was asked for its length")

    def __iter__(self) -> Any:
        raise AssertionError("data was read")

    __getitem__ = __array__ = __dataframe__ = __arrow_c_stream__ = __bool__ = __iter__


def table(cases: dict[str, tuple]) -> Any:
    """Parametrize a test by a table: names of the rows, and the arguments of each."""
    names = [key for key in cases if key != "columns"]
    return pytest.mark.parametrize(cases["columns"], [cases[key] for key in names], ids=names)


@contextmanager
def refused(outcome: Raises, estimator: Any):
    """Expect the error, and that the estimator is as it was before."""
    before = _state(estimator)
    with pytest.raises(outcome.error) as caught:
        yield
    message = str(caught.value).replace(type(estimator).__name__, "ESTIMATOR")
    assert re.search(outcome.words, message, flags=re.DOTALL), message
    assert _state(estimator) == before


def _state(estimator: Any) -> bytes:
    return pickle.dumps(sorted(vars(estimator).items(), key=lambda item: item[0]))
