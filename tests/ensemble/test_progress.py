"""What a long fit shows: nothing, a bar or lines; and what it tells scikit-learn's callbacks."""

import io
import os
import pickle
import re
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import spinney._progress as callbacks_module
from spinney import _progress
from spinney._progress import CallbackMixin, progress

needs_callbacks = pytest.mark.skipif(
    callbacks_module.with_callbacks is None, reason="this scikit-learn has no callbacks"
)


class Ensemble(CallbackMixin, ClassifierMixin, BaseEstimator):
    """An ensemble whose members do nothing."""

    def __init__(self, n_estimators=4, *, fails_at=None, verbose=0):
        self.n_estimators = n_estimators
        self.fails_at = fails_at
        self.verbose = verbose

    def fit(self, X, y):
        with progress(self, "growing trees", self.n_estimators, X=X, y=y) as finished:
            for i in range(self.n_estimators):
                if i == self.fails_at:
                    raise KeyboardInterrupt
                if finished(i + 1):
                    break
        self.n_members_ = i + 1
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Recorder:
    """A callback that notes what it is told."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.events = []

    def _note(self, event, context):
        self.events.append((event, context.task_name, context.task_id))

    def setup(self, estimator, context):
        self._note("setup", context)

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self._note("begin", context)
        assert X is not None

    def on_fit_task_end(self, estimator, context, *, y=None):
        self._note("end", context)
        assert y is not None
        return context.parent is not None and context.task_id == self.stop_after

    def teardown(self, estimator, context):
        self._note("teardown", context)


class Clock:
    """A clock that the test turns."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


