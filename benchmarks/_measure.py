"""Clocks and memory."""

import contextlib
import json
import resource
import subprocess
import sys
import time
from pathlib import Path


def seconds(work, repeat=3):
    """Return the shortest time of some runs, and the last result."""
    best, result = float("inf"), None
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def peak_mb():
    """Return the most memory that this process has held, in MB."""
    with contextlib.suppress(OSError):  # getrusage begins with the peak of the process before it
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def peak_memory(module, *arguments):
    """Run `python -m module arguments` alone; it prints its result as JSON, with 'extra_mb'."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def show(title, heads, rows):
    """Print a table."""
    cells = [heads, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[c]) for row in cells) for c in range(len(heads))]
    print(f"\n{title}")
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join([first, *rest]), flush=True)
