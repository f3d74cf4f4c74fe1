"""Write docs/benchmarks.md from the results of one run of the table.

python -m benchmarks table --into results.json
python -m benchmarks page results.json
"""

import argparse
import json
from pathlib import Path

from benchmarks.table import ROWS

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"

_HEAD = """# Benchmarks

<!-- Written by `python -m benchmarks page results.json`: change benchmarks/page.py instead. -->

Written from `python -m benchmarks table`, which took {minutes} minutes on {cpu}, {cores} cores,
with {versions}.
Seconds are those of the processor on one thread, the best of up to three runs in turns with the
peers; the ratios are what carries over to other machines. The scores are shares of new rows that
are right, or R squared (C4.5: of the training rows), spinney's first, then those of the others in
their order.

| work | spinney | how many times as long others take | score |{two_head}
|---|---:|---|---|{two_line}
"""

_TAIL = """
A forest grows every tree to its leaves on a bootstrap sample, as the peers' do; estimates of the
error from the rows left out are switched off, as scikit-learn and YDF have them here. Mixed columns
go in as strings and gaps; what it costs to encode them counts for all. Saving is with a checksum,
and waits until the file is on the disk; joblib's does not; the score there is the size in MB.
{also}
`python -m benchmarks --help` lists more benchmarks, `nox -s bench` installs the peers first.
`nox -s bench -- --against REV` compares a commit with this tree in turns, and marks what moved by
more than 5 %.
"""

_CURVES = """
```{image} images/benchmark_growth.png
:alt: Time and memory against rows, columns, classes, categories and trees, with the peers' curves
```

*Time and memory as tables grow, each point a fit in a process of its own; a curve ends where the
next fit would take minutes. scikit-learn has no categories. `python -m benchmarks curves`*
"""


def _number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _line(row, two):
    peers = ", ".join(f"{name} {_number(ratio)}" for name, ratio in row["peers"].items())
    scores = ", ".join(f"{score:.4g}" for score in row.get("scores", {}).values())
    cells = [row["work"], f"{_number(row['seconds'])} {row['unit']}", peers, scores]
    if two:
        cells.append(f"{row['two_threads']:.2f}" if "two_threads" in row else "")
    return "| " + " | ".join(cells) + " |"


def write(results):
    rows = [
        row for name in ROWS if name in results["rows"] for row in results["rows"][name]["results"]
    ]
    two = any("two_threads" in row for row in rows)
    machine = results["machine"]
    names = machine["versions"]
    head = _HEAD.format(
        cpu=machine["cpu"],
        cores=machine["cores"],
        minutes=max(1, round(sum(part["took"] for part in results["rows"].values()) / 60)),
        versions=", ".join(f"{name} {version}" for name, version in names.items()),
        two_head=" two threads |" if two else "",
        two_line="---:|" if two else "",
    )
    lines = [_line(row, two) for row in rows]
    drawn = (PAGE.parent / "images" / "benchmark_growth.png").exists()
    tail = _TAIL.format(also=_CURVES if drawn else "")
    PAGE.write_text(head + "\n".join(lines) + "\n" + tail)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks page", description=__doc__)
    parser.add_argument("results", help="what `python -m benchmarks table --into` has written")
    given = parser.parse_args(arguments)
    results = json.loads(Path(given.results).read_text())
    if any(part["quick"] for part in results["rows"].values()):
        parser.error("the page is made from a whole run, not from --quick")
    write(results)
