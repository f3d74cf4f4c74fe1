"""What the fuzzers can find: each check of the reader is removed in turn.

Mutants are tried once with all checks, and it is noted which of them each check refuses. Only for
those can its removal matter, so only those are tried again without it. A removal is found if one of
them is then accepted and saves to other bytes, or gives an answer that is not sane, or is refused
by accident, or ends the process.
"""

import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from fuzz import ROOT
from fuzz.files import Tally, make_table, try_each, try_mutant
from fuzz.frames import frame, frame_sweep, small_frames
from fuzz.models import make_seeds
from fuzz.mutants import Mutant, Seed, mutant
from fuzz.sweep import sweep
from fuzz.switches import Importer, switched

TRIES = 400  # files that a removal is tried with
CORE = (
    "file/source.hpp",
    "file/restore.cpp",
    "file/restore_packed.cpp",
    "tree/tree.cpp",
    "tree/packed.cpp",
    "expression/expression.cpp",
    "forest/forest.cpp",
)
COMPILERS = ("clang++", "clang++-19", "clang++-17", "clang++-14")
BATCH = 2_000  # frames for one process, and that a removal is tried with

# Checks whose removal cannot be found, by words of theirs, and why.
_BUILT = "for trees that are not from files: the decoder makes it so itself"
_SIZE = "so many nodes take more memory than there is"
CANNOT = {
    "type(state) is not dict": "for pickle: the state in a file is always a dict",
    "length > MAX_HEADER": "bounds memory, and no mutant is so large",
    "> _MAX_LISTS": "bounds memory, and no mutant is so large",
    "> MAX_ARRAYS": "bounds time: what is refused by it is refused without it, but later",
    "S_ISREG": "for folders and pipes, and every mutant is a file",
    "len(first) < 8 or length > size - 8": "says that a file is cut off; no header of it is whole",
    "_BEGIN.encode": "says what a file of another kind seems to be; it has no such header",
    "file.readinto(data.data)": "for a file that changes while it is read",
    "version > VERSION": "says which spinney is needed; the header is another one anyway",
    "_need(absent": "the schema that is left over is refused first",
    "not scale.spread > 0.0": "shows only where a prediction is the mean itself",
    "_functions: if waiting != 1": "a fit that uses such a function refuses it too",
    "only a multiway test has cuts": _BUILT,
    "only a subset or a multiway test has categories": _BUILT,
    "only a threshold test has a threshold": _BUILT,
    "an expression test asks no single feature": _BUILT,
    "an expression test needs two children": _BUILT,
    "a subset test needs two children": _BUILT,
    "a leaf has children": _BUILT,
    "a leaf has a test": _BUILT,
    "a leaf has a default branch": _BUILT,
    "negative number of features": _BUILT,
    "the node arrays differ in length": _BUILT,
    "check_table(tree.surrogates.tests": _BUILT,
    "first <= static_cast<std::int64_t>(node)": _BUILT,
    "an expression test needs tokens": _BUILT,
    "the root has a parent": _BUILT,
    "only a column and a constant say which": _BUILT,
    "too many nodes": _SIZE,
}


