"""The long runs: `python -m fuzz files --count 1000000`, and so on. Seeds are printed."""

import argparse
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path


def _files(options: argparse.Namespace) -> int:
    from fuzz.apart import temporary_place
    from fuzz.files import try_files
    from fuzz.models import make_seeds

    with temporary_place() as name:
        seeds = make_seeds(Path(name))
        sizes = [len(seed.data) for seed in seeds]
        print(f"{len(seeds)} models of {min(sizes)} to {max(sizes)} bytes", flush=True)
        total = try_files(options.seed, options.count, seeds, Path(name))
    print(*total.findings, sep="\n")
    print(
        f"{total.n_files} files, {total.n_accepted} accepted and saved to the same bytes, "
        f"{total.n_answered} asked, {len(total.findings)} findings"
    )
    return len(total.findings)


def _memory(options: argparse.Namespace) -> int:
    from fuzz.apart import temporary_place
    from fuzz.memory import try_memory

    with temporary_place() as name:
        findings = try_memory(options.seed, options.count, Path(name))
    print(*findings, sep="\n")
    return len(findings)


def _tables(options: argparse.Namespace) -> int:
    from fuzz.tables import CHUNK, try_tables

    done = made = 0
    while done < options.count:
        n = min(CHUNK, options.count - done)
        made += try_tables(n, options.seed + done // CHUNK)
        done += n
        again = options.seed + done // CHUNK
        print(f"{done} tables, {made} models; go on with --seed {again}", flush=True)
    return 0


def _programs(options: argparse.Namespace) -> int:
    from fuzz.programs import try_programs

    print(try_programs(options.seed, options.count))
    return 0


def _commands(options: argparse.Namespace) -> int:
    from fuzz.apart import temporary_place
    from fuzz.commands import try_commands

    with temporary_place() as name:
        total = try_commands(options.seed, options.count, Path(name))
    print(f"{total.n_runs} runs, {total.n_done} done, {len(total.findings)} findings")
    print(", ".join(f"{name} {count}" for name, count in sorted(total.commands.items())))
    return len(total.findings)


def _checkpoints(options: argparse.Namespace) -> int:
    from fuzz.checkpoints import try_checkpoint

    return _apart(try_checkpoint, options)


def _options(options: argparse.Namespace) -> int:
    from fuzz.options import try_command

    return _apart(try_command, options)


def _apart(trial: Callable[[int, Path], str], options: argparse.Namespace) -> int:
    from fuzz.apart import try_apart

    def tell(n: int) -> None:
        print(f"{n} done; go on with --seed {options.seed + n}", flush=True)

    words, findings = try_apart(trial, options.seed, options.count, tell=tell)
    print(*findings, sep="\n")
    print(", ".join(f"{n} {word}" for word, n in sorted(words.items())))
    return len(findings)


def _monotone(options: argparse.Namespace) -> int:
    import warnings

    from fuzz.monotone import try_model

    warnings.simplefilter("ignore")
    n_pairs, findings = 0, []
    names: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        trial = try_model(seed)
        n_pairs += trial.n_pairs
        names[trial.name] += 1
        if trial.n_against:
            findings.append(f"seed {seed}: {trial.name}, {trial.n_against} pairs")
    print(*findings, sep="\n")
    print(", ".join(f"{name} {count}" for name, count in sorted(names.items())))
    print(f"{options.count} models, {n_pairs} pairs of rows, {len(findings)} findings")
    return len(findings)


def _leaks(options: argparse.Namespace) -> int:
    from fuzz.leaks import LIMIT, measured

    grown = measured(options.place or None, options.count)
    for name, kib in grown.items():
        print(f"{kib:8.4f} KiB a fit  {name}")
    return sum(kib > LIMIT for kib in grown.values())


def _corpus(options: argparse.Namespace) -> int:
    from fuzz.frames import write_frames

    print(write_frames(options.folder), "frames")
    return 0


def _power(options: argparse.Namespace) -> int:
    from fuzz.switches import install

    importer = install()  # before anything of spinney is imported
    from fuzz.power import report

    return report(importer, options.parts, options.chance, options.only)


def main() -> int:
    """Run one of the commands; the exit status is 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    commands = parser.add_subparsers(required=True)

    def add(name: str, run: Callable[[argparse.Namespace], int], count: int, text: str):
        command = commands.add_parser(name, help=text)
        command.set_defaults(run=run, seed=0)
        if count:
            command.add_argument("--count", type=int, default=count)
            command.add_argument("--seed", type=int, default=secrets.randbelow(2**31))
        return command

    add("files", _files, 1_000_000, "mutated model files through load, predict and save")
    add("memory", _memory, 10_000, "mutated files of large models, and the memory they take")
    add("tables", _tables, 100_000, "random tables through fit, save, load and predict")
    add("programs", _programs, 100_000, "random expressions through the parser and the core")
    add("commands", _commands, 20_000, "mutated tables through all commands that read one")
    add("checkpoints", _checkpoints, 20_000, "forged checkpoints of evolved trees")
    add("options", _options, 10_000, "commands with random options on small tables")
    add("monotone", _monotone, 10_000, "models under monotone constraints, and rows against them")
    leaks = add("leaks", _leaks, 10_000, "memory that stays after many fits")
    leaks.add_argument("--place", type=int, nargs="*", help="places in the list of estimators")
    corpus = add("corpus", _corpus, 0, "write the arrays of small models for the fuzz target")
    corpus.add_argument("folder", type=Path)
    power = add("power", _power, 0, "remove the checks of the reader one by one")
    power.add_argument("--parts", nargs="*", default=["python", "core"])
    power.add_argument("--chance", type=int, default=20_000, help="mutants beside the sweep")
    power.add_argument("--only", type=int, nargs="*", help="numbers of checks")
    options = parser.parse_args()
    start = time.monotonic()
    print(f"{' '.join(sys.argv[1:])}: seed {options.seed}", flush=True)
    n_found = options.run(options)
    print(f"{time.monotonic() - start:.0f} s")
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main())
