"""What choosing constants on the same sets gains small forests, and what they are worth elsewhere.

Run it as `python -m benchmarks.small_constants FILE [--elsewhere] [--repeats N]`. Every choice of
constants is measured on all sets, bundled ones or those of `other_sets` (into FILE; what is there
is not measured again). Then the constants are chosen on some sets and judged on the others: on all
but one, and on random halves, both ways.
"""

import argparse
import csv
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.other_sets import SETS as OTHERS
from benchmarks.other_sets import Rows
from benchmarks.shrinkage import SETS, folds_of, scores
from spinney import RandomForestClassifier, SmallForestClassifier
from spinney.compare import wilcoxon
from spinney.ensemble import _small_base
from spinney.ensemble._small_base import Imitation
from spinney.ensemble._small_pool import grow_pool

SIZES = (25, 11)
_FOREST = "500 trees"  # to compare with, not a choice
_USED, _POOL = Imitation(), 200
_REACHES, _HALVINGS = (1, 2, 5), (1, 2, 3)
_OTHERS = {"prior_rows": (2.0, 15.0), "n_sweeps": (2, 4), "doubt": (0.1, 0.5)}
_HALVES = 500  # divisions of the sets


@dataclass(frozen=True)
class Choice:
    """What small forests are made with."""

    imitation: Imitation = _USED
    pool: int = _POOL
    members: tuple[str, ...] = ("forest", "extra")
    order: str = "pool"