class Caught:
    """Which mutants each check refuses: some of them. Modules imported late bring more checks."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.by_check: defaultdict[int, list[Any]] = defaultdict(list)
        self.n_refused: Counter[int] = Counter()

    def note(self, check: int, made: Any) -> None:
        """Keep a mutant, as long as there is room; then some take the places of others."""
        kept, n = self.by_check[check], self.n_refused[check]
        self.n_refused[check] += 1
        if len(kept) < self.room:
            kept.append(made)
        elif n % 5 == 0:
            kept[n // 5 % self.room] = made


# -- The decoder


class CoreChecks:
    """The checks of the decoder, in a fuzz target that is built over sources with switches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sound: list[Path] = []  # what save wrote
        for name in ("cpp", "fuzz"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy(ROOT / "CMakeLists.txt", folder)
        self.checks: list[str] = []
        for name in CORE:
            place = folder / f"cpp/spinney/{name}"
            text, more = switched(place.read_text(encoding="utf-8"), len(self.checks))
            place.write_text(text, encoding="utf-8")
            self.checks += [f"{place.name}: {check}" for check in more]
        clang = next(name for name in COMPILERS if shutil.which(name))
        options = ["-DSPINNEY_FUZZ=ON", "-DSPINNEY_SANITIZE=address"]
        options += [f"-DCMAKE_CXX_COMPILER={clang}"]
        quiet: Any = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run(["cmake", "-S", folder, "-B", folder / "build", *options], **quiet)
        subprocess.run(["cmake", "--build", folder / "build", "--parallel", "2"], **quiet)
        self.target = folder / "build/fuzz_decoder"

    def caught(self, n_random: int) -> Caught:
        """Try the frames of the sweep with all checks."""
        frames = self.folder / "frames"
        frames.mkdir()
        places: list[Path] = []
        for number, (first, parts) in enumerate(small_frames()):
            self.sound.append(frames / f"sound {number}")
            self.sound[-1].write_bytes(frame(first, parts))
        for number, data in enumerate(frame_sweep(n_random)):
            places.append(frames / str(number))
            places[-1].write_bytes(data)
        caught = Caught(BATCH)
        for begin in range(0, len(places), BATCH):
            done = self._run(places[begin : begin + BATCH], {"SPINNEY_TELLS": "1"})
            if done.returncode != 0:
                print(f"FOUND with all checks: {_finding(done)}", flush=True)
            self._note(done.stderr, caught)
        print(f"{len(places)} frames", flush=True)
        return caught

    def _note(self, told: str, caught: Caught) -> None:
        """Read which checks each frame has met."""
        for part in told.split("Running: ")[1:]:
            place = Path(part.split("\n", 1)[0])
            for check in {int(number) for number in re.findall(r"^MET (\d+)$", part, re.M)}:
                caught.note(check, place)

    def _run(self, places: list[Path], env: dict[str, str]) -> Any:
        limits = ["-timeout=5", "-rss_limit_mb=1024", f"-artifact_prefix={self.folder}/"]
        return subprocess.run(
            [self.target, *limits, *places],
            env=os.environ | env,
            capture_output=True,
            text=True,
            errors="replace",
        )

    def without(self, check: int, places: list[Path]) -> str:
        """Try frames without one check, and what save wrote; return what was found."""
        gone = {"SPINNEY_GONE": str(check)}
        for some, env in ((places, gone), (self.sound, gone | {"SPINNEY_SOUND": "1"})):
            done = self._run(some, env)
            if done.returncode != 0:
                return _finding(done)
        return ""


def _finding(done: Any) -> str:
    words = r"FOUND: .*|SUMMARY: .*|.*Assertion .*|.*runtime error.*"
    lines = re.findall(words, done.stderr)
    return str(lines[0] if lines else f"exit {done.returncode}")[-130:]


# -- What reads the container and the description


class PythonChecks:
    """The checks of the rest, in modules that were imported with switches."""

    def __init__(self, folder: Path, importer: Importer, seeds: list[Seed]) -> None:
        self.folder, self.importer, self.checks = folder, importer, importer.checks
        self.seeds = seeds[::-1]  # special models first: they have most of what there is

    def caught(self, n_random: int) -> Caught:
        """Try the mutants of the sweep and some by chance, with all checks."""
        return self.caught_of(self._mutants(n_random))

    def _mutants(self, n_random: int) -> Iterator[Mutant]:
        yield from sweep(self.seeds)
        for number in range(n_random):
            random = Random(number)
            yield mutant(random.choice(self.seeds), self.seeds, random)

    def caught_of(self, mutants: Iterable[Mutant]) -> Caught:
        """Try some mutants with all checks."""
        caught, table, tally = Caught(TRIES), make_table()[0], Tally()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for made in mutants:
                self.importer.met.clear()
                try:
                    try_mutant(made, self.folder / "mutant.spinney", table, tally)
                except Exception as problem:
                    print(f"FOUND with all checks: {made.done}: {problem!r:.300}", flush=True)
                for check in self.importer.met:
                    caught.note(check, made)
        print(f"{tally.n_files} files, {tally.n_accepted} accepted", flush=True)
        return caught

    def without(self, check: int, mutants: list[Mutant]) -> str:
        """Try mutants without one check, in a process of its own; return what was found."""
        self.importer.gone = check
        tally = try_each(mutants, self.folder)
        self.importer.gone = -1
        return tally.findings[0][:200] if tally.findings else ""


# -- Both


def verdict(number: int, check: str, found: str, n_refused: int) -> bool:
    """Print what came of a removal; tell whether it is missed and nobody knows why."""
    reason = next((why for words, why in CANNOT.items() if words in check), "")
    word = "found " if found else ("known " if reason else "MISSED")
    print(f"{word} {number} {check}\n       {n_refused} refused; {found or reason}", flush=True)
    return not found and not reason


def try_all(subject: Any, n_random: int, only: list[int] | None) -> list[str]:
    """Remove each check of a subject; return those that are missed."""
    caught = subject.caught(n_random)
    missed = []
    for number, check in enumerate(subject.checks):
        if only is None or number in only:
            made = caught.by_check[number]
            found = subject.without(number, made) if made else ""
            if verdict(number, check, found, caught.n_refused[number]):
                missed.append(check)
    print(f"{len(missed)} of {len(subject.checks)} removals were not found", *missed, sep="\n")
    return missed


def report(importer: Importer, parts: list[str], n_random: int, only: list[int] | None) -> int:
    """Print for each check whether its removal is found; return how many are not."""
    n_missed = 0
    with tempfile.TemporaryDirectory() as name:
        if "python" in parts:
            subject = PythonChecks(Path(name), importer, make_seeds(Path(name)))
            n_missed += len(try_all(subject, n_random, only))
        if "core" in parts:
            n_missed += len(try_all(CoreChecks(Path(name)), n_random, only))
    return n_missed
