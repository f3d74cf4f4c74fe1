"""Resampling: which rows train a method and which test it.

A resampling divides the rows of a data set `n_repeats` times into `n_parts` pairs of training and
test rows. The division depends on the target and on the random generator of the repeat, never on
the method, so all methods are evaluated on the same partitions.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Integer, is_integer, is_number
from spinney._folds import Rows, by_stratum, thinned

Part = tuple[Rows, Rows]
Size = int | float | None


class Resampling(ABC):
    """Base class of resampling schemes."""

    n_repeats: int
    is_honest = True  # whether test rows are kept out of training

    def __post_init__(self) -> None:
        Integer(1).check("n_repeats", self.n_repeats)

    @property
    def n_parts(self) -> int:
        """Number of pairs of training and test rows per repeat."""
        return 1

    @abstractmethod
    def parts(self, strata: NDArray[Any], random: np.random.Generator) -> list[Part]:
        """Return the pairs of one repeat.

        Parameters
        ----------
        strata : array of shape (n_rows,)
            The class of each row; all equal in regression.
        random : numpy.random.Generator
            The random generator of the repeat.

        Returns
        -------
        list of (array, array)
            Indices of the training rows and of the test rows.
        """


@dataclass(frozen=True)
class RepeatedHoldout(Resampling):
    """Repeated random splits into training and test rows.

    Parameters
    ----------
    n_repeats : int, default=10
        Number of splits.
    train_size : int or float, default=None
        Number or fraction of training rows; None for all rows that are not test rows.
    test_size : int or float, default=0.3
        Number or fraction of test rows; None for all rows that are not training rows.
    stratify : bool, default=True
        Whether to preserve the class frequencies in all parts.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.compare import RepeatedHoldout
    >>> halves = RepeatedHoldout(n_repeats=1, test_size=0.5)
    >>> (train, test), = halves.parts(np.array([0, 0, 1, 1]), np.random.default_rng(0))
    >>> len(train), len(test)
    (2, 2)
    """

    n_repeats: int = 10
    train_size: Size = None
    test_size: Size = 0.3
    stratify: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_size("train_size", self.train_size)
        _check_size("test_size", self.test_size)
        if self.train_size is None and self.test_size is None:
            raise ValueError("train_size and test_size must not both be None. Give one of them.")

    def parts(self, strata: NDArray[Any], random: np.random.Generator) -> list[Part]:
        """Return one pair of training and test rows.

        Parameters
        ----------
        strata : array of shape (n_rows,)
            The class of each row; all equal in regression.
        random : numpy.random.Generator
            The random generator of the repeat.

        Returns
        -------
        list of (array, array)
            Indices of the training rows and of the test rows.
        """
        n_train, n_test = _numbers(len(strata), self.train_size, self.test_size)
        order = _dealt(strata, random, self.stratify)
        test, rest = thinned(order, n_test)
        train, _ = thinned(rest, n_train)
        return [(np.sort(train), np.sort(test))]


@dataclass(frozen=True)
class RepeatedKFold(Resampling):
    """Repeated k-fold cross-validation, with new folds in every repeat.

    Parameters
    ----------
    n_splits : int, default=10
        Number of folds.
    n_repeats : int, default=1
        Number of repeats.
    stratify : bool, default=True
        Whether to preserve the class frequencies in all folds.
    """

    n_splits: int = 10
    n_repeats: int = 1
    stratify: bool = True

    def __post_init__(self) -> None:
        Integer(2).check("n_splits", self.n_splits)
        super().__post_init__()

    @property
    def n_parts(self) -> int:
        """The number of folds."""
        return self.n_splits

    def parts(self, strata: NDArray[Any], random: np.random.Generator) -> list[Part]:
        """Return a pair of training and test rows for each fold.

        Parameters
        ----------
        strata : array of shape (n_rows,)
            The class of each row; all equal in regression.
        random : numpy.random.Generator
            The random generator of the repeat.

        Returns
        -------
        list of (array, array)
            Indices of the training rows and of the test rows.
        """
        if len(strata) < self.n_splits:
            raise ValueError(
                f"n_splits must be at most the number of rows, which is {len(strata)}, got "
                f"{self.n_splits}."
            )
        fold = np.empty(len(strata), dtype=np.intp)
        fold[_dealt(strata, random, self.stratify)] = np.arange(len(strata)) % self.n_splits
        return [
            (np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(self.n_splits)
        ]


@dataclass(frozen=True)
class OutOfBag(Resampling):
    """Train on a bootstrap sample, test on the out-of-bag rows: 37 % on average.

    Parameters
    ----------
    n_repeats : int, default=25
        Number of bootstrap samples.
    """

    n_repeats: int = 25

    def parts(self, strata: NDArray[Any], random: np.random.Generator) -> list[Part]:
        """Return one pair: rows drawn with replacement, and the others.

        Parameters
        ----------
        strata : array of shape (n_rows,)
            The class of each row; all equal in regression.
        random : numpy.random.Generator
            The random generator of the repeat.

        Returns
        -------
        list of (array, array)
            Indices of the training rows and of the test rows.
        """
        n_rows = len(strata)
        if n_rows < 2:
            raise ValueError("OutOfBag needs at least two rows.")
        while True:
            train = np.sort(random.integers(n_rows, size=n_rows))
            test = np.setdiff1d(np.arange(n_rows), train)
            if len(test):  # all drawn: one in a million at eleven rows
                return [(train, test)]


@dataclass(frozen=True)
class Resubstitution(Resampling):
    """Train and test on all rows, which underestimates the error.

    Parameters
    ----------
    n_repeats : int, default=1
        Number of repeats, which differ only in the random seeds of the methods.
    """

    n_repeats: int = 1
    is_honest = False

    def parts(self, strata: NDArray[Any], random: np.random.Generator) -> list[Part]:
        """Return all rows twice.

        Parameters
        ----------
        strata : array of shape (n_rows,)
            The class of each row; all equal in regression.
        random : numpy.random.Generator
            The random generator of the repeat.

        Returns
        -------
        list of (array, array)
            Indices of the training rows and of the test rows.
        """
        rows = np.arange(len(strata))
        return [(rows, rows)]


@dataclass(frozen=True)
class GrowingTrainingSet(Resampling):
    """Nested training sets of increasing size, evaluated on the same test rows.

    Parameters
    ----------
    train_sizes : sequence of int or of float
        Numbers or fractions of training rows, ascending.
    n_repeats : int, default=10
        Number of repeats.
    test_size : int or float, default=0.3
        Number or fraction of test rows.
    stratify : bool, default=True
        Whether to preserve the class frequencies in all parts.
    """

    train_sizes: Sequence[int | float]
    n_repeats: int = 10
    test_size: int | float = 0.3
    stratify: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "train_sizes", tuple(self.train_sizes))
        for size in self.train_sizes:
            _check_size("train_sizes", size, required=True)
        _check_size("test_size", self.test_size, required=True)
        if not self.train_sizes or list(self.train_sizes) != sorted(set(self.train_sizes)):
            raise ValueError(f"train_sizes must ascend, got {self.train_sizes}.")

    @property
    def n_parts(self) -> int:
        """The number of sizes."""
        return len(self.train_sizes)

    def parts(self, strata: NDArray[Any], random: np.random.Generator) -> list[Part]:
        """Return a pair of training and test rows for each size.

        Parameters
        ----------
        strata : array of shape (n_rows,)
            The class of each row; all equal in regression.
        random : numpy.random.Generator
            The random generator of the repeat.

        Returns
        -------
        list of (array, array)
            Indices of the training rows and of the test rows.
        """
        numbers = [_numbers(len(strata), size, self.test_size) for size in self.train_sizes]
        order = _dealt(strata, random, self.stratify)
        test, rest = thinned(order, numbers[0][1])
        found: list[Part] = []
        for n_train, _ in reversed(numbers):
            rest, _ = thinned(rest, n_train)
            found.append((np.sort(rest), np.sort(test)))
        return found[::-1]


def _dealt(strata: NDArray[Any], random: np.random.Generator, stratify: bool) -> Rows:
    """Return the rows shuffled and sorted by stratum; even steps preserve class frequencies."""
    rows = random.permutation(len(strata))
    return by_stratum(rows, strata) if stratify else rows


def _check_size(name: str, size: Any, *, required: bool = False) -> None:
    if size is None and not required:
        return
    is_count = is_integer(size) and size >= 1
    is_share = is_number(size) and not is_integer(size) and 0.0 < size < 1.0
    if not (is_count or is_share):
        raise ValueError(
            f"{name} must be a number of rows, or a share above 0 and below 1, got {size!r}."
        )


def _numbers(n_rows: int, train_size: Size, test_size: Size) -> tuple[int, int]:
    """Return the numbers of training and test rows."""

    def count(size: int | float) -> int:
        return int(size) if is_integer(size) else round(size * n_rows)

    if test_size is None:
        assert train_size is not None
        n_train, n_test = count(train_size), n_rows - count(train_size)
    else:
        n_test = count(test_size)
        n_train = n_rows - n_test if train_size is None else count(train_size)
    if n_train < 1 or n_test < 1 or n_train + n_test > n_rows:
        raise ValueError(
            f"train_size={train_size} and test_size={test_size} ask for {n_train} training and "
            f"{n_test} test rows, of {n_rows}. Both need a row at least, and no row is in both."
        )
    return n_train, n_test
