"""Ways to run the command inside this process and to write the files it reads."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

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
