"""What is released: the source archive holds what builds and tests it, and nothing else."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import spinney

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the files of the source archive, without its folder."""
    pytest.importorskip("scikit_build_core", reason="needs scikit-build-core, which builds it")
    out = tmp_path_factory.mktemp("sdist")
    code = f"from scikit_build_core.build import build_sdist; build_sdist({str(out)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    (archive,) = out.glob("*.tar.gz")
    assert archive.stat().st_size < 12_000_000
    with tarfile.open(archive) as file:
        return {name.split("/", 1)[1] for name in file.getnames() if "/" in name}


@pytest.mark.slow
def test_the_archive_holds_what_builds_and_tests(names: set[str]) -> None:
    needed = ["pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "CITATION.cff"]
    for folder, kinds in (("cpp", "[ch]pp"), ("src", "py"), ("tests", "py"), ("docs", "md")):
        needed += [
            str(path.relative_to(ROOT))
            for path in (ROOT / folder).rglob(f"*.{kinds}")
            if "auto_gallery" not in path.parts
        ]
    assert len(needed) > 300
    assert sorted(set(needed) - names) == []


@pytest.mark.slow
def test_the_archive_holds_nothing_that_was_made(names: set[str]) -> None:
    made = re.compile(r"(^|/)(build|dist|__pycache__|api|auto_gallery)/|\.(so|pyc|pyd|o|html)$")
    page = "src/spinney/report/page/"  # the template of reports
    assert sorted(name for name in names if made.search(name) and not name.startswith(page)) == []


def test_versions_agree() -> None:
    assert PROJECT["project"]["version"] == spinney.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, flags=re.MULTILINE).group(1) == (
        spinney.__version__
    )


@pytest.fixture
def maker() -> ModuleType:
    """Return the script that makes a release."""
    spec = spec_from_file_location("make_release", ROOT / "docs" / "make_release.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_release_writes_its_version_everywhere(maker: ModuleType, tmp_path: Path) -> None:
    for name in maker.PLACES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    maker.rewrite(tmp_path, spinney.__version__, "98.7.6")
    assert maker.present_version(tmp_path) == "98.7.6"
    for name in maker.PLACES:
        old, new = (
            (root / name).read_text(encoding="utf-8").splitlines() for root in (ROOT, tmp_path)
        )
        changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        assert changed
        assert all(a.replace(spinney.__version__, "98.7.6") == b for a, b in changed)
    with pytest.raises(SystemExit, match=r"does not name version 1\.2\.3"):
        maker.rewrite(tmp_path, "1.2.3", "2.0.0")


def test_the_date_stands_once_below_the_version(maker: ModuleType, tmp_path: Path) -> None:
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    for date in ("2026-11-18", "2027-01-02"):
        maker.write_date(tmp_path, date)
        text = (tmp_path / "CITATION.cff").read_text(encoding="utf-8")
        assert f"\nversion: {spinney.__version__}\ndate-released: {date}\n" in text
        assert text.count("date-released") == 1


def test_a_release_can_be_made_again(
    maker: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what came after the first try, committed or not."""
    pytest.importorskip("towncrier", reason="needs towncrier, which writes the list of changes")

    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    for name in [*maker.PLACES, "CHANGELOG.md"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    notes = tmp_path / "changelog.d"
    notes.mkdir()
    (notes / "README.md").write_text("What a fragment is.\n")
    (notes / "+first.added.md").write_text("The first change.\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "before")
    monkeypatch.setattr(maker, "ROOT", tmp_path)
    for step in range(3):
        maker.main(["98.7.6", "2026-11-18"])
        text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
        assert text.count("## 98.7.6 (2026-11-18)") == 1
        assert text.count("The first change.") == 1
        assert [path.name for path in notes.glob("+*")] == []
        if step == 1:
            git("add", "-A")
            git("commit", "-qm", "release")
            (notes / "+second.added.md").write_text("The second change.\n")
    assert "The second change." in text
    assert maker.present_version(tmp_path) == "98.7.6"


@pytest.mark.parametrize("words", [[], ["0.2"], ["0.0.1"], ["1.0.0", "2.0.0"]])
def test_a_release_without_a_later_version_is_refused(maker: ModuleType, words: list[str]) -> None:
    with pytest.raises(SystemExit, match="version"):
        maker.main(words)


def test_no_other_page_names_the_version(maker: ModuleType) -> None:
    """What a guide prints names the version only where a release rewrites it."""
    named = {
        str(path.relative_to(ROOT))
        for folder in ("docs/guide", "docs/how_to", "docs/coming_from")
        for path in (ROOT / folder).rglob("*.md")
        if f"by spinney {spinney.__version__}" in path.read_text(encoding="utf-8")
    }
    assert named <= set(maker.PLACES)


def test_changes_are_of_a_kind_that_the_list_shows() -> None:
    kinds = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    names = [path.name for path in (ROOT / "changelog.d").glob("+*")]
    assert [n for n in names if not re.fullmatch(rf"\+[\w-]+\.({'|'.join(kinds)})\.md", n)] == []


def test_the_wheel_is_for_the_stable_abi() -> None:
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "nanobind_add_module(_core STABLE_ABI FREE_THREADED" in cmake


def test_the_workflows_cover_what_is_supported() -> None:
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    for word in (
        "ubuntu",
        "macos",
        "windows",
        '"3.11"',
        '"3.12"',
        '"3.13"',
        '"3.14"',
        "nox -s docs",
    ):
        assert word in text
    first = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f'"{first}"' in text


def test_sources_use_nothing_that_some_libraries_lack() -> None:
    """No std::jthread and no std::from_chars of floats, which libc++ has had only of late."""
    for path in (ROOT / "cpp").rglob("*.[ch]pp"):
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        assert "std::jthread" not in text, path.name
        assert "std::from_chars" not in text, path.name


def test_show_versions_names_the_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    spinney.show_versions()
    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert shown["spinney"] == spinney.__version__
    assert shown["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}")
    needs = [re.match(r"[\w-]+", need).group() for need in PROJECT["project"]["dependencies"]]
    assert [name for name in needs if shown.get(name, "none") == "none"] == []


def test_the_command_says_its_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spinney", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().endswith(spinney.__version__)


@pytest.mark.slow
def test_a_newcomer_fits_saves_loads_and_predicts() -> None:
    """What `nox -s try_wheels` runs with each Python works here, with the same models each time."""
    script = Path(__file__).with_name("first_use.py")
    runs = [
        subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    lines = runs[0].splitlines()
    assert [line.split()[0] for line in lines] == ["cart", "c45", "forest", "adaboost", "command"]
    assert len({line.split()[1] for line in lines}) == len(lines)
    assert runs[0] == runs[1]
