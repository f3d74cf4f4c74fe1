"""The pages for those who come from other tools answer what they ask, with recorded outputs."""

import inspect
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from spinney import C45Classifier, CARTClassifier, CARTRegressor, SurvivalTree
from spinney.rpart import RpartControl, rpart_control

FOLDER = Path(__file__).parents[2] / "docs" / "coming_from"
PAGES = sorted(FOLDER.glob("*.md"))
RECORDED = sorted((FOLDER / "recorded").glob("*.txt"))

# What a reader who knows rpart asks, the section that answers, and what the answer says.
QUESTIONS = {
    "How do I turn a cp into an alpha?": ("Words", "`cp = alpha / risk of the root`"),
    "What is xerror here?": ("The table of sizes: cp, xerror, xstd", "error by cross-validation"),
    "Where are the surrogates, and what are agree and adj?": (
        "Every node: competitors and surrogates",
        "`agree` is the",
    ),
    "Which way round is the loss matrix?": (
        "Priors, and the orientation of losses",
        "Rows of the loss matrix are the true classes",
    ),
    "In which order are priors given?": (
        "Priors, and the orientation of losses",
        "in the order of the levels",
    ),
    "How do I prune?": ("Prune", "prune(fit, cp=0.2)"),
    "How do I plot it?": ("Plot", "`fit.tree_.plot()`"),
    "How do I get the path to a node?": ("The path to a node", "fit.tree_.rules()"),
    "What happens to rows with missing values?": (
        "Missing rows and values",
        "goes by the first surrogate",
    ),
    "Which types of prediction are there?": ("Predict", '`type = "class"` | `fit.predict(new)`'),
}


def section(page: str, title: str) -> str:
    """Return the text below a heading."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[title]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_page_on_rpart_answers(question: str) -> None:
    title, answer = QUESTIONS[question]
    assert answer in section((FOLDER / "rpart.md").read_text(encoding="utf-8"), title)


def test_there_are_ten_questions() -> None:
    assert len(QUESTIONS) == 10


@pytest.mark.parametrize("output", RECORDED, ids=lambda path: path.stem)
def test_recorded_outputs_stand_in_a_page(output: Path) -> None:
    text = output.read_text(encoding="utf-8").strip("\n")
    assert any(text in page.read_text(encoding="utf-8") for page in PAGES)


def has_r() -> bool:
    asked = 'stopifnot(packageVersion("rpart") == "4.1.19", packageVersion("partykit") == "1.2.16")'
    command = ["Rscript", "-e", asked]
    return (
        bool(shutil.which("Rscript"))
        and subprocess.run(command, capture_output=True).returncode == 0
    )


def has(**versions: str) -> bool:
    installed = {found.name.lower(): found.version for found in metadata.distributions()}
    return all(installed.get(name) == version for name, version in versions.items())


# What records the outputs, what it needs, and how many files it writes.
RECORDERS = {
    "record.R": (["Rscript"], has_r, 6),
    "record_weka.py": ([sys.executable], lambda: Path("/usr/share/java/weka.jar").exists(), 1),
    "record_others.py": ([sys.executable], lambda: has(lightgbm="4.7.0", ydf="0.16.1"), 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("script", RECORDERS)
def test_other_tools_still_print_what_was_recorded(script: str, tmp_path: Path) -> None:
    program, is_there, n_files = RECORDERS[script]
    if not is_there():
        pytest.skip("the tool is not installed, or another version of it")
    command = [*program, str(FOLDER / script), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=FOLDER.parents[1])
    written = sorted(tmp_path.glob("*.txt"))
    assert len(written) == n_files
    for path in written:
        assert path.read_text("utf-8") == (FOLDER / "recorded" / path.name).read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_page_has_the_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "## Words" in text
    assert re.search(r"^## .*[Dd]efaults that differ", text, flags=re.MULTILINE)
    assert re.search(r"^## .*[Ww]hat is missing", text, flags=re.MULTILINE)


def test_the_defaults_on_the_page_on_rpart_are_those_of_the_code() -> None:
    text = section((FOLDER / "rpart.md").read_text(encoding="utf-8"), "Defaults that differ")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text.splitlines()
        if "|" in line
    ]
    control, known = rpart_control(), RpartControl.__dataclass_fields__
    checked = 0
    for name, _, default, *_ in rows[2:]:
        if name.strip("`") in known:
            assert default.split(",")[0] == str(getattr(control, name.strip("`")))
            checked += 1
    assert checked >= 8


ESTIMATORS = (CARTClassifier, CARTRegressor, SurvivalTree, C45Classifier)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_parameters_in_tables_exist(page: Path) -> None:
    """Words such as `min_samples_leaf` that look like parameters of trees are parameters."""
    known = {name for kind in ESTIMATORS for name in inspect.signature(kind).parameters}
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:min|max)_(?:samples|leaf|surr|impurity|bins)\w*)", text)
    assert [name for name in named if name not in known] == []
