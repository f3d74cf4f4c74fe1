"""`spinney edit`: recorded edits of a tree, made again on given rows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spinney._cli.data.match import Answers, fit_options, read_answers
from spinney._cli.errors import Refusal, refusing
from spinney._cli.memory import text_format
from spinney._cli.models import load_model, save_model
from spinney._cli.output import Screen, check_output, leaves_text, print_result, write_text
from spinney.edit import EditHistory, ReplayReport, TreeEditor


@dataclass(frozen=True, eq=False)
class Edited:
    """A tree after its edits."""

    source: str
    model: Any
    history: EditHistory
    report: ReplayReport


def run(
    model: Path,
    data: str,
    edits: Path,
    target: str | None,
    partly: bool,
    out: Path | None,
    report: Path | None,
    as_json: bool,
    weight: str | None = None,
    exposure: str | None = None,
    **options: Any,
) -> None:
    """Apply recorded edits to a tree on some rows, and show the effect of each."""
    check_output("--out", out, data, model, edits)
    check_output("--report", report, data, model, edits)
    if report is not None and out is not None and report.absolute() == out.absolute():
        raise Refusal(f"--out and --report are both {str(out)!r}. Give them different names.")
    estimator = load_model(model)
    try:
        recorded = edits.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Refusal(f"cannot read --edits {str(edits)!r}: {reason}.") from error
    answers = read_answers(
        data, estimator, target, text_format(estimator, options), (weight, exposure)
    )
    known = fit_options(answers, weight, exposure)
    with refusing():
        editor = TreeEditor(estimator, answers.rows.X, answers.y, **known)
        replayed = editor.replay(recorded)
        if replayed.refused and not partly:
            raise Refusal(f"{replayed}\nUse --partly to make the other edits all the same.")
        edited = Edited(str(model), editor.finish(), editor.history, replayed)
        page = None if report is None else _page(edited.model, answers, known)
    save_model(edited.model, out)
    if report is not None and page is not None:
        write_text("--report", report, page)
    written = {"The model is in": out, "The report is in": report}
    print_result(edited, show, as_dict, as_json=as_json, written=written)


def _page(model: Any, answers: Answers, options: dict[str, Any]) -> str:
    from spinney.report import Report

    rows = answers.rows.X
    return Report(model, rows, answers.y, target=answers.target, **options).to_html()


def show(edited: Edited, screen: Screen) -> None:
    """Print what the edits did, and the tree."""
    screen.line(f"Tree of {edited.source}: {str(edited.report).splitlines()[0]}", bold=True)
    for edit, why in edited.report.refused:
        screen.wrapped(f"Not applied: {edit}: {why}")
    screen.tree(str(edited.history))
    tree = edited.model.tree_
    screen.head(f"Edited: {leaves_text(tree.n_leaves)}, depth {tree.max_depth}")
    screen.tree(tree.to_text(max_depth=None if tree.n_leaves <= 60 else 4))


def as_dict(edited: Edited) -> dict[str, Any]:
    """Return what the edits did, and the tree."""
    steps = [
        {
            "edit": None if step.edit is None else step.edit.to_dict(),
            "leaves": step.n_leaves,
            "risk": step.risk,
            "error": step.error,
            "standard_error": step.standard_error,
        }
        for step in edited.history.steps
    ]
    refused = [{"edit": edit.to_dict(), "why": why} for edit, why in edited.report.refused]
    return {
        "source": edited.source,
        "steps": steps,
        "refused": refused,
        "tree": edited.model.tree_.to_dict(),
    }
