"""The folders of the core include each other in one direction only."""

import re
from itertools import pairwise
from pathlib import Path

CORE = Path(__file__).parents[2] / "cpp" / "spinney"
INCLUDE = re.compile(r'^\s*#include "spinney/([^"]+)"', re.MULTILINE)


def place_of(path: str) -> str:
    """Return the folder of a file of the core; a file beside the folders is a place by itself."""
    folder, slash, _ = path.partition("/")
    return folder if slash else f"({path.rsplit('.', 1)[0]})"


def included_places() -> dict[str, dict[str, str]]:
    """Return for each place the others that it includes, with a file that does so."""
    places: dict[str, dict[str, str]] = {}
    for file in sorted(CORE.rglob("*.[ch]pp")):
        name = file.relative_to(CORE).as_posix()
        own = places.setdefault(place_of(name), {})
        for included in INCLUDE.findall(file.read_text()):
            assert (CORE / included).exists(), f"{name} includes {included}, which is not there"
            if place_of(included) != place_of(name):
                own.setdefault(place_of(included), name)
    return places


def find_cycle(places: dict[str, dict[str, str]]) -> list[str]:
    """Return places that include each other in a ring; none if there are no such."""
    finished: set[str] = set()

    def visit(place: str, path: list[str]) -> list[str]:
        if place in path:
            return [*path[path.index(place) :], place]
        if place not in finished:
            for other in places[place]:
                if ring := visit(other, [*path, place]):
                    return ring
            finished.add(place)
        return []

    return next((ring for place in places if (ring := visit(place, []))), [])


def test_no_folders_of_the_core_include_each_other() -> None:
    places = included_places()
    assert {"data", "objective", "splits", "grow", "tree", "prune", "forest"} <= places.keys()
    ring = find_cycle(places)
    steps = [
        f"{place} includes {other} in {places[place][other]}" for place, other in pairwise(ring)
    ]
    assert not ring, "; ".join(steps)


def test_files_beside_the_folders_include_no_folder() -> None:
    for place, others in included_places().items():
        if place.startswith("("):
            assert all(other.startswith("(") for other in others), f"{place} includes {others}"


def test_a_ring_is_found() -> None:
    assert find_cycle({"a": {"b": "x"}, "b": {"c": "x"}, "c": {"b": "x"}}) == ["b", "c", "b"]
    assert find_cycle({"a": {"b": "x"}, "b": {}}) == []
