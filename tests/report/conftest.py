"""Reports in a browser, where there is one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Opened


@pytest.fixture
def open_report(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def open_it(report: Any, **options: Any) -> Opened:
        path = tmp_path / f"page{len(contexts)}.html"
        report.save(path)
        options.setdefault("viewport", {"width": 1280, "height": 900})
        options.setdefault("locale", "en-US")
        context = browser.new_context(**options)
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.goto(path.as_uri())
        assert opened.page.evaluate("document.documentElement.dataset.ready") == "yes"
        return opened

    yield open_it
    for context in contexts:
        context.close()
