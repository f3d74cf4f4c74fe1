"""`Report`: gathers what a page shows, and writes it."""

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney._atomic import write_atomically
from spinney._base import TableEstimator
from spinney.report._about import about_part, columns_part
from spinney.report._ensemble_part import mean_loss, members_part, quality_part, stand_in
from spinney.report._lifetimes_part import lifetimes_part, risk_groups_part
from spinney.report._other_tests_part import editing_part, stability_part
from spinney.report._page import page_html
from spinney.report._reasons_part import reasons_part, rules_part
from spinney.report._row_groups import cells_part
from spinney.report._sample import Given, Sample, criterion_of, read_sample
from spinney.report._tree_part import path_part, sizes_of, tree_part
from spinney.shapley._explained import checked_words


class Report:
    """A page that shows a fitted model on data: one HTML file that needs no network.

    The page has the model's tree to walk through, its size on a slider, its quality for every
    threshold, and traces rows as the model does. It holds counts of the data, never rows. Of an
    ensemble it shows the members, and the single tree that stands in for it best.

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor of this package.
    X : table of shape (n_rows, n_features)
        The data to show the model on, usually the rows that trained it.
    y : array of shape (n_rows,)
        Their target, as `fit` takes it: of survival trees event and time.
    holdout : tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, exposure), default=None
        Rows that did not train the model, to stand beside the others.
    sample_weight : array of shape (n_rows,), default=None
        Weights of the rows.
    exposure : array of shape (n_rows,), default=None
        For how much of it y was counted, for models of counts and amounts.
    target : str, default="target"
        The name of what is predicted.
    created : datetime, default=None
        The time that the page shows; None for now.
    words : mapping of str to str, default=None
        The words of reasons for a column, as `reasons` takes them.

    Examples
    --------
    >>> from spinney import CARTClassifier
    >>> from spinney.report import Report
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> report = Report(CARTClassifier().fit(X, y), X, y)
    >>> report.save("page.html")  # doctest: +SKIP
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        *,
        holdout: Any = None,
        sample_weight: Any = None,
        exposure: Any = None,
        target: str = "target",
        created: datetime | None = None,
        words: Mapping[str, str] | None = None,
    ) -> None:
        if not isinstance(model, TableEstimator):
            raise TypeError(
                f"model must be a fitted estimator of spinney, got {type(model).__name__}. A page "
                "about a Tree is made of the estimator that has it as tree_."
            )
        check_is_fitted(model)
        if X is None or y is None:
            raise ValueError(
                "a report needs data: X and y, such as the rows that trained the model."
            )
        self._model, self._target, self._created = model, str(target), created
        self._words = checked_words(model._schema, words)
        self._classes = getattr(model, "classes_", None)
        self._data = read_sample(model, Given(X, y, sample_weight, exposure), self._classes)
        self._holdout = None if holdout is None else self._read_holdout(_holdout(holdout))

    def _read_holdout(self, given: Given) -> Sample:
        try:
            return read_sample(self._model, given, self._classes, self._data)
        except (TypeError, ValueError) as error:
            raise type(error)(f"holdout: {error}") from error

    @property
    def _samples(self) -> list[Sample]:
        return [self._data] if self._holdout is None else [self._data, self._holdout]

    @property
    def _task(self) -> str:
        if self._classes is not None:
            return "classes"
        return "numbers" if self._data.lifetimes is None else "lifetimes"

    def payload(self) -> dict[str, Any]:
        """Return what the scripts of the page show: text, numbers and lists, no rows.

        Returns
        -------
        dict
        """
        model, classes, samples = self._model, self._classes, self._samples
        single = hasattr(model, "tree_")
        proxy = None if single else stand_in(model, samples, classes)
        shown = model if proxy is None else proxy.model
        seen = samples if proxy is None else [_seen_by(shown, sample) for sample in samples]
        n_classes, centre = 0 if classes is None else len(classes), self._centre()
        sizes = sizes_of(shown, shown.tree_)
        quality = None if proxy is None else quality_part(model, proxy, samples, n_classes, centre)
        ensemble = None
        if proxy is not None:
            if samples[0].lifetimes is not None:
                quality = {**(quality or {}), "groups": risk_groups_part(proxy.answers, samples)}
            ensemble = members_part(model, self._data, self._holdout)
            ensemble["agreement"] = proxy.agreement([own.given for own in samples], classes)
        return {
            "task": self._task,
            "classes": None if classes is None else [str(label) for label in classes.tolist()],
            "cost": _costs(model),
            "positive": _positive(model, classes),
            "centre": centre,
            "about": about_part(model, self._target, samples, classes, self._created),
            "columns": columns_part(sizes.tree.schema.columns, [own.values for own in seen]),
            "tree": tree_part(sizes, classes),
            "path": path_part(sizes, samples if single else []),
            "cells": cells_part(sizes.tree, seen, n_classes, centre),
            "nulls": self._null_losses(),
            "lifetimes": lifetimes_part(sizes, seen),
            "quality": quality,
            "ensemble": ensemble,
            "rules": rules_part(model),
            "reasons": reasons_part(model, self._data, self._words),
            "editing": editing_part(model, sizes.tree, self._data) if single else None,
            "stability": stability_part(model, self._data) if single else None,
        }

    def _centre(self) -> float:
        """Return the number about which squares are taken, so that sums keep their digits."""
        if self._classes is not None:
            return 0.0
        return float(np.average(self._data.rates, weights=self._data.time))

    def _null_losses(self) -> list[float] | None:
        """Return the loss of the overall mean in each data set."""
        if self._classes is not None:
            return None
        return [
            mean_loss(
                criterion_of(self._model),
                sample,
                np.full(sample.n_rows, np.average(sample.rates, weights=sample.time)),
            )
            for sample in self._samples
        ]

    def to_html(self) -> str:
        """Return the page as text.

        Returns
        -------
        str
        """
        return page_html(self.payload())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; what was there stays if that fails.

        Parameters
        ----------
        path : path
            The file, such as "page.html".
        """
        write_atomically(path, [self.to_html().encode()])


def _holdout(given: Any) -> Given:
    """Read what was given as the hold-out."""
    if not isinstance(given, tuple | list) or not 2 <= len(given) <= 4:
        raise ValueError(
            "holdout must be a tuple (X, y), with weights and exposure after them if there are "
            f"any, got {type(given).__name__}."
        )
    if given[0] is None or given[1] is None:
        raise ValueError("holdout must be a tuple (X, y) of data, got None in it.")
    return Given(*given)


def _seen_by(shown: Any, sample: Sample) -> Sample:
    """Return rows as the tree that stands in encodes them."""
    values = shown._rows(sample.given.X)
    return replace(sample, values=values)


def _positive(model: Any, classes: Any) -> int | None:
    """Return the class to look at first: that which the model was made to find, or the second."""
    if classes is None:
        return None
    sought = getattr(getattr(model, "made_for_", None), "positive", None)
    for place, label in enumerate(classes.tolist()):
        if sought is not None and label == sought:
            return place
    return int(len(classes) == 2)


def _costs(model: Any) -> list[list[float]] | None:
    """Return the costs of errors that the trees of a model know."""
    trees = [model.tree_] if hasattr(model, "tree_") else list(getattr(model, "forest_", ()))[:1]
    cost = trees[0].cost_matrix if trees else None
    return None if cost is None else cost.tolist()
