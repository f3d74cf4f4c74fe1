"""Searches that can be looked into, and tables for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from spinney import _core
from spinney._base import core_dataset, encode_training
from spinney._expression.tokens import OPS

LETTERS = ("a", "b", "c")


def mixed_table(rng: np.random.Generator, n: int = 80, gaps: float = 0.1) -> pd.DataFrame:
    """Numbers, two columns of one domain, one of another, and an ordered one; all with gaps."""
    sizes = pd.CategoricalDtype(["small", "middle", "large"], ordered=True)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "y": rng.integers(-3, 4, n).astype(float),
            "one": pd.Categorical(rng.choice(LETTERS, n), LETTERS),
            "two": pd.Categorical(rng.choice(LETTERS, n), LETTERS),
            "colour": pd.Categorical(rng.choice(["red", "blue"], n), ["red", "blue"]),
            "size": pd.Categorical(rng.choice(list(sizes.categories), n), dtype=sizes),
        }
    )
    return frame.mask(rng.random(frame.shape) < gaps)


def classes_of(frame: pd.DataFrame, rng: np.random.Generator, n_classes: int) -> np.ndarray:
    """Classes that have something to do with the table."""
    score = frame["x"].fillna(0.0) + (frame["one"] == frame["two"]) + (frame["y"] > 0)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    noise = rng.random(len(frame)) < 0.15
    codes = np.digitize(score, cuts)
    return np.where(noise, rng.integers(0, n_classes, len(frame)), codes)


def encoded(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    """Table, columns and target as a fit of the model sees them."""
    values, schema, target = encode_training(
        model,
        X,
        y,
        weight,
        encode_target=model._encode_target,
        counts_weight=False,
        schema=None,
    )
    return *model._learner().share_columns(values, schema), target


class Watched:
    """An evolution that is run step by step, with what it is run on."""

    def __init__(
        self, model: Any, X: Any, y: Any, weight: Any = None, *, seed: int = 0, **plan: Any
    ) -> None:
        learner = model._learner()
        self.values, self.schema, self.target = encoded(model, X, y, weight)
        self.language = learner._language(self.values, self.schema, self.target)
        self.plan = learner.plan()
        for name, value in plan.items():
            setattr(self.plan, name, value)
        self.evolution = _core.Evolution(
            core_dataset(self.values, self.schema),
            self.target.core(),
            learner.growth(self.values, self.schema, self.target),
            self.language,
            self.plan,
            seed,
        )

    def step(self, n: int = 1, n_threads: int = 1) -> bool:
        """Run some generations; tell whether all is done."""
        return bool(self.evolution.run(n, n_threads))

    @property
    def tests(self) -> list[list[tuple[str, int, float]]]:
        """The tests found, in words."""
        return [in_words(test) for test in self.evolution.state()[0]]

    def population(self) -> list[tuple[list[tuple[str, int, float]], int, float]]:
        """Every program of the present search: tokens in words, symbols, fitness."""
        return [
            (in_words(self.language.tokens(genes)), len(genes), fitness)
            for genes, fitness in self.evolution.state()[4]
        ]

    def best(self) -> tuple[list[tuple[int, float]], float]:
        """The best program of the present search, and its fitness."""
        genes, fitness = self.evolution.state()[5]
        return genes, fitness


def in_words(tokens: Any) -> list[tuple[str, int, float]]:
    """Tokens of the core with the names of operations."""
    return [(OPS[op], arg, value) for op, arg, value in tokens]


def in_numbers(tokens: Any) -> list[tuple[int, int, float]]:
    """Tokens as the core takes them."""
    return [(OPS.index(op), arg, value) for op, arg, value in tokens]


@contextmanager
def recorded() -> Iterator[list[Any]]:
    """Keep the symbols that languages are made of."""
    seen = []

    def record(symbols: Any, *rest: Any) -> Any:
        seen.append(symbols)
        return _core.Language(symbols, *rest)

    fake = SimpleNamespace(Language=record, MAX_PROGRAM=_core.MAX_PROGRAM)
    with mock.patch("spinney.evolve._language._core", fake):
        yield seen


def language_of(model: Any, X: Any, y: Any) -> tuple[Any, Any, Any]:
    """The language of a model for a table: symbols, language, encoded rows."""
    values, schema, target = encoded(model, X, y)
    with recorded() as seen:
        language = model._learner()._language(values, schema, target)
    return seen[0], language, np.asfortranarray(values)
