"""`Results`: the scores of an experiment, with statistics, curves and tables."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._checks import Choice
from spinney._html import escaped
from spinney._typing import Floats
from spinney.compare import _statistics as statistics
from spinney.compare import _tables as tables
from spinney.compare._statistics import Friedman, Nemenyi, TestResult
from spinney.compare._tables import Table

Test = Literal["corrected_t", "paired_t", "wilcoxon"]
TESTS = ("corrected_t", "paired_t", "wilcoxon")


class Results:
    """The results of an experiment: scores of methods on the same partitions.

    Parameters
    ----------
    records : list of dict
        One per unit: `dataset`, `method`, `repeat`, `part`, and the measures.
    measure : str
        The main measure.
    higher_is_better : collection of str, default=()
        Measures for which higher is better.
    is_honest : bool, default=True
        Whether test rows were kept out of training.
    has_sizes : bool, default=False
        Whether the parts of a repeat are training sets of different sizes.
    shown : sequence of str, default=()
        Measures in the table of a data set, beside the main one.

    Attributes
    ----------
    datasets, methods : list of str
        Names, in the order of the experiment.
    measures : list of str
        Names of all measures.
    """

    def __init__(
        self,
        records: Sequence[dict[str, Any]],
        measure: str,
        *,
        higher_is_better: Collection[str] = (),
        is_honest: bool = True,
        has_sizes: bool = False,
        shown: Sequence[str] = (),
    ) -> None:
        self.records = list(records)
        self.measure = measure
        self.higher_is_better = frozenset(higher_is_better)
        self.is_honest = is_honest
        self.has_sizes = has_sizes
        self.shown = tuple(dict.fromkeys([measure, *shown]))
        self.datasets = _in_order(self.records, "dataset")
        self.methods = _in_order(self.records, "method")
        names = dict.fromkeys(name for record in self.records for name in record)
        keys = ("dataset", "method", "repeat", "part")
        self.measures = [name for name in names if name not in keys]

    def __repr__(self) -> str:
        n_units = len(self.records)
        return (
            f"Results({len(self.datasets)} data sets, {len(self.methods)} methods, {n_units} units)"
        )

    def __str__(self) -> str:
        return self.report()

    # -- Numbers

    def values(self, measure: str | None = None) -> Floats:
        """Return the values of a measure.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.

        Returns
        -------
        array of shape (n_datasets, n_methods, n_partitions)
            NaN where a method has no such measure. Partition i is the same for all methods.
        """
        if self.has_sizes:
            raise ValueError(
                "the training sets have several sizes. Use training_size_curve, or at_part(k) for "
                "the results of one size."
            )
        return self._values(self._measure(measure))

    def _values(self, measure: str) -> Floats:
        cells: dict[tuple[str, str], list[float]] = {}
        for record in self.records:
            value = record.get(measure)
            number = np.nan if value is None else float(value)
            cells.setdefault((record["dataset"], record["method"]), []).append(number)
        return np.array([[cells[d, m] for m in self.methods] for d in self.datasets])

    def mean(self, measure: str | None = None) -> Floats:
        """Return means over partitions: array of shape (n_datasets, n_methods).

        Rounded to twelve digits, so that equal errors summed in another order are a draw.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.

        Returns
        -------
        array of shape (n_datasets, n_methods)
        """
        return _rounded(self.values(measure).mean(axis=2))

    def sd(self, measure: str | None = None) -> Floats:
        """Return standard deviations over partitions; NaN if there is only one.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.

        Returns
        -------
        array of shape (n_datasets, n_methods)
        """
        values = self.values(measure)
        if values.shape[2] < 2:
            return np.full(values.shape[:2], np.nan)
        spread: Floats = values.std(axis=2, ddof=1)
        return spread

    def ranks(self, measure: str | None = None) -> Floats:
        """Return the ranks of the methods on each data set, by mean; 1 is best.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.

        Returns
        -------
        array of shape (n_datasets, n_methods)
        """
        name = self._measure(measure)
        return statistics.rank_rows(self.mean(name), name in self.higher_is_better)

    def mean_ranks(self, measure: str | None = None) -> Floats:
        """Return the mean rank of each method over the data sets.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.

        Returns
        -------
        array of shape (n_methods,)
        """
        ranks: Floats = self.ranks(measure).mean(axis=0)
        return ranks

    def losses(self, measure: str | None = None) -> Floats:
        """Return means of a measure such that lower is better: negative ones if higher is.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.

        Returns
        -------
        array of shape (n_datasets, n_methods)
        """
        name = self._measure(measure)
        return (-1.0 if name in self.higher_is_better else 1.0) * self.mean(name)

    # -- Statistics

    def compare(
        self,
        a: str,
        b: str,
        dataset: str | None = None,
        *,
        test: Test = "corrected_t",
        measure: str | None = None,
    ) -> TestResult:
        """Test the difference of two methods.

        Parameters
        ----------
        a, b : str
            Methods.
        dataset : str, default=None
            Compare on the partitions of this data set. None compares the means over all data sets,
            for which `test` must be "wilcoxon" or "paired_t", or uses the only data set.
        test : {"corrected_t", "paired_t", "wilcoxon"}, default="corrected_t"
            The statistical test. "corrected_t" accounts for the overlap of training sets.
        measure : str, default=None
            The measure; None is the main one.

        Returns
        -------
        TestResult
        """
        Choice(TESTS).check("test", test)
        first, second = self._place("method", a), self._place("method", b)
        name = self._measure(measure)
        if dataset is None and len(self.datasets) > 1:
            if test == "corrected_t":
                raise ValueError(
                    "test='corrected_t' compares on one data set: name it with dataset=, or use "
                    "test='wilcoxon' over all of them."
                )
            means = self.mean(name)
            return _run_test(test, means[:, first], means[:, second], 0.0)
        place = 0 if dataset is None else self._place("dataset", dataset)
        scores = self.values(name)[place]
        ratio = self._test_train_ratio(place) if test == "corrected_t" else 0.0
        return _run_test(test, scores[first], scores[second], ratio)

    def _test_train_ratio(self, place: int) -> float:
        if not self.is_honest:
            raise ValueError(
                "test='corrected_t' needs test rows that were not trained on, and resubstitution "
                "has none. Use another resampling."
            )
        n_test, n_train = self.values("n_test")[place, 0], self.values("n_train")[place, 0]
        return float(n_test.mean() / n_train.mean())

    def friedman(self, measure: str | None = None, *, correct_ties: bool = True) -> Friedman:
        """Test whether the methods differ over the data sets; see `spinney.compare.friedman`.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.
        correct_ties : bool, default=True
            Whether the statistic is corrected for ties.

        Returns
        -------
        Friedman
        """
        name = self._measure(measure)
        higher = name in self.higher_is_better
        return statistics.friedman(
            self.mean(name), higher_is_better=higher, correct_ties=correct_ties
        )

    def nemenyi(self, measure: str | None = None, *, alpha: float = 0.05) -> Nemenyi:
        """Compare all pairs of methods over the data sets; see `spinney.compare.nemenyi`.

        Parameters
        ----------
        measure : str, default=None
            One of `measures`; None is the main one.
        alpha : float, default=0.05
            Family-wise significance level.

        Returns
        -------
        Nemenyi
        """
        name = self._measure(measure)
        higher = name in self.higher_is_better
        return statistics.nemenyi(self.mean(name), alpha=alpha, higher_is_better=higher)

    def win_draw_loss(
        self, measure: str | None = None, *, test: Test | None = None, alpha: float = 0.05
    ) -> NDArray[np.int64]:
        """Count the data sets on which a method is better than, equal to or worse than another.

        Parameters
        ----------
        measure : str, default=None
            The measure; None is the main one.
        test : {"corrected_t", "paired_t", "wilcoxon"}, default=None
            Insignificant differences by this test are draws. None compares means, of which only
            equal ones are draws.
        alpha : float, default=0.05
            Significance level of the test.

        Returns
        -------
        array of shape (n_methods, n_methods, 3)
            Wins, draws and losses of the method of the row against that of the column.
        """
        name = self._measure(measure)
        means = self.losses(name)
        n_methods = len(self.methods)
        counts = np.zeros((n_methods, n_methods, 3), dtype=np.int64)
        for d, dataset in enumerate(self.datasets):
            for i, a in enumerate(self.methods):
                for j, b in enumerate(self.methods):
                    gap = means[d, i] - means[d, j]
                    if test is not None and gap != 0.0:
                        found = self.compare(a, b, dataset, test=test, measure=name)
                        gap = gap if found.p_value < alpha else 0.0
                    counts[i, j, 1 + int(np.sign(gap))] += 1
        return counts

    # -- Curves

    def size_curve(self, dataset: str, method: str) -> Floats:
        """Return the error by number of members, at the stages of the experiment.

        Parameters
        ----------
        dataset : str
            Name of the data set.
        method : str
            Name of the method.

        Returns
        -------
        array of shape (n_stages, 3)
            Members, mean and standard deviation; no rows if the method has no stages.
        """
        prefix = f"{self.measure}_at_"
        d, m = self._place("dataset", dataset), self._place("method", method)
        rows = []
        for stage in sorted(int(n[len(prefix) :]) for n in self.measures if n.startswith(prefix)):
            values = self.values(f"{prefix}{stage}")[d, m]
            if not np.isnan(values).any():
                rows.append((stage, values.mean(), _deviation(values)))
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    def training_size_curve(self, dataset: str, method: str, measure: str | None = None) -> Floats:
        """Return the error by number of training rows, if the resampling has several.

        Parameters
        ----------
        dataset : str
            Name of the data set.
        method : str
            Name of the method.
        measure : str, default=None
            One of `measures`; None is the main one.

        Returns
        -------
        array of shape (n_sizes, 3)
            Training rows, mean and standard deviation.
        """
        if not self.has_sizes:
            raise ValueError(
                "all training sets have one size. Use GrowingTrainingSet as the resampling."
            )
        name = self._measure(measure)
        d, m = self._place("dataset", dataset), self._place("method", method)
        parts = np.array(
            [r["part"] for r in self.records if (r["dataset"], r["method"]) == (dataset, method)]
        )
        sizes, values = self._values("n_train")[d, m], self._values(name)[d, m]
        groups = [parts == k for k in np.unique(parts)]
        return np.array(
            [(sizes[own].mean(), values[own].mean(), _deviation(values[own])) for own in groups]
        )

    def at_part(self, part: int) -> "Results":
        """Return the results of one part of every repeat: of one size of the training set.

        Parameters
        ----------
        part : int
            Index of the part.

        Returns
        -------
        Results
        """
        kept = [record for record in self.records if record["part"] == part]
        if not kept:
            raise ValueError(f"part must be one of the parts of a repeat, got {part!r}.")
        return Results(
            kept,
            self.measure,
            higher_is_better=self.higher_is_better,
            is_honest=self.is_honest,
            shown=self.shown,
        )

    # -- Tables

    def table(self, what: str = "scores", measure: str | None = None) -> Table:
        """Return a table.

        Parameters
        ----------
        what : str, default="scores"
            "scores": mean and standard deviation of each method on each data set;
            "ranks": ranks and mean ranks; "sizes": leaves, nodes and members; "times": seconds to
            fit and to predict; "pairs": wins, draws and losses of pairs of methods, and Wilcoxon's
            test; or the name of a data set: its methods side by side, the best first.
        measure : str, default=None
            The measure; None is the main one.

        Returns
        -------
        Table
            To print, or as CSV, Markdown or LaTeX.
        """
        makers: dict[str, Any] = {
            "scores": tables.score_table,
            "ranks": tables.rank_table,
            "sizes": tables.size_table,
            "times": tables.time_table,
            "pairs": tables.pair_table,
        }
        Choice([*makers, *self.datasets]).check("what", what)
        name = self._measure(measure)
        return (
            makers[what](self, name) if what in makers else tables.dataset_table(self, what, name)
        )

    def report(self) -> str:
        """Return the tables and tests that fit the experiment, as text.

        Returns
        -------
        str
        """
        if len(self.datasets) == 1:
            return self.table(self.datasets[0]).to_text()
        parts = [self.table(what).to_text() for what in ("scores", "ranks", "pairs", "sizes")]
        return "\n".join([*parts, *(f"{sentence}\n" for sentence in tables.rank_tests(self))])

    def _repr_html_(self) -> str:
        if len(self.datasets) == 1:
            return str(self.table(self.datasets[0])._repr_html_())
        parts = [self.table(what)._repr_html_() for what in ("scores", "ranks", "pairs", "sizes")]
        words = [f"<p>{escaped(sentence)}</p>" for sentence in tables.rank_tests(self)]
        return "".join([*parts, *words])

    # -- Names

    def _measure(self, measure: str | None) -> str:
        if measure is None:
            return self.measure
        Choice(self.measures).check("measure", measure)
        return measure

    def _place(self, kind: Literal["dataset", "method"], name: str) -> int:
        names = self.datasets if kind == "dataset" else self.methods
        Choice(names).check(kind, name)
        return names.index(name)


def _in_order(records: Sequence[dict[str, Any]], key: str) -> list[str]:
    return list(dict.fromkeys(record[key] for record in records))


def _rounded(means: Floats) -> Floats:
    """Round to twelve digits of the largest number in each row."""
    largest = np.abs(np.nan_to_num(means)).max(axis=1, keepdims=True)
    digits = 10.0 ** (11.0 - np.floor(np.log10(np.where(largest > 0, largest, 1.0))))
    rounded: Floats = np.round(means * digits) / digits
    return rounded


def _deviation(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else np.nan


def _run_test(test: str, a: Floats, b: Floats, ratio: float) -> TestResult:
    if test == "corrected_t":
        return statistics.corrected_t(a, b, ratio)
    return statistics.paired_t(a, b) if test == "paired_t" else statistics.wilcoxon(a, b)
