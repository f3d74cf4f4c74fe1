"""Tables say the same in every format, and CSV says it with all digits."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from spinney.compare import Results, Spread, Table

TABLE = Table(
    "Errors",
    ["data set", "a_1", "b|c"],
    [
        ["iris & co", Spread(4.123456, 1.5), Spread(10.0, 2.25)],
        ["50%", Spread(7.0, float("nan")), 3.14159],
        ["mean", None, 12345.678],
    ],
    {"a_1": 2},
    {(0, 1), (1, 2)},
)


def test_text_is_aligned_and_the_best_has_a_star():
    assert TABLE.to_text() == (
        "Errors\n"
        "\n"
        "data set           a_1         b|c\n"
        "iris & co  4.12 ± 1.50*  10 ± 2.25\n"
        "50%               7.00       3.142*\n"
        "mean                 -       12346\n"
    )
    assert str(TABLE) == TABLE.to_text()


def test_markdown_has_the_best_in_bold():
    assert TABLE.to_markdown() == (
        "| data set  |             a_1 |      b\\|c |\n"
        "| --------- | --------------: | --------: |\n"
        "| iris & co | **4.12 ± 1.50** | 10 ± 2.25 |\n"
        "| 50%       |            7.00 | **3.142** |\n"
        "| mean      |               - |     12346 |\n"
    )


def test_latex_escapes_what_latex_would_read():
    assert TABLE.to_latex() == (
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "data set & a\\_1 & b|c \\\\\n"
        "\\midrule\n"
        "iris \\& co & \\textbf{4.12 $\\pm$ 1.50} & 10 $\\pm$ 2.25 \\\\\n"
        "50\\% & 7.00 & \\textbf{3.142} \\\\\n"
        "mean & - & 12346 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_csv_has_all_digits_and_a_column_for_deviations():
    rows = list(csv.reader(io.StringIO(TABLE.to_csv())))
    assert rows == [
        ["data set", "a_1", "a_1 sd", "b|c", "b|c sd"],
        ["iris & co", "4.123456", "1.5", "10.0", "2.25"],
        ["50%", "7.0", "", "3.14159", ""],
        ["mean", "", "", "12345.678", ""],
    ]


def test_what_rounds_to_nothing_is_not_shown_as_nothing():
    table = Table("p", ["p"], [[0.0], [0.00004], [0.00006]], {"p": 4})
    assert table.to_text().split() == ["p", "p", "0.0000", "<0.0001", "0.0001"]


@pytest.mark.parametrize(
    ("name", "method"),
    [("t.txt", "to_text"), ("t.csv", "to_csv"), ("t.md", "to_markdown"), ("t.tex", "to_latex")],
)
def test_a_file_has_the_format_of_its_name(tmp_path: Path, name: str, method: str):
    TABLE.save(tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8") == getattr(TABLE, method)()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_another_format_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match=r"path must end in \.txt, \.csv, \.md, \.tex, got"):
        TABLE.save(tmp_path / "t.xlsx")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path):
    with pytest.raises(OSError, match=r"t\.csv"):
        TABLE.save(tmp_path / "nowhere" / "t.csv")


def cells(table: Table) -> list[list[Any]]:
    return [line.split() for line in table.to_text().splitlines()[2:]]


def test_scores_are_in_percent_and_the_best_of_each_data_set_is_marked(results: Results):
    table = results.table("scores")
    assert table.columns == ["data set", "small", "middle", "large"]
    assert table.rows[1][2] == Spread(pytest.approx(11.5), pytest.approx(1.290994))
    assert set(table.best) == {(0, 2), (0, 3), (1, 2), (2, 1)}
    assert table.rows[-1][0] == "mean"
    assert table.rows[-1][1] == pytest.approx(100 * results.mean()[:, 0].mean())


def test_ranks_end_with_their_means(results: Results):
    assert cells(results.table("ranks"))[-1] == ["mean", "rank", "2.33", "1.50*", "2.17"]


def test_pairs_have_counts_and_a_test(results: Results):
    table = results.table("pairs")
    assert table.columns == ["method", "against", "wins", "draws", "losses", "Wilcoxon p"]
    assert [row[:5] for row in table.rows] == [
        ["small", "middle", 1, 0, 2],
        ["small", "large", 1, 0, 2],
        ["middle", "large", 2, 1, 0],
    ]


def test_sizes_and_times_are_means(results: Results):
    sizes = results.table("sizes")
    assert sizes.columns == ["data set", "method", "leaves", "nodes"]
    assert sizes.rows[0] == ["set 0", "small", 6.5, 12.0]
    times = results.table("times")
    assert times.rows[1][2:] == pytest.approx([0.04, 0.004])


def test_a_measure_of_which_more_is_better_marks_the_highest(results: Results):
    table = results.table("scores", "auc")
    assert table.title == "Mean auc ± standard deviation over 4 partitions"
    assert set(table.best) == {(0, 2), (0, 3), (1, 2), (2, 1)}
    assert results.table("set 2", "auc").rows[0][0] == "small"


def test_markdown_holds_no_html_and_no_broken_lines():
    table = Table("t", ["<b>", "x\ny"], [["<script>alert(1)</script>", "a|b &lt; c"]])
    text = table.to_markdown()
    assert "<" not in text
    assert "&lt;script&gt;" in text
    assert "a\\|b &amp;lt; c" in text
    assert len(text.splitlines()) == 3


def test_text_obeys_no_controls():
    table = Table("t\x1b[2J", ["x\ny"], [["\x1b[31mred\u2028"]])
    text = table.to_text()
    assert "\x1b" not in text
    assert "\\x1b[31mred\\u2028" in text
    assert len(text.splitlines()) == 4
