"""One member of any origin: a learner, what it sees of the rows, and its training."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from spinney._table import Schema
from spinney.ensemble._learner import new_member, told_of_columns
from spinney.ensemble._outsiders import Floats, Member, Places, Rows
from spinney.ensemble._rows import take_rows
from spinney.tree._base import BaseTree


@dataclass(frozen=True)
class Task:
    """What a member is trained on. Afterwards it answers for the rows left out, or for all.

    `counts` says how often each row is there and `weight` what it weighs, None for no weights.
    `truth` holds class codes, or numbers; `labels` the classes, None for numbers.
    """

    learner: Any
    schema: Schema
    labels: NDArray[Any] | None
    truth: NDArray[Any]
    counts: NDArray[np.int64]
    weight: Floats | None
    seed: int
    features: NDArray[np.int32]
    left_out: Places
    groups: tuple[int, ...] = ()
    asks_all: bool = False

    @property
    def has_few_rows(self) -> bool:
        """Whether there may be a class for every other row."""
        return self.labels is not None and int(self.counts.sum()) <= 2 * len(self.labels)

    @property
    def columns(self) -> Schema:
        """The columns that the member sees."""
        if not len(self.features):
            return self.schema
        columns = tuple(self.schema.columns[j] for j in self.features.tolist())
        return Schema(columns, self.schema.has_names)

    @property
    def told(self) -> NDArray[Any]:
        """What the member is told of each row: a label, a group or a number."""
        if self.labels is None:
            return self.truth
        told: NDArray[Any] = (np.array(self.groups) if self.groups else self.labels)[self.truth]
        return told


def train(task: Task, rows: Rows) -> tuple[Member, Floats]:
    """Train a member, and return it with its answers for the rows left out, or for all."""
    grow = _grow if isinstance(task.learner, BaseTree) else _fit
    member = Member(grow(task, rows), task.features, task.groups)
    if not task.asks_all and not len(task.left_out):
        return member, np.zeros(0)
    asked = rows if task.asks_all else rows.take(task.left_out)
    return member, member.answers(asked, task.labels)


def _fit(task: Task, rows: Rows) -> Any:
    """Train a learner on rows of the user's table."""
    places = np.repeat(np.arange(rows.n_rows), task.counts)
    told = task.told[places]
    is_class = task.labels is not None
    learner = told_of_columns(task.learner, task.columns)
    member = new_member(learner, told if is_class else None, task.seed)
    extra = {}
    name = weight_name(member)
    if task.weight is not None and name is not None:
        extra[name] = task.weight[places]
    X = take_rows(rows.for_learner(member, task.features), places)
    member.fit(X, told, **extra)
    return member


def _grow(task: Task, rows: Rows) -> Any:
    """Grow a tree of ours from the encoded table: a row that counts twice weighs twice."""
    member = new_member(task.learner, None, task.seed)
    weight = task.counts * (1.0 if task.weight is None else task.weight)
    values = rows.for_learner(member, task.features)
    target = member._encode_target(task.told, weight)
    member._learn(values, task.columns, target)
    return member


def weight_name(learner: Any) -> str | None:
    """Return what a learner's fit calls the weights of rows, None if it takes none.

    Parameters
    ----------
    learner : estimator
        A pipeline hands weights to its last step.

    Returns
    -------
    str or None
    """
    if has_fit_parameter(learner, "sample_weight"):
        return "sample_weight"
    if not isinstance(learner, Pipeline):
        return None
    if get_config()["enable_metadata_routing"]:
        takes = learner.get_metadata_routing().consumes("fit", ["sample_weight"])
        return "sample_weight" if takes else None
    step, last = learner.steps[-1]
    name = weight_name(last)
    return None if name is None else f"{step}__{name}"
