"""What the pages of the guide show is what happens."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from page_blocks import FENCED, read_blocks, run_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

PAGES = [
    *sorted((DOCS / "guide").glob("*.md")),
    *sorted((DOCS / "how_to").glob("*.md")),
    *sorted((DOCS / "coming_from").glob("*.md")),
    DOCS / "index.md",
    DOCS / "tutorial.md",
]
HUBS = [DOCS / f"{name}.md" for name in ("guide", "how_to", "coming_from", "project")]
PROSE = [DOCS / f"{name}.md" for name in ("benchmarks", "comparison", "how_it_works", "install")]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_print_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for package in re.findall(r"^<!-- needs (\w+) -->$", page.read_text("utf-8"), re.MULTILINE):
        pytest.importorskip(package)
    n_run = 0
    for block, printed in run_page(page, tmp_path):
        assert printed == block.shown, f"{page.name}, line {block.line}"
        n_run += 1
    assert n_run > 0


# Blocks that are not run where they stand, by the beginning of their first line, and why.
RECORDED = "recorded from another tool: test_coming_from.py"
MAINTAINERS = "what maintainers run"
NOT_RUN = {
    ("CONTRIBUTING.md", "python3 -m venv"): MAINTAINERS,
    ("docs/coming_from/c45_and_weka.md", "$ java"): RECORDED,
    ("docs/coming_from/c45_and_weka.md", "J48 pruned tree"): RECORDED,
    ("docs/coming_from/lightgbm_and_ydf.md", "node_index"): RECORDED,
    ("docs/coming_from/lightgbm_and_ydf.md", "'checking_status'"): RECORDED,
    ("docs/coming_from/rpart.md", "pima <-"): RECORDED,
    ("docs/coming_from/rpart.md", "n= 768"): RECORDED,
    ("docs/coming_from/rpart.md", "printcp(fit)"): RECORDED,
    ("docs/coming_from/rpart.md", "Classification tree:"): RECORDED,
    ("docs/coming_from/rpart.md", "summary(fit)"): RECORDED,
    ("docs/coming_from/rpart.md", "Call:"): RECORDED,
    ("docs/coming_from/rpart.md", "path.rpart"): RECORDED,
    ("docs/coming_from/rpart.md", " node number: 6"): RECORDED,
    ("docs/coming_from/rpart.md", "print(as.party"): RECORDED,
    ("docs/coming_from/rpart.md", "Model formula:"): RECORDED,
    ("docs/coming_from/rpart.md", "print(predict"): RECORDED,
    ("docs/coming_from/rpart.md", "   negative  positive"): RECORDED,
    ("docs/coming_from/sas.md", "proc hpsplit"): "SAS was not available, as the page says",
    ("docs/coming_from/spss.md", "TREE disease"): "SPSS was not available, as the page says",
    ("docs/guide/ensembles.md", "growing trees"): "tests/ensemble/test_progress.py",
    ("docs/guide/explaining.md", "import shap"): "tests/shapley",
    ("docs/guide/handing_over.md", "pip install"): "extras of pyproject.toml",
    ("docs/guide/handing_over.md", "skops.io.load"): "tests/export/test_mlflow.py",
    ("docs/guide/large_data.md", "import dask"): "needs a cluster: tests/batches",
    ("docs/guide/large_data.md", "with joblib"): "needs a cluster: tests/batches",
    ("docs/guide/selection.md", "mode on training"): "tests/ensemble/test_selection.py",
    ("docs/install.md", "$ pip install ."): "below",
    ("docs/install.md", "  method"): "below",
    ("docs/install.md", "spinney train claims"): "below",
    ("docs/papers/car.md", "spinney reproduce"): "tests/reproduce",
    ("docs/papers/chapters.md", "spinney reproduce"): "tests/reproduce",
    ("docs/papers/gp.md", "spinney reproduce"): "tests/reproduce",
    ("docs/papers/igpa.md", "spinney reproduce"): "tests/reproduce",
    ("docs/papers/mode.md", "spinney reproduce"): "tests/reproduce",
    ("docs/papers/small.md", "spinney reproduce"): "tests/reproduce",
    ("docs/releasing.md", "pip install towncrier"): MAINTAINERS,
    ("docs/releasing.md", "nox -s wheels"): MAINTAINERS,
    ("docs/releasing.md", "flags="): MAINTAINERS,
}


def test_every_block_is_run_or_listed() -> None:
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    pages = [path for path in pages if not {"api", "auto_gallery", "decisions"} & {*path.parts}]
    assert len(pages) > 60
    found = []
    for path in pages:
        run = ("python", "sh") if path in PAGES or path.name == "README.md" else ()
        for block in read_blocks(path.read_text(encoding="utf-8")):
            if block.file is None and block.language not in run:
                found.append((path.relative_to(ROOT).as_posix(), block.text.split("\n")[0]))
    listed = {block: next((k for k in NOT_RUN if _is(block, k)), None) for block in found}
    assert [block for block, key in listed.items() if key is None] == []
    assert sorted(set(NOT_RUN) - set(listed.values())) == []


def _is(block: tuple[str, str], key: tuple[str, str]) -> bool:
    return block[0] == key[0] and block[1].startswith(key[1])


@pytest.fixture(scope="module")
def install_blocks() -> dict[str, str]:
    blocks = read_blocks((DOCS / "install.md").read_text(encoding="utf-8"))
    return {block.text.split()[0]: block.text for block in blocks}


@pytest.mark.slow
def test_the_first_command_prints_what_is_shown(install_blocks: dict[str, str]) -> None:
    """But for the times, which the page leaves out."""
    command = install_blocks["$"].splitlines()[-1].removeprefix("$ spinney ").split()
    done = subprocess.run(
        [sys.executable, "-m", "spinney", *command], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("  method"))
    last = first + lines[first:].index("")
    width = lines[first].index("members") + len("members")
    lines[first:last] = [line[:width].rstrip() for line in lines[first:last]]
    assert install_blocks["method"] in "\n".join(lines) + "\n"


@pytest.mark.slow
def test_the_six_commands_for_a_table_of_ones_own_work(
    install_blocks: dict[str, str], tmp_path: Path
) -> None:
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    for name, n in (("claims.csv", 800), ("claims_2026.csv", 300), ("new_claims.parquet", 50)):
        amount = random.exponential(1000, n)
        table = pd.DataFrame({"amount": amount, "kind": random.choice(["car", "home"], n)})
        if name == "new_claims.parquet":
            table.to_parquet(tmp_path / name)
        else:
            fraud = np.where(random.random(n) < 0.03 + 0.3 * (amount > 2500), "yes", "no")
            table.assign(fraud=fraud).to_csv(tmp_path / name, index=False)
    commands = install_blocks["spinney"].splitlines()
    assert len(commands) == 6
    for command in commands:
        words = [sys.executable, "-m", *command.split()]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    assert "SELECT" in (tmp_path / "fraud.sql").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [*PAGES, *HUBS, *PROSE], ids=lambda page: page.stem)
def test_every_file_that_is_linked_exists(page: Path) -> None:
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose)
    links = [link for link in links if not link.startswith("auto_gallery/")]  # made by the build
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_output_belongs_to_the_block_right_before_it() -> None:
    page = "```python\nprint(1)\n```\n\n```text\n1\n```\n\nWords.\n\n```text\n2\n```\n"
    run, alone = read_blocks(page)
    assert (run.text, run.shown, run.line) == ("print(1)\n", "1\n", 1)
    assert (alone.language, alone.shown) == ("text", "")


def test_a_block_that_names_a_file_is_no_output() -> None:
    page = "```python\npass\n```\n\n```c\n/* main.c */\nint x;\n```\n"
    run, file = read_blocks(page)
    assert run.shown == ""
    assert file.file == "main.c"


def test_a_page_that_shows_something_else_is_found_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\n```text\n2\n```\n", encoding="utf-8")
    ((block, printed),) = run_page(page, tmp_path)
    assert (block.shown, printed) == ("2\n", "1\n")


@pytest.mark.parametrize("hub", ["guide", "how_to", "coming_from"])
def test_the_list_of_a_hub_names_every_page(hub: str) -> None:
    text = (DOCS / f"{hub}.md").read_text(encoding="utf-8")
    listed = re.findall(rf"\]\({hub}/(\w+)\.md\)", text)
    assert sorted(set(listed)) == sorted(page.stem for page in (DOCS / hub).glob("*.md"))
