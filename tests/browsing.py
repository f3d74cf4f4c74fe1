"""A browser for pages, where there is one."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright: nox -s browser")
    if CHROMIUM is None:
        pytest.skip("needs chromium, which is not installed")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield chromium
        chromium.close()


class Opened:
    """A page in the browser, with what it asked for and complained of."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def run(self, code: str, *given: Any) -> Any:
        """Evaluate an expression over `S`, the scripts' own names, and `given`."""
        text = self.page.evaluate(
            "([code, given]) => JSON.stringify("
            "new Function('S', 'given', 'return ' + code)(window.Spinney, given))",
            [code, json.loads(json.dumps(given))],
        )
        return json.loads(text)
