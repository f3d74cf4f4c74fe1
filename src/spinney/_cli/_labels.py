"""Labels of a table, matched with those that a model knows.

Programs write the same label in several ways: True, true and TRUE; 3 and 3.0. A model must not take
such a cell for a category that it has never seen.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from spinney._cli._text import plural
from spinney._cli.data.columns import Column

if TYPE_CHECKING:
    from spinney._table import Column as Known

_WHOLE = re.compile(r"([+-]?\d+)\.0+")
_MOST_LABELS = 5


def other_spellings(texts: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return for each text that is not known the known one that means the same, where one does."""
    by_meaning: dict[str, list[str]] = {}
    exact = set()
    for label in known:
        exact.add(label)
        by_meaning.setdefault(_meaning(label), []).append(label)
    found = {}
    for text in texts:
        same = by_meaning.get(_meaning(text), [])
        if text not in exact and len(same) == 1:
            found[text] = same[0]
    return found


def match_labels(column: Column, known: "Known") -> tuple[Column, str | None]:
    """Return a column in the spelling of a model, and a note about labels that it does not know."""
    if known.kind == "numeric" or column.kind == "numeric":
        return column, None
    counts = column.counts.tolist()
    strange = {
        label
        for label, count in zip(column.categories, counts, strict=True)
        if count and known.code_of(label) is None
    }
    if not strange:
        return column, None
    spelt = other_spellings(strange, map(str, known.categories))
    if spelt:
        column = _renamed(column, spelt)
        strange -= set(spelt)
    return column, _note(column, strange, known) if strange else None


def _meaning(text: str) -> str:
    lower = text.lower()
    if lower in ("true", "false"):
        return lower
    whole = _WHOLE.fullmatch(text)
    return whole.group(1) if whole else text


def _renamed(column: Column, spelt: Mapping[str, str]) -> Column:
    """Return a column whose labels are spelt otherwise; two of them may become one."""
    labels = [spelt.get(label, label) for label in column.categories]
    places = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    codes = np.array([*(places[label] for label in labels), -1], dtype=np.int32)
    return Column(column.name, column.kind, codes[column.cells], tuple(places))


def _note(column: Column, strange: set[str], known: "Known") -> str:
    pairs = zip(column.categories, column.counts.tolist(), strict=True)
    counts = Counter({label: count for label, count in pairs if label in strange})
    first = sorted(counts, key=lambda label: (-counts[label], str(label)))
    held = plural(len(first), "category", "categories")
    hold, they_count = ("holds", "it counts") if counts.total() == 1 else ("hold", "they count")
    return (
        f"{column.name}: {plural(counts.total(), 'cell')} {hold} {held} that the model does not "
        f"know ({_listed(map(repr, first), len(first))}); {they_count} as missing. The model knows "
        f"{_listed(map(str, known.categories), len(known.categories))}"
    )


def _listed(labels: Iterable[str], count: int) -> str:
    shown = ", ".join(label for label, _ in zip(labels, range(_MOST_LABELS), strict=False))
    return f"{shown} and {count - _MOST_LABELS} more" if count > _MOST_LABELS else shown
