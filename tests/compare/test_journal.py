"""Units are done once, by any number of processes, and are written down as they finish."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from chores import KEYS, chore, failing_chore, unspeakable_chore
from hypothesis import given
from hypothesis import strategies as st

from spinney.compare import FolderInUseError, JournalError, UnitFailedError, run_units
from spinney.compare._folder import folder_lock


def run(folder: Path | None = None, keys: Any = KEYS, work: Any = chore, **options: Any) -> Any:
    return run_units(keys, work, folder=folder, progress=False, **options)


def repeated(results: Any) -> Any:
    """Return the results without their times."""
    return [
        {name: value for name, value in result.items() if not name.endswith("_seconds")}
        for result in results
    ]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    folder = tmp_path / "whole"
    run(folder)
    return folder


def test_results_come_in_the_order_of_the_units():
    assert repeated(run()) == repeated(chore(key) for key in KEYS)
    assert repeated(run(keys=KEYS[::-1])) == repeated(chore(key) for key in KEYS[::-1])


def test_every_unit_has_the_seconds_it_took():
    for result in run(keys=KEYS[:3]):
        assert 0 <= result["unit_seconds"] < 60


def test_processes_change_neither_the_results_nor_the_table(whole: Path, tmp_path: Path):
    results = run(tmp_path / "other", n_jobs=2)
    assert repeated(results) == repeated(run())
    assert files(tmp_path / "other")["results.csv"] == files(whole)["results.csv"]


def test_the_table_holds_keys_and_results_but_no_times(whole: Path):
    with (whole / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["key_0", "key_1", "value", "word"]
    expected = [chore(key) for key in KEYS]
    assert [(row["key_0"], int(row["key_1"])) for row in rows] == KEYS
    assert [float(row["value"]) for row in rows] == [result["value"] for result in expected]


def test_the_parts_of_a_key_may_have_names(tmp_path: Path):
    run(tmp_path, key_names=["set", "number"])
    assert (tmp_path / "results.csv").read_text().startswith("set,number,value,word\n")
    with pytest.raises(ValueError, match="units must have the parts a, b, c"):
        run(key_names=["a", "b", "c"])


def test_a_unit_that_is_done_is_not_done_again(whole: Path):
    before = files(whole)
    results = run(whole, work=failing_chore)
    assert repeated(results) == repeated(run())
    assert all("fit_seconds" in result for result in results)
    assert files(whole) == before


def test_more_units_of_the_same_experiment_go_on(tmp_path: Path, whole: Path):
    run(tmp_path, KEYS[::2])
    run(tmp_path, KEYS)
    assert files(tmp_path)["results.csv"] == files(whole)["results.csv"]


@pytest.mark.slow
@given(st.data())
def test_a_journal_cut_anywhere_goes_on_to_the_same_table(tmp_path_factory: Any, data: Any):
    folder = tmp_path_factory.mktemp("cut")
    run(folder, KEYS[:6])
    table = (folder / "results.csv").read_bytes()
    for name in ("journal.jsonl", "times.jsonl"):
        path = folder / name
        content = path.read_bytes()
        first = content.index(b"\n") + 1
        share = data.draw(st.floats(0, 1))  # times differ in length
        path.write_bytes(content[: first + round(share * (len(content) - first))])
    (folder / "results.csv").unlink()
    run(folder, KEYS[:6])
    assert (folder / "results.csv").read_bytes() == table


@given(st.data())
def test_a_changed_bit_is_refused_or_done_again(tmp_path_factory: Any, data: Any):
    folder = tmp_path_factory.mktemp("bit")
    run(folder, KEYS[:6])
    path, table = folder / "journal.jsonl", (folder / "results.csv").read_bytes()
    content = bytearray(path.read_bytes())
    content[int(data.draw(st.floats(0, 0.999)) * len(content))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    try:
        run(folder, KEYS[:6])
    except JournalError:
        assert path.read_bytes() == content
    assert (folder / "results.csv").read_bytes() == table


def test_a_damaged_line_is_named(whole: Path):
    path = whole / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], lines[3].replace(b"!", b"?"), *lines[4:]]))
    with pytest.raises(JournalError, match=r"journal\.jsonl' is damaged in line 4"):
        run(whole)


def test_times_that_are_damaged_are_as_if_lost(whole: Path):
    path = whole / "times.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"?", *lines[3:]]))
    results = run(whole)
    assert repeated(results) == repeated(run())
    assert [key for key, result in zip(KEYS, results, strict=True) if len(result) < 4] == [KEYS[2]]


@pytest.mark.parametrize(
    "content", [b"", b"name,value\n", b"\x00\xff", b"[1]\n", b'{"digest": 1}\n']
)
def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path, content: bytes):
    (tmp_path / "journal.jsonl").write_bytes(content)
    with pytest.raises(JournalError, match="is not a journal of spinney"):
        run(tmp_path)
    assert (tmp_path / "journal.jsonl").read_bytes() == content


def test_a_table_without_a_journal_is_left_alone(tmp_path: Path):
    (tmp_path / "results.csv").write_text("mine\n")
    with pytest.raises(JournalError, match=r"holds results\.csv but no journal\.jsonl"):
        run(tmp_path)
    assert (tmp_path / "results.csv").read_text() == "mine\n"


def test_another_experiment_is_refused_and_what_differs_is_named(tmp_path: Path):
    run(tmp_path, fingerprint={"data": "1", "methods": "2", "seed": "3"})
    before = files(tmp_path)
    with pytest.raises(JournalError, match="another experiment: data, seed differ"):
        run(tmp_path, fingerprint={"data": "9", "methods": "2"})
    with pytest.raises(JournalError, match="another experiment"):
        run(tmp_path, fingerprint="text")
    assert files(tmp_path) == before


def test_another_format_is_refused(whole: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("spinney.compare._folder._FORMAT", 2)
    with pytest.raises(JournalError, match="format 1, this one reads 2"):
        run(whole)


def test_a_second_run_on_a_folder_is_refused(tmp_path: Path):
    (tmp_path / ".lock").touch()
    with folder_lock(tmp_path), pytest.raises(FolderInUseError, match=r"in use .*\(process \d+\)"):
        run(tmp_path)
    run(tmp_path)


def test_the_lock_of_a_process_that_is_gone_does_not_block(tmp_path: Path):
    (tmp_path / ".lock").write_text("4194303\n")
    run(tmp_path)
    assert (tmp_path / ".lock").read_bytes() == b""


def test_what_a_killed_run_left_half_written_is_cleared(whole: Path):
    before = files(whole)
    (whole / ".spinney-0123456789abcdef.new").write_bytes(b"half")
    (whole / ".mine.new").write_bytes(b"mine")
    run(whole)
    assert files(whole) == {**before, ".mine.new": b"mine"}


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_failure_names_the_unit_and_keeps_the_others(tmp_path: Path, n_jobs: int):
    with pytest.raises(UnitFailedError, match=r"unit \('set a', 5\) failed: ZeroDivisionError: no"):
        run(tmp_path, work=failing_chore, n_jobs=n_jobs)
    assert not (tmp_path / "results.csv").exists()
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert n_jobs > 1 or [json.loads(line)["unit"][1] for line in lines[1:]] == [0, 1, 2, 3, 4]
    assert len(run(tmp_path)) == len(KEYS)


def test_only_numbers_and_texts_are_results():
    with pytest.raises(UnitFailedError, match="'value' is of type list"):
        run(work=unspeakable_chore)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([("a", 1), ("b", 1), ("a", 1)], r"units must differ, but \('a', 1\) is there twice"),
        ([("a", 1.5)], "tuples of texts and integers"),
        ([()], "tuples of texts and integers"),
    ],
)
def test_keys_are_checked(keys: Any, message: str):
    with pytest.raises(ValueError, match=message):
        run(keys=keys)


def test_a_folder_that_cannot_be_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file' is a file"):
        run(tmp_path / "file")
    with pytest.raises(ValueError, match="cannot be written to: Not a directory"):
        run(tmp_path / "file" / "more")
    with pytest.raises(ValueError, match="folder must be a path or None, got 3"):
        run_units(KEYS, chore, folder=3)


def test_a_full_disk_is_reported_with_the_file_and_what_is_done_is_kept(
    whole: Path, tmp_path: Path
):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))  # in the middle of a line
    try:
        with pytest.raises(OSError, match="what is done is kept") as caught:
            run(tmp_path / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(tmp_path / "full" / "times.jsonl")
    done = files(tmp_path / "full")
    assert "results.csv" not in done
    assert 2 < done["journal.jsonl"].count(b"\n") < len(KEYS)
    run(tmp_path / "full")
    assert files(tmp_path / "full")["results.csv"] == files(whole)["results.csv"]


def test_progress_tells_units_done_and_seconds_left(tmp_path: Path):
    run(tmp_path, KEYS[:4])
    told: list[tuple[int, int, float]] = []
    run_units(KEYS, chore, folder=tmp_path, progress=lambda *facts: told.append(facts))
    assert [n_done for n_done, _, _ in told] == list(range(5, len(KEYS) + 1))
    assert {n_units for _, n_units, _ in told} == {len(KEYS)}
    assert told[-1][2] == 0.0
    assert all(left > 0 for _, _, left in told[:-1])


def test_progress_is_shown_on_standard_error(capsys: pytest.CaptureFixture[str]):
    run_units(KEYS[:3], chore)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "units: 3 of 3, 0 s\n"
