"""What people run by hand: `nox` for everything that must pass, `nox -s bench` for timings."""

import filecmp
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "typing", "cpp", "tests"]

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
LINTERS = PROJECT["project"]["optional-dependencies"]["lint"]
STUB_MAKER = [need for need in PROJECT["build-system"]["requires"] if need.startswith("nanobind")]


@nox.session
def tests(session: nox.Session) -> None:
    """Run the Python tests; arguments after -- go to pytest."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def cpp(session: nox.Session) -> None:
    """Build and run the C++ tests, once as released and once with the sanitizers."""
    session.install("cmake>=3.24")
    for name, option in (("release", "OFF"), ("sanitized", "ON")):
        build = f"build/cpp-{name}"
        session.run(
            "cmake", "-S", ".", "-B", build, "-DSPINNEY_TESTS=ON", f"-DSPINNEY_SANITIZE={option}"
        )
        session.run("cmake", "--build", build, "--parallel", "2")
        session.run("ctest", "--test-dir", build, "--output-on-failure")


@nox.session
def lint(session: nox.Session) -> None:
    """Check layout, style and spelling; `nox -s lint -- --fix` mends what can be mended."""
    session.install(*LINTERS)
    fix = "--fix" in session.posargs
    sources = [
        str(path) for suffix in ("hpp", "cpp") for path in sorted(Path("cpp").rglob(f"*.{suffix}"))
    ]
    session.run("ruff", "check", *(["--fix"] if fix else []))
    session.run("ruff", "format", *([] if fix else ["--check"]))
    session.run("clang-format", *(["-i"] if fix else ["--dry-run", "-Werror"]), *sources)
    session.run("codespell")


@nox.session
def typing(session: nox.Session) -> None:
    """Check types, and that the stub of the core says what the core offers."""
    session.install(".[lint]", *STUB_MAKER)
    session.run("mypy")
    made = Path(session.create_tmp()) / "_core.pyi"
    session.run("python", "-m", "nanobind.stubgen", "-q", "-m", "spinney._core", "-o", str(made))
    if not filecmp.cmp(made, ROOT / "src" / "spinney" / "_core.pyi", shallow=False):
        session.error(f"src/spinney/_core.pyi is out of date: copy {made} over it")


@nox.session
def bench(session: nox.Session) -> None:
    """Time spinney beside its peers; arguments after -- go to the benchmark."""
    session.install(".[bench]")
    session.run("python", "-m", "benchmarks", *session.posargs)
