"""Random tables through fit, predict, save, load and predict.

Hypothesis draws the outline of a table: rows, kinds of columns, gaps, weights, classes, and the
estimator. The cells follow from a number that is drawn with it. So an outline that fails is made
smaller, and a run can be repeated from its seed.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from contracts.estimators import LISTED, Listed
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import spinney
from fuzz.apart import temporary_place

CHUNK = 500  # tables that share a seed
WILD = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e-310, 1e-40, 1e300, 1.7e308, -1.79e308, np.inf, -np.inf]
WORDS = ["", " ", "a", "b", "é", "日本", "None", "nan", "0", "1e3", "x <= 3", "`", "'", "\n", "\0"]
LEARNED_NOTHING = (
    *("no better than guessing", "leaves no rows for learners", "sample_size"),
    "limits count weight",
    "has no rate to learn from",
)
MAY_WARN = (
    "rows were seen by every member",
    "weighted loss of",
    "still climbs",
    "had not settled",
    "lose precision",
    "holds categories that fit did not see",
)


@dataclass(frozen=True)
class Outline:
    """What a table is made from."""

    n_rows: int
    kinds: tuple[str, ...]
    gaps: float
    weights: str
    target: str
    n_classes: int
    estimator: int
    cells: int  # seeds them

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"Outline({values})  # {LISTED[self.estimator].estimator!r}"


def _numbers(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.asarray(rng.normal(size=n))


def _steps(rng: np.random.Generator, n: int) -> np.ndarray:
    """Neighbouring doubles, some of them twice."""
    start = float(rng.choice([1.0, -1.0, 0.0, 1e300, rng.normal()]))
    values = [start]
    while len(values) < 8:
        values.append(np.nextafter(values[-1], np.inf))
    return np.asarray(rng.choice(values, n))


def _integers(rng: np.random.Generator, n: int) -> np.ndarray:
    kind = str(rng.choice(["i1", "u1", "i2", "i4", "i8", "u8", ">i4"]))
    return rng.integers(0, 100, n).astype(kind)


def _categorical(rng: np.random.Generator, n: int, *, ordered: bool) -> pd.Categorical:
    words = [WORDS[i] for i in rng.permutation(len(WORDS))]  # NumPy would cut the NUL off
    cells = [words[i] for i in rng.integers(0, 5, n)]
    return pd.Categorical(cells, words[: int(rng.integers(5, 9))], ordered)


MAKERS: dict[str, Any] = {
    "numbers": _numbers,
    "few numbers": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "wild numbers": lambda rng, n: rng.choice(WILD, n),
    "neighbours": _steps,
    "float32": lambda rng, n: _numbers(rng, n).astype(np.float32),
    "float16": lambda rng, n: _numbers(rng, n).astype(np.float16),
    "integers": _integers,
    "large integers": lambda rng, n: 2**60 + 2**9 * rng.integers(0, 40, n),
    "booleans": lambda rng, n: rng.random(n) < 0.5,
    "one value": lambda rng, n: np.full(n, 7.5),
    "words": lambda rng, n: rng.choice(np.array(WORDS, dtype=object), n),
    "many words": lambda rng, n: np.array([f"k{k}" for k in rng.integers(0, 60, n)], dtype=object),
    "nominal": lambda rng, n: _categorical(rng, n, ordered=False),
    "ordered": lambda rng, n: _categorical(rng, n, ordered=True),
    "objects": lambda rng, n: rng.integers(0, 9, n).astype(object),
}
WEIGHTS = ("none", "whole", "with zeros", "fractions", "large")
TARGETS = ("words", "integers", "booleans", "floats")

outlines = st.builds(
    Outline,
    n_rows=st.integers(1, 40),
    kinds=st.lists(st.sampled_from(list(MAKERS)), min_size=1, max_size=4).map(tuple),
    gaps=st.sampled_from([0.0, 0.0, 0.1, 0.5, 1.0]),
    weights=st.sampled_from(WEIGHTS),
    target=st.sampled_from(TARGETS),
    n_classes=st.integers(1, 5),
    estimator=st.integers(0, len(LISTED) - 1),
    cells=st.integers(0, 2**32 - 1),
)


def make_frame(outline: Outline, rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Return a table of the outline, with gaps where a column can have them."""
    columns: dict[str, Any] = {}
    for place, kind in enumerate(outline.kinds):
        cells = MAKERS[kind](rng, n_rows)
        hidden = rng.random(n_rows) < outline.gaps
        if isinstance(cells, pd.Categorical):
            cells[hidden] = np.nan
        elif cells.dtype == object:
            cells[hidden] = None
        elif cells.dtype.kind == "f":
            cells[hidden] = np.nan
        columns[f"{kind} {place}"] = cells
    return pd.DataFrame(columns)


