"""A short run of each fuzzer, with new seeds each time; the long ones are `python -m fuzz`."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from fuzz.apart import try_apart  # noqa: E402
from fuzz.checkpoints import try_checkpoint  # noqa: E402
from fuzz.commands import Tally, make_models, make_tables, try_run  # noqa: E402
from fuzz.files import SECONDS, by_chance, try_numbered  # noqa: E402
from fuzz.leaks import LIMIT, measured  # noqa: E402
from fuzz.models import make_seeds  # noqa: E402
from fuzz.mutants import mutant, seal  # noqa: E402
from fuzz.options import try_command  # noqa: E402
from fuzz.programs import try_program  # noqa: E402
from fuzz.tables import try_tables  # noqa: E402


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    return make_seeds(tmp_path_factory.mktemp("seeds"), every=7)


@pytest.mark.slow
def test_random_tables_give_the_same_answers_after_save_and_load(seed):
    assert try_tables(60, seed) > 40


@pytest.mark.slow
def test_mutated_files_are_refused_or_sound(seeds, seed, tmp_path):
    tally = try_numbered(by_chance(seeds, range(seed, seed + 400)), tmp_path)
    assert tally.findings == []
    assert tally.n_files == 400
    assert tally.n_accepted > 0


@pytest.mark.slow
def test_mutated_tables_are_read_or_refused(seed, tmp_path):
    tables = make_tables()
    models = make_models(tables, tmp_path)
    tally = Tally()
    for number in range(seed, seed + 150):
        tally.add(try_run(number, tables, models, tmp_path))
    assert tally.findings == []
    assert len(tally.commands) == 7
    assert 0 < tally.n_done < tally.n_runs == 150


@pytest.mark.slow
def test_random_programs_are_refused_or_mean_what_they_say(seed):
    assert sum(try_program(number) for number in range(seed, seed + 150)) > 50


@pytest.mark.slow
def test_forged_checkpoints_are_refused_or_sound(seed):
    words, findings = try_apart(try_checkpoint, seed, 300)
    assert findings == []
    assert words["refused"] > 100
    assert words["fitted"] > 0


@pytest.mark.slow
def test_commands_with_random_options_are_done_or_refused(seed):
    words, findings = try_apart(try_command, seed, 40)
    assert findings == []
    assert words["refused"] > 0


def test_a_process_that_dies_is_a_finding(tmp_path):
    words, findings = try_apart(lambda number, _: os.abort() if number == 3 else "fine", 1, 5)
    assert words == {"fine": 4, "died": 1}
    assert [finding[:2] for finding in findings] == ["3:"]


def test_the_same_number_gives_the_same_mutant(seeds):
    for number in range(50):
        one, other = (mutant(seeds[0], seeds, Random(number)) for _ in range(2))
        assert one == other


def test_a_sealed_file_is_the_file(seeds):
    for one in seeds:
        assert seal(one.data) == one.data


def test_a_file_takes_a_fraction_of_the_time_it_may(seeds, tmp_path):
    """So that what ends a worker is a hang, and not a slow machine."""
    start = time.process_time()
    try_numbered(by_chance(seeds, range(50)), tmp_path)
    assert (time.process_time() - start) / 50 < SECONDS / 10


# Large files are weighed in a process of their own: what tests left behind would hide something.
MEMORY = """
import sys
from pathlib import Path
from fuzz.memory import try_memory
print(*try_memory(int(sys.argv[1]), 60, Path(sys.argv[2]), n_rows=60_000), sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.limited
@pytest.mark.skipif(sys.platform != "linux", reason="memory is told by /proc")
def test_mutants_of_large_files_take_four_times_their_size_at_most(seed, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(seed), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    *sizes, summary, findings = done.stdout.split("\n")[:-1]
    assert findings == "", done.stdout
    assert len(sizes) == 9
    assert summary.startswith("60 mutants")


# Removes some checks of the reader, each by words of it, and says what a part of the sweep finds.
REMOVALS = """
import json, sys
from pathlib import Path
from fuzz.switches import install
importer = install()
from fuzz.power import PythonChecks
from fuzz.models import seed_of
from fuzz.sweep import sweep
from spinney import CARTClassifier
folder = Path(sys.argv[1])
model = CARTClassifier().fit([[0.0], [1.0]], ["a", "b"])
subject = PythonChecks(folder, importer, [seed_of("tree", model, folder)])
some = [made for at, made in enumerate(sweep(subject.seeds)) if at < 300 or at % 40 == 0]
caught = subject.caught_of(some)
found = {}
for words in json.loads(sys.argv[2]):
    (check,) = [i for i, text in enumerate(subject.checks) if words in text]
    found[words] = subject.without(check, caught.by_check[check][:20])
print(json.dumps(found))
"""
REMOVED = [
    "before == n_bytes",
    "begin == before",
    "do not match its checksum",
    "not self.fits(value)",
    "list(found) != wanted",
    "its arrays are not in their order",
]


@pytest.mark.slow
@pytest.mark.thorough
def test_a_check_that_is_removed_is_found(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", REMOVALS, str(tmp_path), json.dumps(REMOVED)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    *lines, last = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith("FOUND with all checks")]
    assert [words for words, found in json.loads(last).items() if not found] == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts what glibc hands out")
def test_many_fits_leave_nothing_behind():
    for name, kib in measured([32], 1800, timeout=300).items():
        assert kib <= LIMIT, name
