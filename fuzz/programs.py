"""Random expressions through the parser, a tree, the core, and back to text.

Sound texts must mean what a slow reading of them says, and must survive being written down again.
Damaged texts must be refused by a ValueError, or be sound.
"""

from random import Random
from typing import Any

import numpy as np
import pandas as pd

from spinney import Tree

NUMBERS = ("x", "y", "`odd name`")
NAMES = ("x", "y", "odd name", "k")
LETTERS = ("a", "b", "c")
CELLS = [0.0, -0.0, 1.0, -1.5, 2.0, 1e300, -1e300, 5e-324, np.inf, -np.inf, np.nan]
SIGNS = [*"()+-*<>=!'\"`.,\\ \n\0é", "<=", ">=", " and ", " or ", "not ", "sin(", "1e999", "inf"]
DEEPEST = 5


def number(random: Random, depth: int) -> tuple[str, Any]:
    """Return the text of a number, and a function from a row to its value."""
    way = random.randrange(6) if depth < DEEPEST else random.randrange(2)
    if way == 0:
        value = random.choice([0.0, 1.0, 2.5, 1e-310, 1e300, float(random.randrange(100))])
        return repr(value), lambda row: value
    if way in (1, 2):
        place = random.randrange(3)
        return NUMBERS[place], lambda row: row[place]
    (a, left), (b, right) = number(random, depth + 1), number(random, depth + 1)
    sign = random.choice("+-*")
    work = {"+": np.add, "-": np.subtract, "*": np.multiply}[sign]
    return f"({a} {sign} {b})", lambda row: float(work(left(row), right(row)))


def truth(random: Random, depth: int = 0) -> tuple[str, Any]:
    """Return the text of a truth value, and a function from a row to True, False or None."""
    way = random.randrange(6) if depth < DEEPEST else random.randrange(3)
    if way == 0:
        letter = random.choice(LETTERS)
        return f"k = {letter}", lambda row: None if row[3] is None else row[3] == letter
    if way in (1, 2):
        (a, left), (b, right) = number(random, depth + 1), number(random, depth + 1)
        sign = random.choice([">", "<", ">=", "<=", "="])
        return f"{a} {sign} {b}", lambda row: _compare(sign, left(row), right(row))
    (a, left), (b, right) = truth(random, depth + 1), truth(random, depth + 1)
    if way == 3:
        return f"not ({a})", lambda row: _not(left(row))
    if way == 4:
        return f"({a}) and ({b})", lambda row: _not(_or(_not(left(row)), _not(right(row))))
    return f"({a}) or ({b})", lambda row: _or(left(row), right(row))


def _compare(sign: str, a: float, b: float) -> bool | None:
    if np.isnan(a) or np.isnan(b):
        return None
    return {">": a > b, "<": a < b, ">=": a >= b, "<=": a <= b, "=": a == b}[sign]


def _not(a: bool | None) -> bool | None:
    return None if a is None else not a


def _or(a: bool | None, b: bool | None) -> bool | None:
    if a is True or b is True:
        return True
    return None if a is None or b is None else False


def tree_of(text: str) -> Tree:
    """Return a tree of one test; what is unknown goes to its second leaf."""
    nodes = [
        {"test": text, "children": [1, 2], "counts": [1, 3], "default_branch": 1},
        {"test": None, "children": [], "counts": [1, 0]},
        {"test": None, "children": [], "counts": [0, 3]},
    ]
    columns = {
        "features": list(NAMES),
        "kinds": ["numeric"] * 3 + ["nominal"],
        "categories": {"k": list(LETTERS)},
    }
    return Tree.from_dict({"classes": ["yes", "no"], **columns, "nodes": nodes})


def _damaged(text: str, random: Random) -> str:
    for _ in range(random.randrange(1, 4)):
        at, end = sorted(random.randrange(len(text) + 1) for _ in range(2))
        way = random.randrange(4)
        if way == 0:
            text = text[:at] + text[min(end, at + 3) :]
        elif way == 1:
            text = text[:at] + random.choice(SIGNS) + text[at:]
        elif way == 2:
            text = text[:end] + text[at:end] + text[end:]
        else:
            text = text[:at] + "(" * random.randrange(200) + text[at:]
    return text


def _same_again(tree: Tree, table: pd.DataFrame) -> None:
    again = Tree.from_dict(tree.to_dict())
    assert again == tree, "a tree is not the same after being written down"
    assert again.predict(table).tolist() == tree.predict(table).tolist()


def try_program(seed: int) -> bool:
    """Try one text, sound or damaged; tell whether it was accepted."""
    random = Random(seed)
    rows = [
        (*random.choices(CELLS, k=3), random.choice([*LETTERS, None]))
        for _ in range(random.randrange(1, 9))
    ]
    table = pd.DataFrame(rows, columns=list(NAMES)).astype({"k": object})
    text, meaning = truth(random)
    sound = random.random() < 0.5
    try:
        tree = tree_of(text if sound else _damaged(text, random))
    except ValueError as problem:
        if sound and "too" not in str(problem):  # too long, too deep
            raise
        return False
    _same_again(tree, table)
    if sound:
        with np.errstate(all="ignore"):
            expected = ["yes" if meaning(row) is True else "no" for row in rows]
        assert tree.predict(table).tolist() == expected, text
    return True


def try_programs(first_seed: int, count: int) -> str:
    """Try some texts; return a line about them."""
    n_accepted = 0
    for seed in range(first_seed, first_seed + count):
        try:
            n_accepted += try_program(seed)
        except Exception:
            print(f"program of seed {seed}", flush=True)
            raise
    return f"{count} programs, {n_accepted} accepted"