def choices() -> dict[str, Choice]:
    """Return the choices by name: two constants crossed, others one at a time."""
    found: dict[str, Choice] = {"as used": Choice()}
    for reach in _REACHES:
        for halvings in _HALVINGS:
            one = replace(_USED, reach=reach, halvings=halvings)
            found[f"reach {reach}, 1 of {2**halvings} columns"] = Choice(one)
    for name, values in _OTHERS.items():
        for value in values:
            found[f"{name} {value:g}"] = Choice(replace(_USED, **{name: value}))
    for least in (2000, 4000, 8000):
        one = replace(_USED, least_drawn=least, times=2 * least // 1000)
        found[f"{least} rows"] = Choice(one)
    for pool in (100, 400):
        found[f"pool of {pool}"] = Choice(pool=pool)
    kinds = [("forest",), *(("forest", "extra", one) for one in ("igpa", "oblique", "boosted"))]
    for members in kinds:
        found[f"of {', '.join(members)}"] = Choice(members=members)
    found["all may stay"] = Choice(replace(_USED, n_staying=9))
    for order in ("loss", "margin", "orientation"):
        found[f"order by {order}"] = Choice(order=order)
    for halvings in (1, 2, 3):
        for doubt in (0.0, 0.1):
            one = replace(_USED, reach=2, halvings=halvings, doubt=doubt)
            words = f"reach 2, 1 of {2**halvings} columns, doubt {doubt:g}, order by loss"
            found[words] = Choice(one, order="loss")
    same: dict[Choice, str] = {}  # under two names
    return {name: one for name, one in found.items() if same.setdefault(one, name) == name}


def measure(
    name: str, repeat: int, rows: Rows | None, named: dict[str, Choice], *, forest: bool
) -> Iterator[list[Any]]:
    """Yield error and log loss of every choice, and fold."""
    for fold, (X, y, X_test, y_test) in enumerate(folds_of(name, repeat, rows)):
        if forest:
            many = RandomForestClassifier(500, combine="average", oob_score=False)
            error, _, loss = scores(many.set_params(random_state=repeat).fit(X, y), X_test, y_test)
            yield from ([name, repeat, fold, _FOREST, size, 100 * error, loss] for size in SIZES)
        pools: dict[Any, Any] = {}
        _small_base.grow_pool = partial(_grown_once, pools)
        for words, one in named.items():
            for size in SIZES:
                model = SmallForestClassifier(
                    size, pool=one.pool, members=one.members, order=one.order
                )
                model._imitation = one.imitation
                error, _, loss = scores(
                    model.set_params(random_state=repeat).fit(X, y), X_test, y_test
                )
                yield [name, repeat, fold, words, size, 100 * error, loss]


def _grown_once(pools: dict[Any, Any], trainer: Any, members: Any, plan: Any, *others: Any) -> Any:
    """Return the pool that an earlier choice of the same fold has grown, or grow it."""
    key = (members, plan.n_members)
    if key not in pools:
        pools[key] = grow_pool(trainer, members, plan, *others)
    return pools[key]


def nested(table: np.ndarray, used: int) -> dict[str, float]:
    """Return means over sets: of the constants as used, and of those chosen on other sets.

    Parameters
    ----------
    table : array of shape (n_sets, n_choices)
        What is to be small.
    used : int
        The column of the constants as used.
    """
    n, found = len(table), {"as used": table[:, used].mean()}
    best = [np.delete(table, i, axis=0).mean(axis=0).argmin() for i in range(n)]
    found["chosen on all sets but one"] = float(np.mean([table[i, b] for i, b in enumerate(best)]))
    rng, halves = np.random.default_rng(0), []
    for _ in range(_HALVES):
        order = rng.permutation(n)
        for chosen, judged in (
            (order[: n // 2], order[n // 2 :]),
            (order[n // 2 :], order[: n // 2]),
        ):
            halves.append(table[judged, table[chosen].mean(axis=0).argmin()].mean())
    found["chosen on half of the sets"] = float(np.mean(halves))
    found["chosen on the same sets"] = float(table.mean(axis=0).min())
    return found


def show(rows: list[list[str]]) -> None:
    """Print the means of every choice, and what nested choice gives."""
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for name, _, _, words, size, error, loss in rows:
        found.setdefault((size, words, name), []).append((float(error), float(loss)))
    names = list(dict.fromkeys(words for _, words, _ in found))
    every = dict.fromkeys(name for _, _, name in found)
    sets = [one for one in every if all(("25", words, one) in found for words in names)]
    for size in map(str, SIZES):
        table = np.array([[np.mean(found[size, w, s], axis=0) for w in names] for s in sets])
        print(f"{size} trees, {len(sets)} sets: error, p, better-worse; log loss, p")
        for i, words in enumerate(names):
            print(f"{words:40}" + "  ".join(_beside(table[:, i], table[:, 0])))
        for place, what in enumerate(("error", "log loss")):
            print(f"{what} of {size} trees")
            for words, mean in nested(table[:, 1:, place], 0).items():
                print(f"  {words:46}{mean:9.4f}")


def _beside(own: np.ndarray, forest: np.ndarray) -> Iterator[str]:
    """Yield the cells of a choice: errors and log losses by set, beside those of the forest."""
    p = [wilcoxon(*pair).p_value for pair in zip(own.T, forest.T, strict=True)]
    better, worse = (int((s * (own - forest)[:, 0] > 1e-9).sum()) for s in (-1, 1))
    yield f"{own[:, 0].mean():7.2f}{p[0]:7.3f}{better:4}-{worse}"
    yield f"{own[:, 1].mean():9.4f}{p[1]:7.3f}"


def main() -> None:
    """Measure what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--elsewhere", action="store_true", help="on sets that are not bundled")
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--choices", nargs="*", help="names of choices, of all")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    given.file.touch()
    with given.file.open(newline="") as lines:
        done = list(csv.reader(lines))
    known = {(row[0], row[1], row[3]) for row in done}
    for repeat in range(given.repeats):
        for name in given.sets or (OTHERS if given.elsewhere else SETS):
            named = {
                words: one
                for words, one in choices().items()
                if (name, str(repeat), words) not in known
                and (not given.choices or words in given.choices)
            }
            forest = (name, str(repeat), _FOREST) not in known
            rows = OTHERS[name]() if given.elsewhere and (named or forest) else None
            new = list(measure(name, repeat, rows, named, forest=forest)) if named or forest else []
            with given.file.open("a", newline="") as lines:
                csv.writer(lines).writerows(new)
            done += [[str(cell) for cell in row] for row in new]
    show(done)


if __name__ == "__main__":
    main()
