"""Write the list of all public names: `python docs/make_reference.py`."""

import importlib
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
MODULES = (
    "spinney",
    *(f"spinney.{name}" for name in ("tree", "pruning", "edit", "rules", "ensemble", "evolve")),
    "spinney.shapley",
    *(f"spinney.{name}" for name in ("mixture", "plot", "export", "report", "rpart", "compare")),
    *(f"spinney.{name}" for name in ("datasets", "onnx", "mlflow", "batches")),
)
BEGIN = """# Reference

All public names. Parameters, attributes and examples are in the docstrings:
`help(name)`, or `name?` in a notebook. The [guide](guide.md) shows how they are used together.
"""
DASK = """## spinney.dask

Trees and forests on a Dask cluster, equal to those of `spinney` to the last bit.

| name | what it is |
|---|---|
| `BaggingClassifier` | Bagging on Dask arrays and frames. |
| `BaggingRegressor` | Bagging on Dask arrays and frames. |
| `CARTClassifier` | Classification trees on Dask arrays and frames. |
| `CARTRegressor` | Regression trees on Dask arrays and frames. |
| `ExtraTreesClassifier` | Extremely randomized trees on Dask arrays and frames. |
| `ExtraTreesRegressor` | Extremely randomized trees on Dask arrays and frames. |
| `RandomForestClassifier` | Random forests on Dask arrays and frames. |
| `RandomForestRegressor` | Random forests on Dask arrays and frames. |
"""  # not from the module, which needs Dask


VALUES = {  # what has no docstring of its own
    "Bool": "The type of truth values.",
    "FUNCTIONS": "The functions that expressions may be made of, by name.",
    "Nominal": "The type of categories without an order.",
    "Numeric": "The type of numbers.",
    "Ordered": "The type of categories with an order.",
}


def page() -> str:
    """Return the page."""
    sections = [section(name, names) for name, names in public_names()]
    return "\n".join([BEGIN, *sections, DASK])


def public_names(modules: Iterable[str] = MODULES) -> Iterator[tuple[str, list[str]]]:
    """Yield the modules with their names; one that several modules have is in the first."""
    seen: list[object] = []
    for name in modules:
        module = importlib.import_module(name)
        listed = [n for n in sorted(module.__all__, key=str.lower) if not n.startswith("_")]
        listed = [n for n in listed if not any(getattr(module, n) is value for value in seen)]
        seen += [getattr(module, n) for n in listed]
        yield name, listed


def section(name: str, listed: list[str]) -> str:
    """Return the heading of a module and the table of its names."""
    module = importlib.import_module(name)
    lines = [f"## {name}", "", first_line(module), ""]
    lines += ["| name | what it is |", "|---|---|"]
    for name in listed:
        meaning = VALUES.get(name) or first_line(getattr(module, name))
        lines.append(f"| `{name}` | {meaning} |")
    return "\n".join(lines) + "\n"


def first_line(value: object) -> str:
    """Return the first line of a docstring, as a cell of a table."""
    return (inspect.getdoc(value) or "").split("\n", 1)[0].replace("|", r"\|")


if __name__ == "__main__":
    (HERE / "reference.md").write_text(page(), encoding="utf-8")
