"""Ways to run the command inside this process, to write the files it reads, and model files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import spinney
from spinney._cli import main


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run `spinney` with the given arguments, as if piped."""

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file and return its path."""

    def make(text: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return make


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Train once by the command, and return the file it wrote."""
    made: dict[tuple[str, ...], Path] = {}

    def train(*arguments: str) -> Path:
        if arguments not in made:
            path = tmp_path_factory.mktemp("models") / "model.spinney"
            done = CliRunner().invoke(main, ["train", *arguments, "--no-cv", "--out", str(path)])
            assert done.exit_code == 0, done.output
            made[arguments] = path
        return made[arguments]

    return train


@pytest.fixture
def loaded(model_file: Callable[..., Path]) -> Callable[..., Any]:
    """Return the model that such a file holds."""
    return lambda *arguments: spinney.load(model_file(*arguments))
