"""Commands with random options, valid and not, on small tables.

A run ends with 0 or 2, with no error but a refusal, and every file that was there is as it was,
unless it was named to be written.
"""

import os
import signal
import tempfile
import warnings
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import click
from click.testing import CliRunner

from spinney._cli import main

_COMMANDS = ["train", "predict", "evaluate", "prune", "rules", "explain", "compare", "datasets"]
_SECONDS = 120  # of one run
_NUMBERS = ["0", "1", "2", "3", "5", "10", "-1", "-2", "1.5", "nan", "inf", "", "x", "1e400"]
_NUMBERS += [str(2**31), str(2**63), str(2**64 - 1), "9" * 40, "0.5", "1e-300", "٣"]
_NAMES = ["x", "c", "o", "y", "z", "", "X", "nobody", "true", "*", "é✓", "a\x1b[2J", "prediction"]
_TEXTS = {
    "--criterion": ["gini", "entropy", "twoing", "squared_error", "gain_ratio", "ginni", ""],
    "--ordered": ["c=a,b,d", "c=d,b,a", "c=a", "c=", "=", "c", "x=1,2", "c=a,a,b,d", "nobody=a,b"],
    "--cost": ["yes:no=5", "no:yes=0", "yes:no=-1", "yes:no=nan", "a:b=1", "yes:yes=2", "yes", "="],
    "--table": ["data", "my table", '"', "", "a.b"],
    "--prefix": ["model", "1", "", "int", "a b"],
}
_SETTINGS = ["max_depth=2", "max_features=1", "n_estimators=3", "max_depth=-1", "ccp_alpha=0.1"]
_SETTINGS += ["min_samples_leaf=0.1", "max_depth=nan", "nobody=1", "=", "max_depth", "unseen=error"]
_SETTINGS += [
    "random_state=1",
    "missing=fractional",
    "max_samples=2000000000",
    "cv=2",
    "x=3",
    "c=a",
]
_SETTINGS += ["tournament_size=100000000", "criterion=None", "n_jobs=0", "class_weight=balanced"]


def _table(n: int) -> str:
    rows = [
        f"{'' if i % 11 == 3 else x},{'abd'[i % 3]},{i % 5},{'yes' if 2 * x > n else 'no'}"
        for i, x in ((i, i * 7 % n) for i in range(n))
    ]
    return "\n".join(["x,c,o,y", *rows]) + "\n"


@cache
def _files() -> dict[str, bytes]:
    """Return the files that each run finds: tables, models, and some that are neither."""
    files = {
        "t.csv": _table(40).encode(),
        "few.csv": _table(3).encode(),
        "head.csv": b"x,c,o,y\n",
        "empty.csv": b"",
        "ragged.csv": b"x,c,o,y\n1,a,2\n",
        "keep.txt": b"mine",
        "no.spinney": b"not a model",
    }
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder, "t.csv"), Path(folder, "m.spinney")
        table.write_bytes(files["t.csv"])
        for name, target in (("cart", "y"), ("forest", "y"), ("c45", "y"), ("cart", "x")):
            given = [
                str(table),
                "--target",
                target,
                "--drop-unlabelled",
                "--model",
                name,
                "--no-cv",
            ]
            given += ["--trees", "3"] if name == "forest" else []
            done = runner.invoke(main, ["train", *given, "--out", str(model)])
            assert done.exit_code == 0, done.output
            files[f"{name}_{target}.spinney"] = model.read_bytes()
    return files


def _pool(option: click.Parameter) -> tuple[list[str], list[str]]:
    """Return values that an option is most likely fine with, and others."""
    name, kind = option.opts[0], option.type
    if isinstance(kind, click.Choice):
        return [*map(str, kind.choices)], _NAMES
    if kind.name.startswith(("integer", "float")):
        return ["0.5", "0.2"] if name == "--holdout" else ["1", "2", "3"], _NUMBERS
    if name in ("--out", "--plot"):
        fine = ["m.spinney", "o.csv"] if name == "--out" else ["p.svg", "p.png"]
        return fine, ["t.csv", "keep.txt", "no/where.svg", ".", "", "p.pdf"]
    if name == "--set":
        return _SETTINGS[:3], _SETTINGS
    if name == "--target":
        return ["y"], _NAMES
    if name in ("data", "--test", "--prune", "source"):
        return ["t.csv"], [*sorted(_files()), "iris", "nobody", "."]
    if name == "model":
        models = [file for file in _files() if file.endswith("y.spinney")]
        return models, [*sorted(_files()), "nobody", "."]
    texts = _TEXTS.get(name, _NAMES)
    return texts[:1], texts


def arguments(random: Random) -> list[str]:
    """Return a command with options, most of them of a kind that it takes."""
    name = random.choice(_COMMANDS)
    command = main.get_command(click.Context(main), name)
    assert command is not None
    given, likely = [name], random.choice([0.1, 0.2, 0.5])
    wild = random.choice([0.0, 0.05, 0.3])  # how likely a value is of the other kind
    for option in command.params:
        n = 1
        if isinstance(option, click.Option):
            wanted = option.opts[0] == "--target" and name != "rules"
            n = int(random.random() < (0.9 if wanted else likely))
            n *= random.choice([1, 1, 2, 3]) if option.multiple else 1
        elif option.nargs == -1:
            n = random.choice([1, 1, 2])
        for _ in range(n):
            words = [random.choice(option.opts)] if isinstance(option, click.Option) else []
            flag = isinstance(option, click.Option) and option.is_flag
            fine, others = _pool(option)
            value = random.choice(others if random.random() < wild else fine)
            given += words if flag else [*words, value]
    if name == "compare":  # in this process: others would outlive the folder
        given = [
            name,
            "--folds",
            "2",
            "--repeats",
            "1",
            "--model",
            "cart",
            *given[1:],
            "--jobs",
            "1",
        ]
    if "gp" in given:
        given += ["--set", "generations=2", "--set", "population_size=10"]
    return [*given, "--nobody"] if random.random() < 0.01 else given


def _written(given: list[str]) -> set[str]:
    return {b for a, b in pairwise(given) if a in ("--out", "--plot")}


def try_command(number: int, folder: Path) -> str:
    """Run a command in a folder; return "done" or "refused"."""
    given = arguments(Random(number))
    files = _files()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    os.chdir(folder)
    signal.alarm(_SECONDS)  # ends the process
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as that a font lacks a sign
        result = CliRunner().invoke(main, given)
    signal.alarm(0)
    os.chdir("/")
    problem: Any = result.exception
    if result.exit_code not in (0, 2) or not isinstance(problem, SystemExit | None):
        raise AssertionError(f"{given}: exit {result.exit_code}, {problem!r}")
    for name, content in files.items():
        is_output = result.exit_code == 0 and name in _written(given)
        if not is_output and (folder / name).read_bytes() != content:
            raise AssertionError(f"{given}: {name} is not as it was")
    return "refused" if result.exit_code else "done"
