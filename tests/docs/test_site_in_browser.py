"""The built site in chromium, from its folder: `nox -s docs` builds it and sets SPINNEY_SITE."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Opened

SITE = os.environ.get("SPINNEY_SITE", "")
pytestmark = pytest.mark.skipif(not SITE, reason="needs a built site: nox -s docs")


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    opened = Opened(context.new_page())
    yield opened
    pictures = os.environ.get("SPINNEY_SCREENSHOTS")
    if pictures:
        name = os.environ["PYTEST_CURRENT_TEST"].split("::")[-1].split(" ")[0]
        opened.page.screenshot(path=f"{pictures}/{name.replace('/', '_')}.png")
    context.close()
    # The theme tells which colours it takes; anything else is a complaint.
    assert [text for text in opened.complaints if not text.startswith("[PST]")] == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []


def show(site: Opened, page: str) -> Any:
    site.page.goto((Path(SITE) / page).resolve().as_uri())
    return site.page


@pytest.mark.parametrize(
    "page",
    [
        "index.html",
        "tutorial.html",
        "guide.html",
        "guide/pruning.html",
        "auto_gallery/index.html",
        "auto_gallery/trees/plot_first_tree.html",
        "coming_from/rpart.html",
        "reference.html",
        "api/spinney.CARTClassifier.html",
        "project/changes.html",
    ],
)
def test_a_page_opens_without_a_complaint(site: Opened, page: str) -> None:
    opened = show(site, page)
    assert opened.locator("h1").first.is_visible()
    width = opened.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert width <= 0, "a page is not wider than its window"


def test_the_home_page_has_three_doors(site: Opened) -> None:
    page = show(site, "index.html")
    assert page.locator(".sd-card").count() == 3
    page.locator(".sd-card").nth(1).click()
    assert "rpart" in page.locator("h1").first.inner_text()


def test_the_menu_leads_to_the_parts(site: Opened) -> None:
    page = show(site, "index.html")
    for name in ("Guide", "Gallery", "Reference"):
        page.locator(".bd-header .navbar-nav").get_by_role("link", name=name).first.click()
        assert page.locator("h1").first.inner_text().startswith(name)


def test_search_finds_pages_without_a_network(site: Opened) -> None:
    page = show(site, "index.html")
    page.locator(".search-button, .search-button__button").first.click()
    field = page.locator("input[type=search]:visible").first
    field.fill("surrogates")
    field.press("Enter")
    page.wait_for_selector("#search-results li a")
    found = page.locator("#search-results li a").all_inner_texts()
    assert any("Missing values" in title for title in found)


def test_dark_mode_is_dark_and_stays(site: Opened) -> None:
    page = show(site, "index.html")
    light = _brightness(page)
    page.locator(".theme-switch-button:visible").first.click()
    page.get_by_text("Dark", exact=True).locator("visible=true").first.click()
    assert _brightness(page) < 60 < 200 < light
    show(site, "guide.html")
    assert _brightness(page) < 60


def _brightness(page: Any) -> float:
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(float(part) for part in colour.strip("rgba()").split(",")[:3]) / 3


# What ends beyond the window, but for what can be scrolled into it.
BEYOND = """() => {
    const scrolls = (e) => e !== document.body && !e.matches(".bd-article-container") && (
        ["auto", "scroll"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
    return [...document.querySelectorAll(".bd-article *, .bd-header *")]
        .filter((e) => e.checkVisibility() && !e.matches("dialog *, .headerlink"))
        .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1 && !scrolls(e))
        .map((e) => `${e.tagName} ${e.textContent.slice(0, 40)}`);
}"""


def test_a_telephone_can_read_every_page(site: Opened) -> None:
    site.page.set_viewport_size({"width": 380, "height": 800})
    paths = [path for path in sorted(Path(SITE).rglob("*.html")) if "_static" not in path.parts]
    assert len(paths) > 300
    wide = {}
    for path in paths:
        page = show(site, str(path.relative_to(SITE)))
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 380 or page.evaluate(BEYOND):
            wide[path.name] = page.evaluate(BEYOND)[:3]
    assert wide == {}