def make_target(outline: Outline, rng: np.random.Generator, listed: Listed) -> np.ndarray:
    """Return classes, or numbers of any size."""
    codes = rng.integers(0, outline.n_classes, outline.n_rows)
    if not listed.is_classifier:
        return np.asarray(codes * rng.choice([1.0, 1e-300, 1e9, 1e300]) + rng.choice([0.0, 1e9]))
    labels = {
        "words": np.array([f"class {k}" for k in range(5)], dtype=object),
        "integers": np.arange(-2, 3),
        "booleans": np.array([False, True] * 3)[:5],
        "floats": np.array([-1.0, 0.0, 0.5, 2.0, 3.0]).round(),
    }
    return labels[outline.target][codes]


def make_weight(outline: Outline, rng: np.random.Generator) -> np.ndarray | None:
    """Return weights that mean something: at least one is above zero."""
    n = outline.n_rows
    weight = {
        "none": None,
        "whole": rng.integers(1, 4, n).astype(float),
        "with zeros": rng.integers(0, 2, n).astype(float),
        "fractions": rng.random(n) + 1e-3,
        "large": rng.integers(1, 4, n) * 1e6,
    }[outline.weights]
    if weight is not None and not weight.any():
        weight[0] = 1.0
    return weight


def new_estimator(listed: Listed) -> Any:
    """Return an estimator that does not take long: mixtures need not climb to the top."""
    few = {"n_init": 1, "max_iter": 4}
    return listed.new(**{name: value for name, value in few.items() if listed.has(name)})


def answers(model: Any, rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return everything that is predicted for some rows."""
    names = [name for name in ("predict", "predict_proba", "apply") if hasattr(model, name)]
    return {name: getattr(model, name)(rows) for name in names}


def _bits(answered: dict[str, np.ndarray]) -> dict[str, Any]:
    return {name: a.tolist() if a.dtype == object else a.tobytes() for name, a in answered.items()}


def try_table(outline: Outline, folder: Path) -> bool:
    """Put one table through everything; tell whether there was a model."""
    rng = np.random.default_rng(outline.cells)
    listed = LISTED[outline.estimator]
    X = make_frame(outline, rng, outline.n_rows)
    y, weight = make_target(outline, rng, listed), make_weight(outline, rng)
    try:
        model = new_estimator(listed).fit(X, y, sample_weight=weight)
    except ValueError as problem:
        if any(words in str(problem) for words in LEARNED_NOTHING):
            return False
        raise
    rows = pd.concat([X, make_frame(outline, rng, 7)]) if _same_kinds(X) else X
    before = answers(model, rows)
    _assert_sane(before, y, len(rows))
    path = folder / "model.spinney"
    spinney.save(model, path)
    data = path.read_bytes()
    loaded = spinney.load(path)
    assert _bits(answers(loaded, rows)) == _bits(before), "the loaded model answers otherwise"
    spinney.save(loaded, path)
    assert path.read_bytes() == data, "the loaded model saves to other bytes"
    return True


def _same_kinds(X: pd.DataFrame) -> bool:
    """Whether rows can be added without changing a type.

    Categoricals may have other categories, and objects that are all missing are numbers to fit.
    """
    categorical = any(isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes)
    return not categorical and not X.isna().all().any()


def _assert_sane(answered: dict[str, np.ndarray], y: np.ndarray, n_rows: int) -> None:
    predicted = answered["predict"]
    assert len(predicted) == n_rows
    if "predict_proba" in answered:
        shares = answered["predict_proba"]
        assert set(predicted.tolist()) <= set(y.tolist())
        assert np.isfinite(shares).all()
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
    else:
        assert np.isfinite(predicted).all()


def try_tables(count: int, first_seed: int) -> int:
    """Try some tables; return how many gave a model. One that fails is made smaller and raised."""
    made = 0
    with temporary_place() as name, warnings.catch_warnings():
        warnings.simplefilter("error")
        for words in MAY_WARN:
            warnings.filterwarnings("ignore", message=f".*{words}")

        @seed(first_seed)
        @settings(
            max_examples=count,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        )
        @given(outline=outlines)
        def run(outline: Outline) -> None:
            nonlocal made
            made += try_table(outline, Path(name))

        run()
    return made
