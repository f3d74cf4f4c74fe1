"""Models whose columns, categories or classes have names that are hard on other languages.

A name stands for a column, a category or a class of small models of several kinds; `check_answers`
compares what another system says with the model.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney import C45Classifier, CARTClassifier, RandomForestClassifier

NAMES = {
    "quotes": "a\"b'c`d]e[f",
    "line breaks": "x\r\ny\tz",
    "comments": "*/ -- /* # //",
    "statement": "'; DROP TABLE data; --",
    "backslashes": "a\\n\\",
    "keyword": "select",
    "keyword of Python": "class",
    "300 characters": "x" * 300,
    "empty": "",
    "blank": " ",
    "NUL": "a\0b",
    "half a character": "a\ud800b",
    "controls": "a\x01\x7fb",
    "other scripts": "größe 你好 \u2028",
    "trigraph": "??/ ??)",
    "placeholders": "%s {0} :x ?",
    "dollars": "$spinney$ $1 $$",
    "star": "*",
    "literal": "true",
    "markup": "</script><b>&amp;]]>",
    "our own": "spinney_1",
    "marks of templates": "@ROOT PREFIX_",
    "marks of DOT": '\\N "] ->',
    "right to left": "\u202eabc",
}
# Pairs of names that some systems take for one.
PAIRS = {"case": ("Age", "age"), "blanks at the end": ("a", "a "), "accents": ("e\u0301", "\u00e9")}
KINDS = (
    "column of a tree",
    "column of a forest",
    "column in an expression",
    "category of a tree",
    "category of C4.5",
    "class of a tree",
    "class of a forest",
)


class Hostile(NamedTuple):
    """A model with its training rows, and rows to ask with gaps and unseen categories."""

    model: Any
    rows: dict[str, Any]
    y: Any
    asked: dict[str, Any]
    said: list[Any]

    @property
    def tree(self) -> Any:
        return getattr(self.model, "tree_", None)

    @property
    def columns(self) -> list[str]:
        return list(self.rows)

    def plain_rows(self) -> list[dict[str, Any]]:
        """The rows to ask as dicts of plain values; None is missing."""
        cells = zip(*self.asked.values(), strict=True)
        return [
            dict(zip(self.asked, (None if v != v else v for v in row), strict=True))
            for row in cells
        ]

    def check_answers(self, found: Any) -> None:
        assert [_plain(label) for label in found] == self.said


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def texts(values: Any) -> Any:
    """An array of text that no library looks into."""
    made = np.empty(len(values), dtype=object)
    made[:] = list(values)
    return made


@functools.cache
def hostile(kind: str, name: str, other: str | None = None) -> Hostile:
    """A model of a kind in which a name, and another one like it, have a part."""
    other = f"{name}x" if other is None else other
    rng = np.random.default_rng(5)
    n = 160
    numbers = rng.normal(size=(n, 2)).round(3)
    words = rng.integers(0, 4, n)
    role = kind.split()[0]
    listed = [name, other, "b", "c"] if role == "category" else ["p", "q", "b", "c"]
    first, second = (name, other) if role == "column" else ("first", "second")
    labels = [name, other, "z"] if role == "class" else ["no", "maybe", "yes"]
    score = numbers[:, 0] + (words == 0) - (words == 1) + rng.normal(0, 0.1, n)
    score += numbers[:, 1] if "expression" in kind else 0.5 * (numbers[:, 1] > 0)
    y = texts([labels[k] for k in np.digitize(score, [-0.6, 0.6])])
    rows = {
        first: numbers[:, 0],
        "word": texts([listed[k] for k in words]),
        second: numbers[:, 1],
    }
    # Names cut short or folded, as a system might take them for those of the model.
    near = [name[:1], name.upper(), name.lower(), name.strip(), f"{name} ", "unseen", "?"]
    new = [word for word in near if "\ud800" not in word] + listed
    m = 90
    more = rng.normal(size=(m, 2)).round(3)
    more[rng.random((m, 2)) < 0.15] = np.nan
    drawn = texts([new[k] for k in rng.integers(0, len(new), m)])
    drawn[rng.random(m) < 0.1] = None
    asked = {first: more[:, 0], "word": drawn, second: more[:, 1]}
    model = _ESTIMATORS[kind]().fit(rows, y)
    return Hostile(model, rows, y, asked, [_plain(label) for label in model.predict(asked)])


def _tree(**options: Any) -> Any:
    return CARTClassifier(max_depth=5, missing="majority", **options)


def _forest() -> Any:
    return RandomForestClassifier(
        3, max_depth=4, missing="majority", oob_score=False, random_state=0
    )


_ESTIMATORS: dict[str, Callable[[], Any]] = {
    "column of a tree": _tree,
    "column of a forest": _forest,
    "column in an expression": lambda: _tree(splitter="oblique", random_state=0),
    "category of a tree": _tree,
    "category of C4.5": lambda: C45Classifier(min_samples_leaf=5),
    "class of a tree": _tree,
    "class of a forest": _forest,
}