class Terminal(io.StringIO):
    """Text that takes itself for a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_progress, "time", clock)
    return clock


@pytest.fixture
def open_terminal(monkeypatch):
    """Return a function: what a fixture does to standard error, pytest undoes before the test."""
    for variable in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")

    def opened():
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        return terminal

    return opened


def threads_fall_to(number):
    """Wait a little for threads that have been told to end."""
    for _ in range(300):
        if threading.active_count() <= number:
            return True
        threading.Event().wait(0.01)
    return False


X = np.arange(12.0).reshape(6, 2)
y = np.array([0, 1] * 3)


# -- Plain lines


def test_a_fit_that_is_not_verbose_says_nothing(capfd):
    Ensemble().fit(X, y)
    assert capfd.readouterr() == ("", "")


def test_a_report_of_a_silent_fit_asks_for_no_stop():
    with progress(Ensemble(), "growing trees", 3) as finished:
        assert finished(1) is False


def test_lines_come_seconds_apart_with_the_time_left_and_once_at_the_end(capsys, clock):
    with progress(Ensemble(verbose=1), "growing trees", 100) as finished:
        for i in range(100):
            clock.now += 0.1
            finished(i + 1)
    assert capsys.readouterr().err.splitlines() == [
        "growing trees: 50 of 100, 5 s, about 5 s left",
        "growing trees: 100 of 100, 10 s",
    ]


def test_lines_go_to_standard_error_only(capsys):
    Ensemble(verbose=1).fit(X, y)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "growing trees: 4 of 4, 0 s\n"


def test_a_fit_that_stops_early_says_how_far_it_came(capsys, clock):
    with progress(Ensemble(verbose=1), "growing trees", 100) as finished:
        clock.now += 3
        finished(7)
    assert capsys.readouterr().err == "growing trees: 7 of 100, 3 s\n"


def test_a_fit_without_a_known_total_tells_no_time_left(capsys, clock):
    with progress(Ensemble(verbose=1), "growing and pruning", None) as finished:
        clock.now += 61
        finished(7)
        clock.now += 3600
        finished(8)
    assert capsys.readouterr().err.splitlines() == [
        "growing and pruning: 7, 1 min 1 s",
        "growing and pruning: 8, 1 h 1 min",
    ]


def test_members_that_were_there_do_not_count_for_the_time_left(capsys, clock):
    with progress(Ensemble(verbose=1), "growing trees", 200, start=100) as finished:
        clock.now += 10
        finished(150)
    assert capsys.readouterr().err.splitlines() == [
        "growing trees: 150 of 200, 10 s, about 10 s left"
    ]


def test_reports_that_come_late_or_twice_are_not_told_again(capsys, clock):
    with progress(Ensemble(verbose=1), "growing trees", 10) as finished:
        for n_done in (3, 2, 3, 1, 4, 4, 99, 99):
            clock.now += 6
            finished(n_done)
    told = re.findall(r": (\d+) of", capsys.readouterr().err)
    assert told == ["3", "4", "10"]


def test_a_failing_fit_prints_no_last_line(capsys):
    with pytest.raises(KeyboardInterrupt):
        Ensemble(fails_at=2, verbose=1).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stream", ["closed", "missing", "full"])
def test_a_fit_goes_on_when_standard_error_takes_nothing(stream, monkeypatch, capsys):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError("no space left on device")

    streams = {"closed": io.StringIO(), "missing": None, "full": Full()}
    streams["closed"].close()
    monkeypatch.setattr(sys, "stderr", streams[stream])
    assert Ensemble(verbose=1).fit(X, y).n_members_ == 4
    assert capsys.readouterr().out == ""


# -- The bar


def test_a_terminal_gets_a_bar_with_counts(open_terminal):
    terminal = open_terminal()
    Ensemble(verbose=1).fit(X, y)
    assert "growing trees" in terminal.getvalue()
    assert "4/4" in terminal.getvalue()


def test_a_description_in_brackets_is_shown_as_it_is(open_terminal):
    terminal = open_terminal()
    with progress(Ensemble(verbose=1), "growing [red]trees", 1) as finished:
        finished(1)
    assert "growing [red]trees" in terminal.getvalue()


def test_the_cursor_is_shown_again_after_ctrl_c(open_terminal):
    terminal = open_terminal()
    before = (sys.stdout, sys.stderr)
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        Ensemble(fails_at=2, verbose=1).fit(X, y)
    text = terminal.getvalue()
    assert 0 <= text.index("\x1b[?25l") < text.rindex("\x1b[?25h")
    assert text.endswith(("\n", "\x1b[?25h"))
    assert (sys.stdout, sys.stderr) == before
    assert threads_fall_to(threads)


def test_a_fit_inside_a_fit_prints_lines_and_leaves_the_bar_alone(open_terminal):
    terminal = open_terminal()
    with progress(Ensemble(verbose=1), "outer", 2) as finished:
        Ensemble(verbose=1).fit(X, y)
        finished(2)
    Ensemble(verbose=1).fit(X, y)
    text = terminal.getvalue()
    assert "growing trees: 4 of 4, 0 s" in text
    assert "2/2" in text
    assert "4/4" in text  # the terminal is free again


def test_a_dumb_terminal_gets_lines(open_terminal, monkeypatch):
    terminal = open_terminal()
    monkeypatch.setenv("TERM", "dumb")
    Ensemble(verbose=1).fit(X, y)
    assert terminal.getvalue() == "growing trees: 4 of 4, 0 s\n"


def test_prints_during_a_fit_stay_in_standard_output(open_terminal, capsys):
    terminal = open_terminal()
    with progress(Ensemble(verbose=1), "growing trees", 1):
        print("for the file")
    assert capsys.readouterr().out == "for the file\n"
    assert "for the file" not in terminal.getvalue()


PTY_SCRIPT = """
from types import SimpleNamespace
from spinney._progress import progress
with progress(SimpleNamespace(verbose=1), "growing trees", 3) as finished:
    finished(2)
    {then}
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
@pytest.mark.parametrize("then", ["finished(3)", "raise KeyboardInterrupt"])
def test_a_real_terminal_is_left_clean(then):
    master, slave = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    script = PTY_SCRIPT.format(then=then)
    with subprocess.Popen(
        [sys.executable, "-c", script], stderr=slave, stdout=slave, stdin=slave, env=environment
    ) as process:
        os.close(slave)
        text = b""
        while chunk := _read(master):
            text += chunk
        process.wait(timeout=300)
    os.close(master)
    assert (process.returncode == 0) == (then == "finished(3)")
    assert text.count(b"\x1b[?25l") == text.count(b"\x1b[?25h") == 1
    assert b"growing trees" in text
    assert (b"3/3" if process.returncode == 0 else b"2/3") in text


def _read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


