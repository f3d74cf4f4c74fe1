"""Every table and figure is made of what its units tell, here of made-up numbers."""

import zlib

import pytest

from spinney._reproduce import PAPERS, Options
from spinney._reproduce.paper import Results
from spinney._reproduce.runner import count_verdicts, find_paper, grid, page, part_page

OPTIONS = Options(runs=3)
FITS_FORESTS = ("gp", "Figure 5")
PARTS = [(name, part.name) for name in PAPERS for part in find_paper(name).parts]
PARTS.remove(FITS_FORESTS)


class AnyNumber(dict):
    """Answers every name with a number of its own."""

    def __init__(self, key):
        super().__init__()
        self._key = key

    def __missing__(self, name):
        return 1.0 + zlib.crc32(repr((self._key, name)).encode()) % 9973 / 100.0


def made(name, parts=None):
    paper = find_paper(name)
    chosen = [part for part in paper.parts if parts is None or part.name in parts]
    keys = dict.fromkeys(key for part in chosen for key in part.units(OPTIONS))
    results = Results({key: AnyNumber(key) for key in keys})
    return paper, [(part, part.make(results, OPTIONS)) for part in chosen]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_part_needs_no_units_but_its_own(name, part) -> None:
    _, [(_, content)] = made(name, [part])
    assert content.cells or content.draw is not None
    table = grid(content.cells) if content.cells else [[]]
    assert len({len(row) for row in table}) == 1


def test_the_page_of_the_mode_shows_its_tests_and_headlines() -> None:
    paper, contents = made("mode")
    text = page(paper, contents, {}, "spinney reproduce mode")
    for words in (
        "Fewer members than bagging",
        "Iman-Davenport, p",
        "## Table 6",
        "## Table rules",
    ):
        assert words in text
    counts = count_verdicts([content for _, content in contents])
    # 33 facts, 44 shares and 4 means, 8 tests, and in four tables 11 sets and a mean, 2 differences
    assert sum(counts.values()) == 33 + 44 + 4 + 8 + 4 * 12 * 2


def test_the_page_of_igpa_judges_every_printed_figure() -> None:
    _, contents = made("igpa")
    judged = {part.name: sum(count_verdicts([content]).values()) for part, content in contents}
    assert judged["Table I"] == 20
    assert judged["Table II"] == 15
    assert judged["Table III"] == 45
    assert judged["Table IV"] == 9 * 5
    assert judged["Table rules"] == 0  # a second look at the same figures


def test_a_picture_stands_in_the_page_of_its_part() -> None:
    _, [(part, content)] = made("igpa", ["Figure 6"])
    assert "![Figure 6](figure_6.png)" in part_page(part, content, "figure_6.png")


def test_lines_are_drawn_beside_what_is_printed() -> None:
    from matplotlib.figure import Figure

    _, [(_, content)] = made("igpa", ["Figure 1"])
    axes = Figure().subplots()
    content.draw(axes)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["bagged CART", "IGPA", "bagged CART, paper", "IGPA, paper"]
    assert list(axes.lines[2].get_ydata()) == [31.9, 23.8, 22.2]
