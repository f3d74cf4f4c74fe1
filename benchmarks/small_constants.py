"""How much of what small forests gain comes from choosing their constants on the same data sets.

Run it as `python -m benchmarks.small_constants FILE [--repeats N]`. Every choice of constants is
measured on all sets (into FILE; what is there is not measured again). Then the constants are chosen
on some sets and judged on the others: on all but one, and on random halves, both ways.
"""

import argparse
import csv
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.shrinkage import SETS, folds_of, scores
from spinney import RandomForestClassifier, SmallForestClassifier
from spinney.ensemble import _small_forest
from spinney.ensemble._small_forest import Imitation
from spinney.ensemble._small_pool import grow_pool

SIZES = (25,)
_FOREST = "500 trees"  # to compare with, not a choice
_USED, _POOL = Imitation(), 200
_LEVELS = {"reach": (2, 5, 10), "prior_rows": (2.0, 5.0, 15.0), "n_sweeps": (2, 4, 8)}
_HALVES = 500  # divisions of the sets
Choice = tuple[Imitation, int, tuple[str, ...]]  # constants, size of the pool, kinds of its trees


def choices() -> dict[str, Choice]:
    """Return the choices by name: three constants in a Latin square, others one at a time."""
    members = ("forest", "extra")
    found: dict[str, Choice] = {"as used": (_USED, _POOL, members)}
    for i, reach in enumerate(_LEVELS["reach"]):
        for j, prior in enumerate(_LEVELS["prior_rows"]):
            sweeps = _LEVELS["n_sweeps"][(i + j + 2) % 3]
            one = replace(_USED, reach=reach, prior_rows=prior, n_sweeps=int(sweeps))
            found[f"reach {reach}, prior {prior:g}, {sweeps} sweeps"] = (one, _POOL, members)
    for least in (2000, 8000):
        found[f"{least} rows"] = (
            replace(_USED, least_drawn=least, times=2 * least // 1000),
            _POOL,
            members,
        )
    for pool in (100, 400):
        found[f"pool of {pool}"] = (_USED, pool, members)
    kinds: list[tuple[str, ...]] = [("forest",), ("forest", "extra")]
    kinds += [("forest", "extra", one) for one in ("igpa", "oblique", "boosted")]
    kinds.append(("forest", "extra", "igpa", "oblique", "boosted"))
    for one in kinds:
        found[f"of {', '.join(one)}"] = (_USED, _POOL, one)
    for one in (kinds[1], kinds[-1]):
        found[f"of {', '.join(one)}, all may stay"] = (replace(_USED, n_staying=9), _POOL, one)
    same = {}  # under two names
    return {name: same.setdefault(one, one) for name, one in found.items() if one not in same}


def measure(name: str, repeat: int, n_folds: int, named: dict[str, Choice]) -> Iterator[list[Any]]:
    """Yield error and log loss of every choice, and fold."""
    for fold, (X, y, X_test, y_test) in enumerate(islice(folds_of(name, repeat), n_folds)):
        forest = RandomForestClassifier(500, combine="average", oob_score=False)
        error, _, loss = scores(forest.set_params(random_state=repeat).fit(X, y), X_test, y_test)
        yield from ([name, repeat, fold, _FOREST, size, 100 * error, loss] for size in SIZES)
        pools: dict[Any, Any] = {}
        _small_forest.grow_pool = partial(_grown_once, pools)
        for words, (imitation, pool, members) in named.items():
            for size in SIZES:
                model = SmallForestClassifier(size, pool=pool, members=members)
                model._imitation = imitation
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
    sets = [one for one in SETS if all(("25", words, one) in found for words in names)]
    print(f"{len(sets)} sets; error and log loss of 25 trees")
    tables = {
        size: np.array([[np.mean(found[size, w, s], axis=0) for w in names] for s in sets])
        for size in map(str, SIZES)
    }
    for i, words in enumerate(names):
        cells = [f"{t[:, i, 0].mean():8.2f}{t[:, i, 1].mean():9.4f}" for t in tables.values()]
        print(f"{words:48}" + "".join(cells))
    for size, table in tables.items():
        for place, what in enumerate(("error", "log loss")):
            print(f"{what} of {size} trees")
            print(f"  {names[0]:46}{table[:, 0, place].mean():9.4f}")
            for words, mean in nested(table[:, 1:, place], 0).items():
                print(f"  {words:46}{mean:9.4f}")


def main() -> None:
    """Measure what is missing, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folds", type=int, default=5, help="of the five")
    parser.add_argument("--sets", nargs="*", default=SETS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    given.file.touch()
    with given.file.open(newline="") as lines:
        done = list(csv.reader(lines))
    known = {(row[0], row[1]) for row in done}
    with given.file.open("a", newline="") as lines:
        for repeat in range(given.repeats):
            for name in given.sets:
                if (name, str(repeat)) not in known:
                    rows = list(measure(name, repeat, given.folds, choices()))
                    csv.writer(lines).writerows(rows)
                    lines.flush()
                    done += [[str(cell) for cell in row] for row in rows]
    show(done)


if __name__ == "__main__":
    main()
