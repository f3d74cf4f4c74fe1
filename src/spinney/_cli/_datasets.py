"""`spinney datasets`."""

from pathlib import Path

import click

from spinney._cli._options import json_option, out_option


@click.command("datasets")
@click.argument("name", required=False)
@out_option("Write the data set to this file, as CSV.")
@json_option
def command(name: str | None, out: Path | None, as_json: bool) -> None:
    """List the data sets that ship with spinney, or describe the one called NAME."""
    from spinney._cli._catalogue import describe, list_all, write_csv
    from spinney._cli._refusal import Refusal
    from spinney._cli._text import make_console
    from spinney._cli._writing import check_output
    from spinney._nearest import did_you_mean
    from spinney.datasets import list_datasets

    check_output("--out", out)
    if name is None:
        if out is not None:
            raise Refusal("--out: say which data set to write: spinney datasets NAME --out FILE.")
        list_all(make_console(), as_json=as_json)
        return
    if name not in list_datasets():
        raise Refusal(f"there is no data set {name!r}.{did_you_mean(name, list_datasets())}")
    describe(name, make_console(), as_json=as_json)
    if out is not None:
        write_csv(name, out)
        click.echo(f"\nThe data set is in {out}.", err=as_json)
