"""The fast reader of CSV gives what the careful one gives, cell by cell, or leaves it the file."""

import gzip
import secrets
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from spinney._cli.data import delimited
from spinney._cli.data.columns import TextFormat, Wanted
from spinney._cli.data.csv_rows import open_csv, read_carefully
from spinney._cli.data.source import Source
from spinney._cli.errors import Refusal

Write = Callable[..., Path]

CELLS = [
    *("1", "2.5", "-3", "+4", ".5", "5.", "1e3", "1E-2", "007", "9007199254740993", "1e999"),
    *("", "NA", "?", ".", "nan", "NaN", "NAN", "-nan", "nan(1)", "inf", "-Infinity", "null"),
    *(
        " 1",
        "2 ",
        " NA",
        "\t3",
        "\u00a04",
        "1_0",
        "0x1",
        "1,5",
        "1.5",
        "true",
        "TRUE",
        "2026-11-01",
    ),
    *("a", "b c", " a", "a ", "é", "x1", "x10", "x9", "²", "\u0663", "\x0b7", "a'b", "$5"),
    *('"q"', '"q,r"', '"q""r"', '"1"', '""', '"NA"', '"two\nlines"', '" 1"', '5"', '"a"b', ' "s"'),
]


def outcome(read: Callable[..., Any], source: Source, wanted: Wanted) -> Any:
    try:
        sheet = read(source, wanted)
    except Refusal as error:
        return str(error)
    return [
        (c.name, c.kind, c.categories, [None if v != v else v for v in c.values.tolist()])
        for c in sheet.columns
    ], sheet.notes


def careful(source: Source, wanted: Wanted) -> Any:
    return read_carefully(open_csv(source, wanted)[0])


def random_table(random: Random) -> str:
    delimiter = random.choice([",", ";", "\t"])
    end = random.choice(["\n", "\r\n", "\r"])
    some = random.sample(CELLS, random.randint(1, 12))
    n_columns = random.randint(1, 4)
    lines = [delimiter.join(f"c{k}" for k in range(n_columns))]
    for _ in range(random.randint(1, 12)):
        n = n_columns + (random.random() < 0.02)
        lines.append(delimiter.join(random.choice(some) for _ in range(n)))
        if random.random() < 0.05:
            lines.append("")
    return end.join(lines) + end * random.randint(0, 2)


@pytest.mark.slow
@pytest.mark.parametrize("block", [1 << 23, 40])
def test_fast_and_careful_agree(write: Write, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr("spinney._cli.data.source._BLOCK", block)
    seed = secrets.randbelow(2**31)
    random = Random(seed)
    for _ in range(300):
        text = random_table(random)
        source = Source(str(write(text)))
        kind = random.choice([{}, {}, {"c0": "nominal"}, {"c0": "numeric"}])
        na = random.choice([(), (), ("a",), ("-3",)])
        wanted = Wanted(kind, text=TextFormat(na, None, (), random.choice([None, None, ",", "."])))
        expected = outcome(careful, source, wanted)
        assert outcome(delimited.read_csv, source, wanted) == expected, (seed, text)


def test_plain_files_are_read_fast(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "read_carefully", lambda _: pytest.fail("slow"))
    for text in (
        "a,b\n1,x\n,y\n",
        '"a","b"\r\n1,"x, y"\r\n2,"say ""x"""\r\n',
        "a;b\n1,5;x\n2; y\n",
        'a,b\n1,"two\nlines"\n',
        "a,b\n\n1,x\n\n" + "2,y\n" * 300_000,
    ):
        assert len(delimited.read_csv(Source(str(write(text)))).columns) == 2
    packed = write(gzip.compress(b"a,b\n" + b"1,x\n" * 200), "t.csv.gz")
    assert len(delimited.read_csv(Source(str(packed))).columns[0]) == 200


@pytest.mark.parametrize(
    "text", ["c0\r\r\r", "c0\r\n\r\n", "c0\n\n\n", "c0\r\r\rx\r", "c0,c1\n\n1,x\n"]
)
def test_blank_lines_and_lone_returns_count_alike(write: Write, text: str) -> None:
    source, wanted = Source(str(write(text))), Wanted({"c0": "numeric", "c1": "numeric"})
    expected = outcome(careful, source, wanted)
    assert isinstance(expected, str)  # refused, where the line matters
    assert outcome(delimited.read_csv, source, wanted) == expected
