"""An install that cannot work says what is needed, before anything is compiled."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
needs_cmake = pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake")


def configure(build: Path, *options: str, **environment: str) -> str:
    """Return what CMake says when it refuses to configure the core."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CXX", "CXXFLAGS")}
    command = [shutil.which("cmake"), "-S", str(ROOT), "-B", str(build), "-DSPINNEY_TESTS=ON"]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, env=kept | environment
    )
    assert done.returncode != 0
    return re.sub(r"\s+", " ", done.stderr)  # CMake breaks lines


def pretended(folder: Path, name: str, text: str) -> Path:
    """Write a program that stands for another one."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def only(folder: Path, *names: str) -> str:
    """Return a PATH with nothing but some programs."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return str(folder)


@needs_cmake
@pytest.mark.skipif(os.name == "nt", reason="Visual Studio is found without a PATH")
def test_without_a_compiler_it_says_which_are_needed(tmp_path: Path) -> None:
    said = configure(
        tmp_path / "build", PATH=only(tmp_path / "bin", "make", "uname", "sh"), CC="", CXX=""
    )
    assert "spinney needs a C++20 compiler, and found none" in said
    for remedy in ("gcc 12, clang 16 or Visual Studio 2022", "apt install g++", "xcode-select"):
        assert remedy in said


@needs_cmake
@pytest.mark.skipif(not shutil.which("g++"), reason="needs gcc")
def test_an_old_compiler_is_named_with_the_version_that_is_needed(tmp_path: Path) -> None:
    """A compiler that says it is gcc 11: CMake takes the version from these macros."""
    real = shutil.which("g++")
    old = "-U__GNUC__ -D__GNUC__=11 -U__GNUC_MINOR__ -D__GNUC_MINOR__=3"
    wrapper = pretended(tmp_path / "bin", "g++-11", f'exec {real} {old} "$@"')
    said = configure(tmp_path / "build", f"-DCMAKE_CXX_COMPILER={wrapper}")
    assert f"spinney needs gcc 12 or later, found 11.3.0 at {wrapper}" in re.sub(
        r"11\.3\.\d", "11.3.0", said
    )
    assert "set CXX to its path" in said


def old_python(*words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYENV_VERSION": "3.10"}  # where pyenv has it
    command = ["python3.10", "-m", "pip", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.slow
def test_pip_of_an_old_python_names_both_versions() -> None:
    if not shutil.which("python3.10") or old_python("--version").returncode != 0:
        pytest.skip("needs Python 3.10 with pip")
    done = old_python("install", "--no-deps", "--dry-run", str(ROOT))
    assert done.returncode != 0
    if "No matching distribution" in done.stderr:
        pytest.skip("needs an index, from which pip takes what builds the package")
    found = re.search(r"requires a different Python: 3\.10\.\d+ not in '(\S+)'", done.stderr)
    assert found is not None, done.stderr
    assert found[1] == PROJECT["project"]["requires-python"] == ">=3.11"


@needs_cmake
def test_an_old_cmake_says_which_one_is_needed(tmp_path: Path) -> None:
    """What CMake does with the first line of the build, of a version that does not exist yet."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    first, rest = text.split("\n", 1)
    assert first == "cmake_minimum_required(VERSION 3.24)"
    assert PROJECT["tool"]["scikit-build"]["cmake"]["version"] == ">=3.24"
    (tmp_path / "CMakeLists.txt").write_text(first.replace("3.24", "99.1") + "\n" + rest)
    done = subprocess.run(
        ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build")],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "CMake 99.1 or higher is required" in re.sub(r"\s+", " ", done.stderr)


def test_the_page_on_installing_lists_each_of_these() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    for message in (
        "requires a different Python",
        "spinney needs a C++20 compiler, and found none",
        "spinney needs gcc 12 or later",
        "CMake 3.24 or higher is required",
    ):
        assert message in page
