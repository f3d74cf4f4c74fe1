"""The report of a comparison: tables, conclusions and figures; as HTML or Markdown."""

import base64
import html
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from spinney._cli.commands.compare import Comparison
from spinney._cli.errors import refusing_folder
from spinney._cli.output import drawn, write_bytes, write_text
from spinney._cli.summary import target_words
from spinney.compare import Results, Table
from spinney.compare._folder import held_folder
from spinney.compare._tables import for_markdown, label_of, rank_tests, unit_of
from spinney.plot._matplotlib import have_matplotlib
from spinney.report._page import PAGE_HEAD, page_style

_STYLE = (
    "img { max-width: 100%; background: #fff; border-radius: 8px } b { font-weight: 650 } "
    "section ul, header ul { margin: .3rem 0; padding-left: 1.2rem } main pre { max-height: none }"
)


def write_report(found: Comparison, folder: Path, format_: str) -> Path:
    """Write a report into a folder.

    Parameters
    ----------
    found : Comparison
        The results.
    folder : Path
        Existing folder.
    format_ : {"html", "md"}
        HTML with embedded figures, or Markdown with figures in files.

    Returns
    -------
    Path
        Path of the report.
    """
    page = folder / f"report.{format_}"
    with refusing_folder(folder), held_folder(folder):
        text = _html(found) if format_ == "html" else _markdown(found, folder)
        write_text("--out", page, text)
    return page


def _title(found: Comparison) -> str:
    return f"Models on {', '.join(found.results.datasets)}"


def _facts(found: Comparison) -> list[str]:
    """Return sentences about the data and the resampling."""
    named = list(zip(found.results.datasets, found.readings, strict=True))
    return [
        *(
            f"{name}: {data.n_rows} rows, {len(data.features)} features; {target_words(data)}."
            for name, data in named
        ),
        *(f"{name}: {remark}." for name, data in named for _, remark in data.remarks),
        f"Compared by {found.plan.words}, seed {found.plan.seed}.",
    ]


def _findings(found: Comparison) -> list[str]:
    words = [
        f"{name}: {sentence}"
        for place, name in enumerate(found.results.datasets)
        for sentence in found.findings(place)
    ]
    return [*found.notes, *rank_tests(found.results), *words]


def _pictures(found: Comparison) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield a name and a function that draws, for each figure."""
    from spinney.compare import plot_critical_difference, plot_error_and_leaves

    results = found.results
    if not have_matplotlib():
        return
    if len(results.datasets) > 1 and len(results.methods) > 2:
        ranks, difference = results.mean_ranks(), results.nemenyi().critical_difference
        yield "mean ranks", partial(plot_critical_difference, ranks, difference, results.methods)
    for place, name in enumerate(results.datasets):
        if "n_leaves" in results.measures:
            yield f"{name}: error and leaves", partial(plot_error_and_leaves, results, name)
        yield f"{name}: error by partition", partial(_plot_spread, results, place)
    for name, tree in found.trees.items():
        if tree.n_leaves <= 16:
            yield f"{name}: the tree to read", tree.plot


def _plot_spread(results: Results, place: int) -> Any:
    """Draw the errors of each method over the partitions; return the axes."""
    from matplotlib import pyplot

    order = results.mean()[place].argsort(kind="stable")[::-1].tolist()
    _, ax = pyplot.subplots(figsize=(6.4, 0.45 * len(order) + 1))
    values = [unit_of(results.measure) * results.values()[place, m] for m in order]
    ax.boxplot(values, orientation="horizontal", widths=0.6)
    ax.set_yticks(range(1, len(order) + 1), [results.methods[m] for m in order])
    ax.set(xlabel=label_of(results.measure), title=results.datasets[place])
    return ax


# -- HTML


def _html(found: Comparison) -> str:
    title = html.escape(_title(found))
    parts = [
        f'<header><div class="title"><p class="eyebrow">spinney comparison</p></div>'
        f"<h1>{title}</h1>{_list(_facts(found))}</header>\n<main>",
        _section("What was found", _list(_findings(found))),
        *(_section(table.title, _html_table(table)) for table in found.tables),
    ]
    for name, tree in found.trees.items():
        text = html.escape(tree.to_text(max_depth=8))
        parts.append(_section(f"{name}: the tree to read, on all rows", f"<pre>{text}</pre>"))
    pictures = [_figure(name, drawn(draw, "svg")) for name, draw in _pictures(found)]
    if pictures:
        shown = "\n".join(pictures)
        parts.append(_section("Pictures", f'<div class="charts large">{shown}</div>'))
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>{PAGE_HEAD}'
        f"<title>{title}</title><style>{page_style()}{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _section(title: str, inner: str) -> str:
    return f"<section><h2>{html.escape(title)}</h2>\n{inner}\n</section>"


def _list(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"


def _figure(name: str, picture: bytes) -> str:
    code, said = base64.b64encode(picture).decode(), html.escape(name)
    return (
        f"<figure><figcaption>{said}</figcaption>"
        f'<img alt="{said}" src="data:image/svg+xml;base64,{code}"></figure>'
    )


def _html_table(table: Table) -> str:
    head, *rows = table._words(mark=lambda text: f"<b>{text}</b>", escape=html.escape)
    kinds = ["word" if is_left else "figure" for is_left in table._is_left()]

    def line(row: Sequence[str], tag: str) -> str:
        cells = zip(kinds, row, strict=True)
        return "".join(f'<{tag} class="{kind}">{cell}</{tag}>' for kind, cell in cells)

    body = "\n".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    name = html.escape(table.title)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>'
        f"<thead><tr>{line(head, 'th')}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


# -- Markdown


def _markdown(found: Comparison, folder: Path) -> str:
    parts = [f"# {for_markdown(_title(found))}", *map(for_markdown, _facts(found))]
    for table in found.tables:
        parts += [f"## {for_markdown(table.title)}", table.to_markdown().rstrip("\n")]
    parts += map(for_markdown, _findings(found))
    for name, tree in found.trees.items():
        heading = f"## {for_markdown(name)}: the tree to read, on all rows"
        parts += [heading, _fenced(tree.to_text(8))]
    taken: set[str] = set()
    for name, draw in _pictures(found):
        file = _file_name(name, taken)
        write_bytes("--out", folder / file, drawn(draw, "svg"))
        parts.append(f"![{for_markdown(name)}]({file})")
    return "\n\n".join(parts) + "\n"


def _fenced(text: str) -> str:
    """Return text between code fences longer than any in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _file_name(name: str, taken: set[str]) -> str:
    """Return a unique file name without folders and spaces."""
    stem = re.sub(r"[^\w.-]+", "_", name.replace(": ", "-")).strip("._-")[-80:] or "picture"
    file, number = f"{stem}.svg", 2
    while file.lower() in taken:
        file, number = f"{stem}-{number}.svg", number + 1
    taken.add(file.lower())
    return file