def test_threads_report_each_step_once(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_SECONDS", 0.0)
    n = 400
    with progress(Ensemble(verbose=1), "growing trees", n) as finished:
        steps = iter(range(1, n + 1))
        lock = threading.Lock()

        def work():
            while True:
                with lock:
                    step = next(steps, None)
                if step is None:
                    return
                finished(step)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    told = [int(step) for step in re.findall(r": (\d+) of", capsys.readouterr().err)]
    assert told == sorted(set(told))
    assert told[-1] == n


# -- scikit-learn's callbacks


@needs_callbacks
def test_a_callback_is_told_of_the_fit_and_of_each_member():
    recorder = Recorder()
    Ensemble(2).set_callbacks(recorder).fit(X, y)
    assert recorder.events == [
        ("setup", "growing trees", 0),
        ("begin", "growing trees", 0),
        ("begin", "member", 0),
        ("end", "member", 0),
        ("begin", "member", 1),
        ("end", "member", 1),
        ("end", "growing trees", 0),
        ("teardown", "growing trees", 0),
    ]


@needs_callbacks
def test_members_that_finish_together_are_told_one_by_one():
    recorder = Recorder()
    estimator = Ensemble().set_callbacks(recorder)
    with progress(estimator, "growing trees", 9, start=3, X=X, y=y) as finished:
        finished(5)
        finished(4)
        finished(12)
    ended = [place for event, name, place in recorder.events if (event, name) == ("end", "member")]
    assert ended == [0, 1, 2, 3, 4, 5]


@needs_callbacks
def test_a_callback_can_stop_a_fit():
    fitted = Ensemble(9).set_callbacks(Recorder(stop_after=2)).fit(X, y)
    assert fitted.n_members_ == 3


@needs_callbacks
def test_a_failing_fit_tears_its_callbacks_down_and_can_be_repeated():
    recorder = Recorder()
    estimator = Ensemble(fails_at=1).set_callbacks(recorder)
    before = dict(vars(estimator))
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert recorder.events[-2:] == [("end", "member", 0), ("teardown", "growing trees", 0)]
    assert vars(estimator) == before
    assert estimator.set_params(fails_at=None).fit(X, y).n_members_ == 4


@needs_callbacks
def test_a_callback_that_fails_stops_the_fit_and_is_torn_down():
    class Failing(Recorder):
        def on_fit_task_end(self, estimator, context, *, y=None):
            raise RuntimeError("the callback failed")

    failing = Failing()
    estimator = Ensemble().set_callbacks(failing)
    with pytest.raises(RuntimeError, match="the callback failed"):
        estimator.fit(X, y)
    assert failing.events[-1][0] == "teardown"
    assert not hasattr(estimator, "_callback_fit_ctx")


@needs_callbacks
def test_progress_inside_progress_is_told_once():
    recorder = Recorder()
    estimator = Ensemble(2).set_callbacks(recorder)
    with progress(estimator, "outer", 1, X=X, y=y) as finished:
        estimator.fit(X, y)
        finished(1)
    assert [event for event, *_ in recorder.events] == [
        *("setup", "begin", "begin", "end", "end", "teardown")
    ]


@needs_callbacks
def test_clones_and_pickles_keep_their_callbacks_and_nothing_of_a_fit():
    estimator = Ensemble().set_callbacks(Recorder())
    plain = set(vars(estimator))
    fitted = estimator.fit(X, y)
    assert set(vars(fitted)) == plain | {"n_members_", "classes_"}
    assert set(vars(clone(fitted))) == plain
    again = pickle.loads(pickle.dumps(fitted))
    assert again.fit(X, y).n_members_ == 4
    assert set(vars(again.set_callbacks())) == set(vars(fitted)) - {"_skl_callbacks"}


@needs_callbacks
def test_the_progress_bar_of_scikit_learn_shows_the_fit(capsys):
    from sklearn.callback import ProgressBar

    threads = threading.active_count()
    Ensemble(3).set_callbacks(ProgressBar()).fit(X, y)
    out = capsys.readouterr().out
    assert "Ensemble - growing trees" in out
    assert "100%" in out
    assert threads_fall_to(threads + 1)  # one of scikit-learn's waits on a socket


@needs_callbacks
def test_the_progress_bar_ends_with_a_failing_fit(capsys):
    from sklearn.callback import ProgressBar

    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        Ensemble(4, fails_at=2).set_callbacks(ProgressBar()).fit(X, y)
    assert "50%" in capsys.readouterr().out
    assert threads_fall_to(threads + 1)


@needs_callbacks
def test_the_progress_bar_of_a_search_and_of_a_pipeline_shows_the_fits_inside(capsys):
    from sklearn.callback import ProgressBar

    search = GridSearchCV(Ensemble(), {"n_estimators": [2, 3]}, cv=2)
    search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(X, y)
    assert "Ensemble - growing trees" in capsys.readouterr().out
    assert not hasattr(search.best_estimator_, "_skl_callbacks")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*StandardScaler does not support callbacks")
        make_pipeline(StandardScaler(), Ensemble()).set_callbacks(ProgressBar()).fit(X, y)
    assert "Ensemble - growing trees" in capsys.readouterr().out


WITHOUT = """
import pickle, sys
import sklearn.pipeline  # scikit-learn 1.9 itself needs its callbacks
sys.modules["sklearn.callback"] = None  # so that ours cannot import them
from sklearn.base import BaseEstimator, clone
from spinney._progress import CallbackMixin, has_callbacks
from spinney._progress import progress

class Ensemble(CallbackMixin, BaseEstimator):
    def __init__(self, verbose=0):
        self.verbose = verbose
    def fit(self, X, y):
        with progress(self, "growing trees", 2, X=X, y=y) as finished:
            assert not finished(1) and not finished(2)
        return self

for estimator in (Ensemble(), Ensemble(verbose=1)):
    copy = pickle.loads(pickle.dumps(clone(estimator).fit(None, None)))
    assert vars(copy) == vars(estimator)
    assert not hasattr(copy, "set_callbacks")
    copy._skl_callbacks = ["left over from a pickle of a newer scikit-learn"]
    assert not has_callbacks(copy)
    copy.fit(None, None)
"""


@pytest.mark.slow
def test_without_callbacks_in_scikit_learn_everything_else_works():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "growing trees: 2 of 2, 0 s\n" * 2
