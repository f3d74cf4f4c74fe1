"""Our figures beside the published ones, their differences, and verdicts on these.

Differences are given in standard errors, which come from

- the deviations of both sides, where the paper prints one;
- our deviation alone, where it does not (`paper_runs` is None);
- our deviation for a single run, where the paper's figure is of a single run (`paper_runs` is 1).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

AGREES, BETTER, WORSE, DIFFERS = "agrees", "better", "worse", "differs"
SAME, OTHER, UNKNOWN = "same finding", "other finding", "too few runs"
VERDICTS = (AGREES, BETTER, WORSE, DIFFERS, SAME, OTHER, UNKNOWN)

_LIMIT = 2.0  # standard errors
_LEVEL = 0.05  # of tests
_EQUAL = 1e-9


@dataclass(frozen=True)
class Measured:
    """Mean and standard deviation of some runs."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float] | np.ndarray) -> Self:
        """Return mean and standard deviation of values; that of one value is NaN."""
        given = np.asarray(values, dtype=np.float64)
        sd = math.nan
        if len(given) > 1:  # runs that differ by rounding only are equal
            sd = float(given.std(ddof=1)) if np.ptp(given) > _EQUAL else 0.0
        return cls(float(given.mean()), sd, len(given))

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.sd / math.sqrt(self.n)


@dataclass(frozen=True)
class Cell:
    """One figure of a table.

    Parameters
    ----------
    row, column : str
        Row and column of the table.
    ours : Measured
        Our runs.
    paper : float or None
        The published figure; None if there is none.
    paper_sd : float or None
        The published standard deviation.
    paper_runs : int or None
        Number of runs of the published figure; None if the paper does not give its spread.
    good : {"less", "more"} or None
        Which direction is better; None if the figure is to be met, not to be beaten.
    digits : int
        Number of decimals.
    exact : bool
        Whether the figure is a constant, such as the number of rows.
    judged : bool
        Whether there is a verdict; if not, only the difference is shown.
    """

    row: str
    column: str
    ours: Measured
    paper: float | None
    paper_sd: float | None = None
    paper_runs: int | None = None
    good: Literal["less", "more"] | None = None
    digits: int = 2
    exact: bool = False
    judged: bool = True

    @classmethod
    def fact(cls, row: str, column: str, ours: float, paper: float) -> Self:
        """Return a cell of a figure that does not vary."""
        return cls(row, column, Measured(float(ours), 0.0, 1), paper, digits=0, exact=True)

    @property
    def difference(self) -> float:
        """Our figure minus the published one."""
        return self.ours.mean - self.paper if self.paper is not None else math.nan

    @property
    def standard_error(self) -> float:
        """Standard error of the difference."""
        if self.exact:
            return 0.0
        ours = self.ours.error
        if self.paper_sd is not None and self.paper_runs is not None:
            return math.hypot(ours, self.paper_sd / math.sqrt(self.paper_runs))
        return math.hypot(ours, self.ours.sd) if self.paper_runs == 1 else ours

    @property
    def z(self) -> float:
        """The difference in standard errors; 0 if it is within the rounding of the paper."""
        if self.paper is None or math.isnan(self.standard_error):
            return math.nan
        if abs(self.difference) <= 0.5000001 * 10.0**-self.digits:
            return 0.0
        error = self.standard_error
        return self.difference / error if error > 0.0 else math.copysign(math.inf, self.difference)

    @property
    def verdict(self) -> str:
        """The verdict on the difference; empty where the paper prints nothing."""
        if self.paper is None or not self.judged:
            return ""
        if math.isnan(self.z):
            return UNKNOWN
        if abs(self.z) <= _LIMIT:
            return AGREES
        if self.good is None:
            return DIFFERS
        return BETTER if (self.z < 0.0) == (self.good == "less") else WORSE

    def texts(self) -> tuple[str, str, str]:
        """Return our figure, the published one, and the difference with the verdict."""
        ours = f"{self.ours.mean:.{self.digits}f}"
        if self.judged and not self.exact and not math.isnan(self.ours.sd):
            ours += f" ({self.ours.sd:.{min(self.digits, 2)}f})"
        if self.paper is None:
            return ours, "", ""
        paper = f"{self.paper:.{self.digits}f}"
        if self.paper_sd is not None:
            paper += f" ({self.paper_sd:.{min(self.digits, 2)}f})"
        if not self.judged:
            if self.paper_sd is not None:
                return ours, paper, f"{self.z:+.1f}"
            return ours, paper, f"{self.difference:+.{self.digits}f}"
        away = "" if not math.isfinite(self.z) or self.exact else f"{self.z:+.1f} "
        return ours, paper, away + self.verdict

    def record(self) -> dict[str, float | int | str | None]:
        """Return all numbers, for a file."""
        return {
            "row": self.row,
            "column": self.column,
            "ours": self.ours.mean,
            "ours_sd": self.ours.sd,
            "ours_runs": self.ours.n,
            "paper": self.paper,
            "paper_sd": self.paper_sd,
            "difference": self.difference,
            "standard_error": self.standard_error,
            "z": self.z,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Finding:
    """The p value of a test beside the published one.

    Parameters
    ----------
    row, column : str
        Row and column of the table.
    ours, paper : float
        The p values.
    sign, paper_sign : float
        The differences that were tested; only their signs matter.
    """

    row: str
    column: str
    ours: float
    paper: float
    sign: float = 0.0
    paper_sign: float = 0.0

    @property
    def verdict(self) -> str:
        """Whether both find the same difference, or both find none."""
        if math.isnan(self.ours):
            return UNKNOWN
        shown, printed = self.ours < _LEVEL, self.paper < _LEVEL
        if shown != printed:
            return OTHER
        return SAME if not shown or self.sign * self.paper_sign >= 0.0 else OTHER

    def texts(self) -> tuple[str, str, str]:
        """Return our p value, the published one, and the verdict."""
        return f"{self.ours:.2g}", f"{self.paper:.2g}", self.verdict

    def record(self) -> dict[str, float | int | str | None]:
        """Return all numbers, for a file."""
        names = ("row", "column", "ours", "paper", "verdict")
        return {name: getattr(self, name) for name in names}
