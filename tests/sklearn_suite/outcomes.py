"""Runs the copies, and tells how every test ended."""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from .substitution import write_copies

__all__ = ["Outcomes", "run_suite"]


@dataclass
class Outcomes:
    """Tests by how they ended, as `module::test[case]`, in the order of their modules."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # with the last line of the error
    skipped: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """Return how many passed, of all and of each module."""
        ran = [*self.passed, *self.failed]
        modules = sorted({module_of(test) for test in ran})
        counts = [
            f"{name} {sum(module_of(test) == name for test in self.passed)} of "
            f"{sum(module_of(test) == name for test in ran)}"
            for name in modules
        ]
        return f"{len(self.passed)} of {len(ran)} tests pass ({', '.join(counts)})"


def module_of(test: str) -> str:
    """Return the module of a test."""
    return test.partition("::")[0]


def run_suite(*options: str) -> Outcomes:
    """Run all of the tests in a folder of their own; options go to pytest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_copies(folder)
        (folder / "pytest.ini").write_text("[pytest]\n")  # no settings but pytest's own
        report = folder / "report.xml"
        paths = os.pathsep.join(filter(None, [name, os.environ.get("PYTHONPATH")]))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "sklearn.conftest"]
        command += ["-p", "no:cacheprovider", "--junitxml", str(report), *options]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 1):  # 1: some tests failed
            raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return read_report(report)


def read_report(path: Path) -> Outcomes:
    """Read the outcomes that pytest wrote."""
    outcomes = Outcomes()
    for case in ElementTree.parse(path).iter("testcase"):
        test = f"{case.get('classname')}::{case.get('name')}"
        problem = next(
            (case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None
        )
        if problem is not None:
            lines = (problem.get("message") or "").splitlines()
            outcomes.failed[test] = lines[0] if lines else ""
        elif case.find("skipped") is not None:
            outcomes.skipped.append(test)
        else:
            outcomes.passed.append(test)
    return outcomes
