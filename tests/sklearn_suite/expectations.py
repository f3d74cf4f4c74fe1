"""The list of tests that do not pass, each with its reason: `expected.toml`."""

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .outcomes import Outcomes

__all__ = ["Expectations", "Reason", "read_list"]

PATH = Path(__file__).with_name("expected.toml")
KINDS = {
    "internal": "about private parts of scikit-learn",
    "difference": "we do it otherwise on purpose",
    "missing": "something that we lack",
}
UNKNOWN = "unknown"  # of tests that --renew found failing; someone must find out
HEAD = """\
# Tests of scikit-learn that do not pass with our estimators in place of theirs, by reason.
# A name without brackets stands for all cases of a test. A test stands under the first thing that
# it stumbles over; behind that may be others. `python -m tests.sklearn_suite --renew` takes out
# what passes, and adds what fails as unknown.
"""


@dataclass
class Reason:
    """Why some tests do not pass: of a kind, in words."""

    kind: str
    words: str
    tests: set[str]


@dataclass
class Expectations:
    """Reasons, and the scikit-learn that they are about."""

    version: str
    reasons: list[Reason]

    def reason_of(self, test: str) -> Reason | None:
        """Return why a test is expected to fail, if it is."""
        names = {test, function_of(test)}
        return next((reason for reason in self.reasons if names & reason.tests), None)

    def surprises(self, outcomes: Outcomes) -> list[str]:
        """Return in words what went otherwise than the list says."""
        ran = [*outcomes.passed, *outcomes.failed, *outcomes.skipped]
        known = {name for test in ran for name in (test, function_of(test))}
        listed = {name for reason in self.reasons for name in reason.tests}
        unknown = [reason for reason in self.reasons if reason.kind not in KINDS]
        return [
            *(f"passes, though listed: {t}" for t in outcomes.passed if self.reason_of(t)),
            *(f"fails: {t}: {e}" for t, e in outcomes.failed.items() if not self.reason_of(t)),
            *(f"listed, but there is no such test: {name}" for name in sorted(listed - known)),
            *(f"listed without a reason: {name}" for r in unknown for name in sorted(r.tests)),
        ]

    def renewed(self, outcomes: Outcomes, version: str) -> "Expectations":
        """Return the list as it should be for these outcomes."""
        tests = defaultdict(set)
        unknown = Reason(UNKNOWN, "newly found", set())
        for test in outcomes.failed:
            tests[id(self.reason_of(test) or unknown)].add(test)
        ran = [*outcomes.passed, *outcomes.failed]
        reasons = [
            Reason(reason.kind, reason.words, shortened(tests[id(reason)], ran))
            for reason in [*self.reasons, unknown]
        ]
        return Expectations(version, [reason for reason in reasons if reason.tests])

    def write(self) -> None:
        """Write the list."""
        text = f"{HEAD}\nscikit_learn = {json.dumps(self.version)}\n"
        for reason in self.reasons:
            names = "".join(f"  {json.dumps(name)},\n" for name in sorted(reason.tests))
            text += f"\n[[reasons]]\nkind = {json.dumps(reason.kind)}\n"
            text += f"words = {json.dumps(reason.words)}\ntests = [\n{names}]\n"
        PATH.write_text(text, encoding="utf-8")


def read_list() -> Expectations:
    """Return the list as it is written."""
    found = tomllib.loads(PATH.read_text(encoding="utf-8"))
    reasons = [Reason(r["kind"], r["words"], set(r["tests"])) for r in found["reasons"]]
    return Expectations(found["scikit_learn"], reasons)


def function_of(test: str) -> str:
    """Return the name of a test without its case."""
    return test.partition("[")[0]


def shortened(tests: set[str], ran: Iterable[str]) -> set[str]:
    """Return names of tests; where all cases of a function are among them, its own name."""
    cases = defaultdict(set)
    for test in ran:
        cases[function_of(test)].add(test)
    whole = {function_of(test) for test in tests if cases[function_of(test)] <= tests}
    return whole | {test for test in tests if function_of(test) not in whole}
