"""What the paper on mode-based bagging concludes, and whether it shows in other runs."""

from collections.abc import Iterator

import numpy as np

from spinney._reproduce._cells import Finding
from spinney._reproduce._mode_runs import CRITERIA, METHODS
from spinney._reproduce._parts import Claim, Floats, Results
from spinney._reproduce._published import published
from spinney.compare import friedman

__all__ = ["claims", "kept_tests"]

_KEPT = {row["dataset"]: row for row in published("mode_table2_percent_kept")}
_TRIMMED, _ALL = 75.0, 100.0
_LEVEL = 0.05


def kept_tests(results: Results) -> list[Finding]:
    """Return the tests of Table 2: the paper's own figures beside the median of our runs."""
    cells = []
    for criterion in CRITERIA:
        printed = friedman(_with_fixed(np.array([row[criterion] for row in _KEPT.values()])))
        ours = [friedman(_with_fixed(kept)) for kept in _kept(results, criterion)]
        for row, name in (("Friedman, p", "p_value"), ("Iman-Davenport, p", "iman_davenport_p")):
            median = float(np.median([getattr(one, name) for one in ours]))
            cells.append(Finding(row, criterion, median, getattr(printed, name)))
    return cells


def claims(results: Results) -> tuple[Claim, ...]:
    """Return the headlines."""
    return (*_member_claims(results), *_error_claims(results), _split_claim(results))


def _member_claims(results: Results) -> Iterator[Claim]:
    shares = [_kept(results, criterion) for criterion in CRITERIA]
    kept = np.mean([one.mean(axis=1) for one in shares], axis=0)  # by run
    yield _share("Fewer members than bagging", "44 %", _ALL - kept)
    less = 100.0 * (1.0 - kept / _TRIMMED)
    yield _share("Fewer members than trimmed bagging", "25 %", less)
    p = [friedman(_with_fixed(run)).p_value for one in shares for run in one]
    yield Claim(
        "The methods differ in the number of members (Friedman)",
        "p <= 4.1e-5 (entropy), 9.3e-5 (others, from its Table 2)",
        f"p <= {max(p):.1e} in all runs, {np.median(p):.1e} in half of them",
        max(p) < _LEVEL,
    )


def _error_claims(results: Results) -> Iterator[Claim]:
    p = [p for criterion in CRITERIA for p in _error_tests(results, criterion)]
    alike = float(np.mean(np.array(p) >= _LEVEL))
    yield Claim(
        "They do not differ significantly in error (Friedman)",
        "p of 0.08 to 0.88, from its Tables 3 to 6",
        f"p >= 0.05 in {100 * alike:.0f} % of the runs",
        alike > 0.5,
    )
    rise, honest = (
        np.mean([_mean(results, ours, c) - _mean(results, others, c) for c in CRITERIA])
        for ours, others in (("mode", "bagging"), ("honest_mode", "honest_bagging"))
    )
    yield Claim(
        "The mean error rises a little",
        "0.14, 0.38, -0.05 and 0.34 points",
        f"{rise:+.2f} points; on rows left out {honest:+.2f}",
        bool(abs(rise) < 0.5),
    )


def _split_claim(results: Results) -> Claim:
    p = np.concatenate([results.values("split_p", "runs", name) for name in _KEPT])
    share = float(np.mean(p[~np.isnan(p)] < _LEVEL))
    return Claim(
        "Members that stay differ from the others in errors (two-sample t)",
        "p < 0.05",
        f"in {100 * share:.0f} % of the runs",
        share > 0.95,
    )


def _share(text: str, paper: str, ours: Floats) -> Claim:
    printed = float(paper.split()[0])
    spread = ours.std(ddof=1) if len(ours) > 1 else np.inf
    holds = bool(abs(ours.mean() - printed) <= 2.0 * spread * np.sqrt(1.0 + 1.0 / len(ours)))
    return Claim(text, paper, f"{ours.mean():.1f} % ({ours.std():.1f})", holds)


def _kept(results: Results, criterion: str) -> Floats:
    """Return the shares that the mode keeps, of shape (n_runs, n_sets)."""
    return np.array([results.values("kept", "runs", name, criterion) for name in _KEPT]).T


def _with_fixed(kept: Floats) -> Floats:
    """Return the shares of the three methods, of shape (n_sets, 3)."""
    return np.column_stack([kept, np.full(len(kept), _TRIMMED), np.full(len(kept), _ALL)])


def _error_tests(results: Results, criterion: str) -> list[float]:
    """Return Friedman's p for the errors of the three methods, for each run."""
    runs = np.array(
        [[results.values(method, "runs", name, criterion) for method in METHODS] for name in _KEPT]
    )  # sets, methods, runs
    return [friedman(runs[:, :, run]).p_value for run in range(runs.shape[2])]


def _mean(results: Results, name: str, criterion: str) -> Floats:
    found = [results.values(name, "runs", one, criterion) for one in _KEPT]
    return np.asarray(np.mean(found, axis=0))
