"""Predicting from the shell: what a process prints, with the warnings of Python as they are."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_unseen_categories_are_told_in_one_note(tmp_path: Path) -> None:
    rows = "".join(
        f"{word},{i % 5},{'yes' if word == 'a' else 'no'}\n" for i in range(20) for word in "ab"
    )
    (tmp_path / "old.csv").write_text("c,x,y\n" + rows)
    (tmp_path / "new.csv").write_text("c,x\nz,3\na,4\n")

    def spinney(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "spinney", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)

    spinney("train", "old.csv", "--target", "y", "--out", "model.spinney")
    done = spinney("predict", "model.spinney", "new.csv")
    assert done.stdout.split()[2] == "yes"
    assert "1 cell holds 1 category that the model does not know ('z')" in done.stderr
    assert "Warning" not in done.stderr
