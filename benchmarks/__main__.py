"""Print the ratios: everything, or the parts that are named."""

import argparse
import sys

from benchmarks import curves, page, table
from benchmarks.command_line import command_line, quick_command_line
from benchmarks.counts import counts
from benchmarks.ensembles import ensembles, quick_ensembles
from benchmarks.files import files, quick_files
from benchmarks.gp import gp, quick_gp
from benchmarks.growth import alternating, bins, categories, constraints, gaps, growth, noise, small
from benchmarks.igpa import igpa, quick_igpa
from benchmarks.memory import large, memory
from benchmarks.mixtures import mixtures, quick_mixtures
from benchmarks.multiway import multiway
from benchmarks.prediction import prediction
from benchmarks.pruning import selection
from benchmarks.shapley import shapley
from benchmarks.survival import survival

PARTS = {
    "growth": lambda: growth([10_000, 100_000, 1_000_000]),
    "bins": bins,
    "counts": counts,
    "survival": survival,
    "constraints": constraints,
    "gaps": gaps,
    "small": small,
    "categories": categories,
    "noise": noise,
    "alternating": alternating,
    "prediction": prediction,
    "selection": selection,
    "multiway": multiway,
    "shapley": shapley,
    "ensembles": ensembles,
    "igpa": igpa,
    "mixtures": mixtures,
    "gp": gp,
    "files": files,
    "command_line": command_line,
    "memory": memory,
    "large": large,
}
QUICK = {
    "growth": lambda: growth([10_000]),
    "bins": lambda: bins(100_000),
    "counts": lambda: counts(10_000),
    "survival": lambda: survival(500, 20),
    "constraints": lambda: constraints(10_000),
    "gaps": lambda: gaps(10_000),
    "small": small,
    "categories": lambda: categories(20_000),
    "alternating": lambda: alternating((2_000, 4_000)),
    "prediction": lambda: prediction(100_000),
    "selection": lambda: selection(2_000, with_loop=False),
    "multiway": lambda: multiway(10_000),
    "shapley": lambda: shapley(100, 1000, 20),
    "ensembles": quick_ensembles,
    "igpa": quick_igpa,
    "mixtures": quick_mixtures,
    "gp": quick_gp,
    "files": quick_files,
    "command_line": quick_command_line,
}


def main():
    whole = {"table": table.main, "page": page.main, "curves": curves.main}
    if sys.argv[1:2] and sys.argv[1] in whole:
        whole[sys.argv[1]](sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    given = parser.parse_args()
    parts = QUICK if given.quick else PARTS
    unknown = set(given.parts) - set(parts)
    if unknown:
        parser.error(f"unknown part {sorted(unknown)[0]!r}; choose from {', '.join(parts)}")
    for name in given.parts or parts:
        parts[name]()


if __name__ == "__main__":
    main()
