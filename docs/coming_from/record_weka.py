"""Record what Weka prints for the page on C4.5: `python docs/coming_from/record_weka.py [FOLDER]`.

It needs Java and Debian's package `weka`; the file here comes from version 3.6.14.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from spinney.datasets import load_iris

RECORDED = Path(__file__).parent / "recorded"
WEKA = "/usr/share/java/weka.jar"


def main(out: Path) -> None:
    """Write the tree of J48, with its defaults, on the irises."""
    iris = load_iris()
    lines = ["@relation iris", *(f"@attribute {name} numeric" for name in iris.X.columns)]
    lines += [f"@attribute species {{{','.join(sorted(set(iris.y)))}}}", "@data"]
    for row, label in zip(iris.X.to_numpy().tolist(), iris.y, strict=True):
        lines.append(",".join([*map(str, row), label]))
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "iris.arff"
        table.write_text("\n".join(lines) + "\n")
        command = ["java", "-cp", WEKA, "weka.classifiers.trees.J48", "-t", str(table), "-no-cv"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    text = done.stdout.split("Time taken")[0]
    counts = done.stdout[done.stdout.index("=== Confusion Matrix ===") :]
    kept = "\n".join(line.rstrip() for line in (text + counts).splitlines()).strip()
    (out / "weka_j48.txt").write_text(kept + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else RECORDED)
