"""Run a piece of Python in a process of its own, with limits, and read what it prints."""

import json
import subprocess
import sys
import textwrap
from typing import Any

_PRELUDE = """
import json, os, resource, sys, time
import numpy as np
from spinney import *

def peak():
    "Return the most memory that this process has held so far, in MB."
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)

def tell(**facts):
    print(json.dumps(facts), flush=True)
"""


def run(body: str, *, timeout: float = 300.0, memory_gb: float | None = None) -> dict[str, Any]:
    """Return what the script tells: the facts of all its calls of `tell`, joined.

    Parameters
    ----------
    body : str
        Statements; `tell(name=value)`, `peak()`, NumPy and the estimators are there.
    timeout : float
        Seconds.
    memory_gb : float, default=None
        Limit of the address space, where the system has one.
    """
    limit = ""
    if memory_gb is not None and sys.platform == "linux":
        limit = f"resource.setrlimit(resource.RLIMIT_AS, ({int(memory_gb * 2**30)},) * 2)\n"
    done = subprocess.run(
        [sys.executable, "-c", _PRELUDE + limit + textwrap.dedent(body)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr[-2000:]}"
    facts: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        facts |= json.loads(line)
    return facts
