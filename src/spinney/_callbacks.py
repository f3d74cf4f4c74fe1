"""scikit-learn's callbacks, where the installed version has them.

An estimator that derives from `CallbackMixin` and reports through `callback_reports` gets
`set_callbacks`, and may be watched alone or inside a search or a pipeline. Before scikit-learn 1.9
there are no callbacks: the mixin is then empty, and reports go nowhere.

The words of scikit-learn: a fit is the *root task*, each member of an ensemble one *subtask* of it.
A member that was grown in the core is known only when it is done, so its task begins and ends in
one moment.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:
    CallbackSupportMixin = with_callbacks = None


class _NoCallbacks:
    """Stands in for scikit-learn's mixin."""


CallbackMixin: Any = CallbackSupportMixin or _NoCallbacks

__all__ = ["CallbackMixin", "callback_reports", "has_callbacks"]

Report = Callable[[], bool]


def has_callbacks(estimator: Any) -> bool:
    """Tell whether somebody watches this fit, and whether the fit is not watched already."""
    return (
        with_callbacks is not None
        and isinstance(estimator, CallbackMixin)
        and bool(getattr(estimator, "_skl_callbacks", ()))
        and not hasattr(estimator, "_callback_fit_ctx")
    )


@contextmanager
def callback_reports(
    estimator: Any, what: str, n_subtasks: int | None, **data: Any
) -> Iterator[Report]:
    """Run the root task of a fit, and yield a function that runs one subtask.

    Parameters
    ----------
    estimator : estimator
        One for which `has_callbacks` is true.
    what : str
        What the fit does, for display.
    n_subtasks : int or None
        The largest number of subtasks; None if it is not known.
    **data : object
        What callbacks may ask for: `X`, `y` and `metadata`.

    Yields
    ------
    function
        It returns True if a callback asks to stop.
    """
    try:
        root = estimator._init_callback_context(task_name=what, max_subtasks=n_subtasks)
        root.call_on_fit_task_begin(estimator=estimator, **data)

        def report() -> bool:
            task = root.subcontext(task_name="member")
            task.call_on_fit_task_begin(estimator=estimator, **data)
            return bool(task.call_on_fit_task_end(estimator=estimator, **data))

        yield report
        root.call_on_fit_task_end(estimator=estimator, **data)
    finally:
        _tear_down(estimator)


def _tear_down(estimator: Any) -> None:
    """End the callbacks, also after a failure: scikit-learn does so after a managed method."""
    with_callbacks(_nothing)(estimator)


def _nothing(estimator: Any) -> None:
    """Be a method that scikit-learn manages."""
