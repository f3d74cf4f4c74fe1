"""scikit-learn's own tests, run against our estimators: `python -m tests.sklearn_suite`.

Compares with the list of tests that do not pass, and ends with 1 where that list is wrong.
"""

import argparse
import sys
from collections import Counter

import sklearn

from .expectations import KINDS, UNKNOWN, read_list
from .outcomes import run_suite


def main() -> int:
    """Run the tests, and compare with the list or renew it."""
    parser = argparse.ArgumentParser(prog="python -m tests.sklearn_suite", description=__doc__)
    parser.add_argument("--renew", action="store_true", help="write the list anew")
    parser.add_argument("-n", default="auto", help="number of processes")
    options = parser.parse_args()
    listed, version = read_list(), ".".join(sklearn.__version__.split(".")[:2])
    if version != listed.version and not options.renew:
        print(
            f"the list is of scikit-learn {listed.version}, not of {version}: nothing is compared"
        )
        return 0
    outcomes = run_suite("-n", options.n)
    print(outcomes.summary())
    if options.renew:
        listed = listed.renewed(outcomes, version)
        listed.write()
    kinds = Counter(reason.kind for test in outcomes.failed if (reason := listed.reason_of(test)))
    for kind, n in kinds.most_common():
        print(f"{n:5d} {kind}: {KINDS.get(kind, UNKNOWN)}")
    surprises = listed.surprises(outcomes)
    print(*surprises, sep="\n")
    return int(bool(surprises))


if __name__ == "__main__":
    sys.exit(main())
