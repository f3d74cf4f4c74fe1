"""`spinney explain --reasons`: the columns that moved an answer most, in words of the user's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from spinney.datasets import load

Run = Callable[..., Result]
Train = Callable[..., Path]
Load = Callable[..., Any]


def test_reasons_follow_the_explanation(run: Run, model_file: Train, loaded: Load) -> None:
    X = load("german_credit", as_="pandas").X
    (found,) = loaded("german_credit").reasons(X[16:17])
    asked = ("explain", model_file("german_credit"), "german_credit", "--row", 17)
    plain, result = run(*asked).output, run(*asked, "--reasons")
    lines = [f"  {place}. {one}" for place, one in enumerate(found, start=1)]
    assert result.output == plain + "\n".join(["reasons:", *(lines or ["  none"])]) + "\n"
    told = json.loads(run(*asked, "--reasons", "--json").output)["reasons"]
    assert [one["column"] for one in told] == [one.column for one in found]
    assert [one["contribution"] for one in told] == [one.contribution for one in found]


def test_reasons_have_words_of_a_file(run: Run, model_file: Train, tmp_path: Path) -> None:
    words = tmp_path / "words.json"
    words.write_text('{"duration_months": "a term of {value} months"}', encoding="utf-8")
    cells = ["--set", "checking_status=A11", "--set", "duration_months=40"]
    result = run("explain", model_file("german_credit"), *cells, "--words", words)
    assert "a term of 40 months" in result.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON"),
        ("[]", "must hold an object"),
        ('{"duration_month": "x"}', "Did you mean 'duration_months'"),
        ('{"duration_months": 7}', "must be text"),
    ],
)
def test_words_that_are_none_are_refused(
    run: Run, model_file: Train, tmp_path: Path, text: str, said: str
) -> None:
    words = tmp_path / "words.json"
    words.write_text(text, encoding="utf-8")
    asked = ("explain", model_file("german_credit"), "german_credit", "--row", 1)
    result = run(*asked, "--words", words)
    assert result.exit_code == 2
    assert said in result.output


def test_a_forest_has_reasons(run: Run, model_file: Train) -> None:
    forest = model_file("iris", "--model", "forest", "--trees", "25")
    result = run("explain", forest, "iris", "--row", 1, "--reasons", "--json")
    reasons = json.loads(result.output)["reasons"]
    assert 1 <= len(reasons) <= 4
    assert all(one["contribution"] > 0 for one in reasons)
