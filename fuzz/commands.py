"""Mutated tables through the command line: exit code 0 or 2, one sentence, nothing lost.

CSV, JSON lines, both compressed, Parquet and Arrow files are damaged by chance, and every command
that reads a table is run on them. Runs share a worker process, which one that ends it betrays.
"""

import gzip
import io
import json
import resource
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from fuzz.apart import Died, run_apart
from fuzz.tally import Sums

SECONDS = 30.0  # of processor time that a run may take
ROOM = 12 << 30  # bytes of address space; what is taken is far less
PRECIOUS = b"precious"
N_ROWS = 40
TOKENS = [
    *(
        b"",
        b",",
        b";",
        b"\t",
        b'"',
        b'""',
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b"\xe9",
    ),
    *(b"NA", b"nan", b"inf", b"-1e999", b"1_0", b"=1+1", b"\x1b[31m", b"\xef\xbb\xbf", b"\xff\xfe"),
    *(b"{", b"}", b"[", b"]", b":", b"null", b"true", b'"x":', b"{}", b"\\u0000", b"\\ud800"),
    *(b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\1\0\0\0", b"PAR1", b"ARROW1"),
]
OPTIONS: list[list[str]] = [
    *([[]] * 6),
    ["--na", "red"],
    ["--na", "7"],
    ["--encoding", "latin-1"],
    ["--encoding", "utf-16"],
    ["--numeric", "price"],
    ["--decimal", ","],
]


@dataclass
class Tally(Sums):
    """What came of some runs."""

    n_runs: int = 0
    n_done: int = 0  # with exit code 0
    findings: list[str] = field(default_factory=list)
    commands: Counter[str] = field(default_factory=Counter)


def make_tables() -> dict[str, bytes]:
    """Return sound tables by the name of a file."""
    import pyarrow as pa
    import pyarrow.parquet

    random = Random(0)
    rows = [
        {
            "x": random.choice([None, round(random.gauss(0, 9), 3)]),
            "n": random.randrange(9),
            "colour": random.choice(["red", "green", 'say "blue"', "", "gré, y"]),
            "price": f"${random.randrange(999)}.50",
            "day": f"2026-11-{k % 28 + 1:02d}",
            "y": "ab"[k % 3 == 0],
        }
        for k in range(N_ROWS)
    ]
    table = pa.Table.from_pylist(rows)
    table = table.set_column(2, "colour", table["colour"].dictionary_encode())
    odd = {
        "when": pa.array([0] * N_ROWS, pa.timestamp("ns", "UTC")),
        "many": pa.array([[1, 2]] * N_ROWS),
        "flag": pa.array([True, None] * (N_ROWS // 2)),
        "cents": pa.array([100] * N_ROWS).cast(pa.decimal128(30, 2)),
    }
    wide = table
    for name, column in odd.items():
        wide = wide.append_column(name, column)
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    text = _csv(rows).encode()
    files = {"t.csv": text, "t.tsv": text.replace(b",", b"\t"), "t.jsonl": lines}
    files |= {"t.csv.gz": gzip.compress(text, mtime=0), "t.jsonl.gz": gzip.compress(lines, mtime=0)}
    files["t.csv.zst"] = pa.compress(text, "zstd", asbytes=True)
    for name, held in (("t", table), ("wide", wide)):
        out = io.BytesIO()
        pyarrow.parquet.write_table(held, out)
        files[f"{name}.parquet"] = out.getvalue()
        for ending, opener in (("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)):
            out = io.BytesIO()
            with opener(out, held.schema) as writer:
                writer.write_table(held)
            files[f"{name}.{ending}"] = out.getvalue()
    return files


def _csv(rows: list[dict[str, Any]]) -> str:
    import csv

    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def mutated(tables: dict[str, bytes], random: Random) -> tuple[str, bytes]:
    """Return a damaged file and its name."""
    name = random.choice(list(tables))
    data = tables[name]
    if name.endswith(".gz") and random.random() < 0.5:  # damage what is packed, not the packing
        inner = _damaged(gzip.decompress(data), tables, random)
        return name, gzip.compress(inner, mtime=0)
    return name, _damaged(data, tables, random)


def _damaged(data: bytes, tables: dict[str, bytes], random: Random) -> bytes:
    for _ in range(random.choice([1, 1, 1, 2, 3, 8])):
        at = random.randrange(len(data) + 1)
        to = min(len(data), at + random.choice([0, 1, 1, 2, 4, 8, 40, 400]))
        kind = random.randrange(6)
        if kind == 0:
            data = data[:at] + random.choice(TOKENS) + data[to:]
        elif kind == 1:
            data = data[:at] + random.randbytes(to - at) + data[to:]
        elif kind == 2:
            data = data[:at] + data[to:]
        elif kind == 3:
            data = data[:to] + data[at:]
        elif kind == 4 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]
        elif random.random() < 0.2:
            data = (
                data[:at]
                if random.random() < 0.5
                else data[:at] + random.choice([*tables.values()])
            )
    return data


def arguments(path: Path, models: list[Path], out: Path, random: Random) -> list[str]:
    """Return a command that reads a file, with options by chance."""
    file, model = str(path), str(random.choice(models))
    quick = ["--jobs", "1"]
    learning = ["--target", "y", *random.choice([[], ["--drop-unlabelled"], ["--nominal", "n"]])]
    if "wide" in file:
        learning += ["--drop", "when", "--drop", "many"]
    kept = random.choice(
        [[], ["--keep", "x"], ["--keep", "day", "--keep", "colour"], ["--keep", "n"]]
    )
    written = random.choice([[], ["--out", str(out)]])
    command: list[str] = random.choice(
        [
            ["train", file, *learning, *quick, "--no-cv", *written],
            ["prune", file, *learning, *quick, "--cv", "2"],
            [
                "compare",
                file,
                *learning,
                *quick,
                "--model",
                "cart",
                "--folds",
                "2",
                "--repeats",
                "1",
            ],
            [
                "predict",
                model,
                file,
                *kept,
                *random.choice([[], ["--proba"], ["--json"]]),
                *written,
            ],
            ["predict", model, file, *kept, "--safe-cells"],
            ["evaluate", model, file, "--target", "y"],
            ["explain", model, file, "--row", str(random.randrange(1, 50))],
            ["rules", str(models[0]), "--prune", file, "--target", "y", *written],
            ["prune", str(models[0]), "--test", file, "--target", "y", *written],
        ]
    )
    return command + random.choice(OPTIONS)


def try_run(number: int, tables: dict[str, bytes], models: list[Path], place: Path) -> Tally:
    """Run a command on the file of this number, and look at what it leaves behind."""
    from click.testing import CliRunner

    from spinney._cli import main

    random = Random(number)
    name, data = mutated(tables, random)
    path, out = place / name, place / "out"
    path.write_bytes(data)
    out.write_bytes(PRECIOUS)
    held = [model.read_bytes() for model in models]
    words = arguments(path, models, out, random)
    done = CliRunner().invoke(main, words)
    found = []
    if done.exit_code not in (0, 2) or not isinstance(done.exception, SystemExit | None):
        found.append("".join(traceback.format_exception(done.exception)[-3:]))
    elif done.exit_code == 2 and not done.stderr.splitlines()[-1].startswith("Error: "):
        found.append(f"no sentence: {done.stderr[-200:]}")
    if path.read_bytes() != data or [model.read_bytes() for model in models] != held:
        found.append("a file that was read has changed")
    if out.read_bytes() != PRECIOUS and done.exit_code != 0:
        found.append("a file was lost")
    path.unlink()
    told = [f"run {number}: spinney {' '.join(words)}: {text}" for text in found]
    return Tally(1, int(done.exit_code == 0), told, Counter([words[0]]))


def make_models(tables: dict[str, bytes], place: Path) -> list[Path]:
    """Train a tree and a forest by the command, and return their files."""
    from click.testing import CliRunner

    from spinney._cli import main

    path = place / "t.csv"
    path.write_bytes(tables["t.csv"])
    models = []
    for model in ("cart_full", "forest"):
        models.append(place / f"{model}.spinney")
        words = ["train", str(path), "--target", "y", "--no-cv", "--model", model, "--drop", "day"]
        words += ["--drop", "price", "--jobs", "1", "--out", str(models[-1])]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
    return models


def try_commands(first: int, count: int, place: Path, chunk: int = 500) -> Tally:
    """Run commands in worker processes, one process at a time."""
    total, trials = Tally(), partial(_limited, place / "worker")
    results = run_apart(trials, first, count, chunk=chunk, method="spawn")
    for done, (number, found) in enumerate(results, start=1):
        if isinstance(found, Died):
            found = Tally(1, findings=[f"run {number}: {found}"])
        total.add(found)
        if found.findings:
            print(*found.findings, sep="\n")
        if done % chunk == 0 or done == count:
            print(
                f"runs {first} to {number}: {total.n_done} of {total.n_runs} done, "
                f"{len(total.findings)} findings",
                flush=True,
            )
    return total


def _limited(place: Path, numbers: range) -> Iterator[Tally]:
    """Run commands in a process whose time and memory are limited."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    tables = make_tables()
    models = make_models(tables, place)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    for number in numbers:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # ends the process, wherever it hangs
        yield try_run(number, tables, models, place)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
