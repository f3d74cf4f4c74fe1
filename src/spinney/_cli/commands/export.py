"""`spinney export`: a model in the form of other systems."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from spinney._cli.commands.rules import table_parts
from spinney._cli.errors import Refusal, refusing
from spinney._cli.models import load_model
from spinney._cli.output import check_output, write_bytes
from spinney._cli.saved import held_by


def run(
    model: Path,
    format_: str,
    out: Path,
    dialect: str,
    table: str,
    keep: tuple[str, ...],
    proba: bool,
    strict: bool,
    prefix: str,
) -> None:
    """Write a model for other systems."""
    from spinney import export

    check_output("--out", out, model)
    fitted = held_by(load_model(model))
    writers: dict[str, Callable[[], str | bytes]] = {
        "pmml": lambda: export.to_pmml(fitted),
        "onnx": lambda: bytes(export.to_onnx(fitted).SerializeToString()),
        "sql": lambda: export.to_sql(
            fitted,
            table_parts(table),
            dialect=dialect,
            keep=list(keep),
            probabilities=proba,
            strict=strict,
        ),
        "c": lambda: export.to_c(fitted, prefix),
        "python": lambda: export.to_python(fitted),
        "json": lambda: export.to_json(fitted, indent=2) + "\n",
        "treelite": lambda: bytes(export.to_treelite(fitted).serialize_bytes()),
    }
    write_bytes("--out", out, _content(writers[format_], fitted))
    click.echo(f"The model is in {out}.", err=True)


def _content(write: Callable[[], str | bytes], fitted: Any) -> bytes:
    """Return the bytes of a file; what a format cannot hold is refused in one sentence."""
    if getattr(getattr(fitted, "made_for_", None), "threshold", None) is not None:
        click.echo(
            "Note: the threshold of the model is not part of the file; labels are those of "
            "predict in Python. Compare the probability of the positive class with it.",
            err=True,
        )
    with refusing():
        try:
            made = write()
            return made if isinstance(made, bytes) else made.encode()
        except ImportError as error:
            raise Refusal(str(error)) from error
        except UnicodeEncodeError as error:
            found = error.object[error.start : error.end]
            raise Refusal(f"the format cannot hold the character {found!r} of a name.") from error
