"""Write what Weka's J48 finds on data sets of this package, one file for each case.

    python tests/weka/make_reference.py [case ...]

It needs Java (a development kit) and Debian's package `weka`; the files in `references` come from
version 3.6.14. The tests read the files and do not need either. There is no randomness: the same
Weka writes the same files.

A file is compressed JSON: for each setting of `weka_cases.SETTINGS` the number of leaves and of
nodes, the printed tree if it is short (its thresholds are rounded to six decimals), the predicted
class of every training row (a letter each, `a` for the first class in sorted order), and the
distribution of every row as an index into the list of distinct ones, rounded to nine decimals.
"""

import sys

from weka_cases import CASES, SETTINGS, run_weka, save, why_not


def main() -> None:
    missing = why_not()
    if missing:
        sys.exit(f"cannot run Weka: {missing}")
    wanted = sys.argv[1:] or [case.name for case in CASES]
    for case in CASES:
        if case.name not in wanted:
            continue
        runs = run_weka(case, list(SETTINGS))
        save(case, runs)
        truth = case.classes.searchsorted(case.y)
        for name, run in runs.items():
            share = float((run.labels == truth) @ case.weight / case.weight.sum())
            print(
                f"{case.name:34} {name:11} {run.n_nodes:5} {run.n_leaves:5} {share:.4f}", flush=True
            )


if __name__ == "__main__":
    main()
