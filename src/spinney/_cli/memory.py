"""What a model remembers of its making: taken down by `train`, used by the other commands."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from spinney import __version__
from spinney._cli.data.columns import TextFormat
from spinney._cli.data.reading import Choices, Reading
from spinney._cli.errors import Refusal
from spinney._cli.metrics import Costs
from spinney._training_info import MadeFor, binned_shares


def made_for(reading: Reading, model: Any, costs: Costs, positive: Any) -> MadeFor:
    """Return what a model is made for, to be kept in its file.

    Parameters
    ----------
    reading : Reading
        The training data.
    model : estimator
        Fitted on them.
    costs : mapping
        Costs of mistakes that were given.
    positive : label or None
        The positive class.

    Returns
    -------
    MadeFor
    """
    choices = reading.choices or Choices()
    shares: list[tuple[Any, float]] = []
    if reading.task == "classification":
        labels, counts = reading.class_counts
        shares = [
            (label, count / len(reading.y))
            for label, count in zip(labels, counts.tolist(), strict=True)
        ]
    X = reading.X
    schema = model._schema
    return MadeFor(
        target=reading.target.name,
        task=reading.task,
        version=__version__,
        n_rows=reading.n_rows,
        class_shares=tuple(shares),
        positive=positive,
        costs=tuple((a, b, float(price)) for (a, b), price in costs.items()),
        priors=_priors(model, [label for label, _ in shares]),
        dropped=reading.dropped,
        text=_text_pairs(choices.text),
        weight=choices.weight,
        exposure=choices.exposure,
        event=choices.event,
        rules_differ=_difference(model, X),
        **binned_shares([X[name] for name in schema.names], schema),
    )


def _priors(model: Any, labels: Sequence[Any]) -> tuple[tuple[Any, float], ...]:
    given = getattr(model, "priors", None)
    if given is None:
        return ()
    pairs = given.items() if isinstance(given, dict) else zip(labels, given, strict=True)
    return tuple((label, float(share)) for label, share in pairs)


def _difference(model: Any, X: Any) -> float | None:
    """Return for which share of rows the rules of C4.5 answer otherwise than its tree."""
    if not hasattr(model, "rules_") or not hasattr(model, "tree_"):
        return None
    return float(np.mean(model.rules_.predict(X) != model.predict(X)))


def difference_words(share: float, rows: str = "the training rows") -> str:
    """Return in words how often rules differ from their tree."""
    if share == 0.0:
        return f"the rules answer as the tree for {rows}, and may differ from it for others"
    return f"the rules answer otherwise than the tree for {100 * share:.1f} % of {rows}"


JUDGE_RULES = "`spinney evaluate --rules` judges them, `spinney rules --paths` writes the tree"


def _text_pairs(text: TextFormat) -> tuple[tuple[str, str], ...]:
    return tuple(
        (option.removeprefix("--"), value)
        for option, values in text.options()
        for value in values
        if option != "--encoding"  # of one file, not of the next
    )


def memory_of(model: Any) -> MadeFor | None:
    """Return what a model remembers; None if it was not made by the command line."""
    return getattr(model, "made_for_", None)


def remember(model: Any, memory: MadeFor | None, **changes: Any) -> None:
    """Let a model remember something, with changes."""
    if memory is not None:
        model.made_for_ = replace(memory, **changes)


def text_format(model: Any, given: dict[str, Any]) -> TextFormat:
    """Return how files are written: as at the training, and as the options say."""
    memory = memory_of(model)
    known = {column.name for column in model._schema.columns} | {memory.target if memory else ""}
    told: dict[str, list[str]] = {"na": [], "numeric": [], "decimal": []}
    for option, value in () if memory is None else memory.text:
        if option != "numeric" or value in known:
            told[option].append(value)
    decimal = given.get("decimal")
    return TextFormat(
        (*told["na"], *(given.get("na") or ())),
        given.get("encoding"),
        (*told["numeric"], *(given.get("numeric") or ())),
        decimal or next(iter(told["decimal"]), None),
        frozenset((f"--{option}", value) for option, values in told.items() for value in values),
    )


# -- The positive class of two


def choose_positive(given: str | None, labels: Sequence[Any], shares: Sequence[float]) -> Any:
    """Return the positive class: as given, else the rarer of two.

    Parameters
    ----------
    given : str or None
        As --positive names it.
    labels : sequence
        The classes.
    shares : sequence of float
        How frequent each is in the training data; equal ones make the second class positive.

    Returns
    -------
    label or None
        None if there are more than two classes.
    """
    if given is not None:
        by_text = {str(label): label for label in labels}
        if len(labels) != 2:
            raise Refusal(f"--positive is for two classes, and there are {len(labels)}.")
        if given not in by_text:
            raise Refusal(f"--positive: {given!r} is no class. There are: {', '.join(by_text)}.")
        return by_text[given]
    if len(labels) != 2:
        return None
    return labels[0] if shares[0] < shares[1] else labels[1]


def positive_of(model: Any, given: str | None = None) -> Any:
    """Return the positive class of a fitted model: as given, as it remembers, else the second."""
    classes = getattr(model, "classes_", np.zeros(0)).tolist()
    memory = memory_of(model)
    if given is None and memory is not None and memory.positive is not None:
        return memory.positive
    return choose_positive(given, classes, [1.0] * len(classes)) if classes else None
