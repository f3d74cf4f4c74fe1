"""The page in a browser: nothing leaves it, keys and controls work, and text is only text."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from report_problems import credit_model, lifetimes_model, random_model, small_forest

from spinney import CARTClassifier
from spinney._cli.app import main
from spinney.report import Report

pytestmark = pytest.mark.slow
AXE = os.environ.get("SPINNEY_AXE", "")  # the file axe.min.js of the npm package axe-core


@pytest.fixture
def credit(open_report):
    model, frame, y, holdout = credit_model()
    return open_report(Report(model, frame, y, holdout=holdout, target="risk"))


def test_nothing_is_asked_of_the_network_and_nothing_complains(open_report):
    reports = [credit_model(), small_forest(), lifetimes_model()]
    for model, frame, y, holdout in reports:
        opened = open_report(Report(model, frame, y, holdout=holdout))
        assert [url for url in opened.requests if not url.startswith("file:")] == []
        assert len(opened.requests) == 1
        assert opened.complaints == []


def test_a_page_is_small():
    model, frame, y, holdout = credit_model()
    text = Report(model, frame, y, holdout=holdout).to_html()
    assert len(text.encode()) <= 300_000
    assert re.findall(r"""(?:src|href)=["'](?!#)""", text.split("<script")[0]) == []


def test_arrow_keys_walk_the_tree(credit):
    page = credit.page
    page.locator("[role=treeitem][tabindex='0']").focus()
    focused = "Number(document.activeElement.dataset.node)"
    expanded = "document.activeElement.getAttribute('aria-expanded')"
    first = credit.run("S.children(0)[0]")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == first
    page.keyboard.press("ArrowLeft" if credit.run(f"S.isLeaf({first})") else "Home")
    assert page.evaluate(focused) == 0
    page.keyboard.press("Enter")
    assert page.evaluate(expanded) == "false"
    assert page.locator("[role=treeitem]").count() == 1
    page.keyboard.press("ArrowRight")
    assert page.evaluate(expanded) == "true"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == first
    assert page.locator("#panel h3").inner_text().endswith(str(first))
    page.keyboard.press("End")
    last = page.evaluate(focused)
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == last


def test_search_finds_columns_categories_and_classes(credit):
    page = credit.page
    asked = credit.run("S.columnText(S.tree.tests[0].column)")
    page.locator("#search").fill(asked[:4].upper())
    found = credit.run("S.search(given[0]).length", asked[:4])
    assert found >= 2
    assert page.locator("#search-status").inner_text().startswith(str(found))
    page.keyboard.press("Enter")
    assert page.locator("#search-status").inner_text() == f"1 of {found}"
    chosen = page.locator("[role=treeitem][aria-selected=true]")
    assert asked in chosen.locator("desc").text_content()
    page.locator("#search").fill("no such thing")
    assert page.locator("#search-status").inner_text() == "0 nodes"


def test_threshold_and_costs_move_the_confusion(credit):
    page = credit.page
    page.locator("#cost-miss").fill("4")
    said = page.locator("#threshold-says").inner_text()
    assert "0.200" in said
    wanted = credit.run("S.atThreshold(S.scored(1, 1), 0.2)")
    total = sum(wanted.values())
    shown = page.locator("#quality .measure").nth(1).inner_text()
    cost = (wanted["fp"] + 4 * wanted["fn"]) / total
    assert f"cost per row {cost:.4g}".rstrip("0") in shown
    page.get_by_role("button", name="As the model decides").click()
    assert page.locator("#threshold-says").inner_text() == "as the model decides"


def test_typed_and_pasted_rows_are_traced(credit):
    page = credit.page
    page.get_by_role("button", name="All missing").click()
    assert "not known" in page.locator("#trace-result").inner_text()
    page.locator("#paste").fill('12.5,33,"b",2,large,yes')
    page.locator("#paste").press("Enter")
    label = credit.run("S.traceRow(given[0]).label", [12.5, 33, "b", 2, "large", "yes"])
    wanted = credit.run(f"S.classText({label})")
    assert f"Predicted: {wanted}" in page.locator("#trace-result").inner_text()
    page.locator("#paste").fill("1,2")
    page.locator("#paste").press("Enter")
    assert "A line of 6 values is needed" in page.locator("#trace").inner_text()


def test_numbers_are_written_as_the_browser_writes_them(open_report):
    model, frame, y, holdout = credit_model()
    report = Report(model, frame, y, holdout=holdout)
    german = open_report(report, locale="de-DE")
    assert "," in german.run("S.share(0.125)")
    assert german.run("S.parse('1.234,5')") == 1234.5
    assert german.run("S.parse('12.5')") == 12.5
    english = open_report(report, locale="en-GB")
    assert english.run("S.share(0.125)") == "12.5%"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(theme, open_report):
    model, frame, y, holdout = credit_model()
    opened = open_report(
        Report(model, frame, y, holdout=holdout),
        viewport={"width": 380, "height": 800},
        color_scheme=theme,
    )
    wide = opened.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 380
    ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = np.mean([int(part) for part in re.findall(r"\d+", ground)[:3]]) > 128
    assert light == (theme == "light")


def test_printing_pages_the_tree_by_branch(credit, tmp_path: Path):
    page = credit.page
    credit.run("(S.setStep(0), 1)")
    branches = credit.run("S.printBranches()")
    assert len(branches) > 1
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".branch-page").count() == len(branches)
    assert page.locator(".branch-page svg").first.is_visible()
    assert not page.locator(".tree-frame").is_visible()
    assert not page.locator("#trace").is_visible()  # no row was asked about
    overlapping = "[...document.querySelectorAll('section')].filter((s) => s.offsetHeight)"
    room = page.evaluate(overlapping + ".map((s) => s.scrollHeight - s.clientHeight)")
    assert max(room) <= 2
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.pdf(path=str(tmp_path / "page.pdf"))
    assert (tmp_path / "page.pdf").stat().st_size > 20_000
    assert credit.complaints == []


HOSTILE = [
    "</script><img src=x onerror=window.hurt=1>",
    "\"'><svg onload=window.hurt=2>",
    "<!--<script>window.hurt=3",
    "\u202eright to left\u2028\u2029",
    "x" * 10_000,
    "{{ 7 * 7 }}${7}\\u003c",
]


def test_hostile_names_and_labels_are_only_text(open_report):
    rng = np.random.default_rng(0)
    plain = pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde"))
    plain["f"] = rng.choice(["p", "q", "r"], 300)
    y = np.where(plain["a"] + (plain["f"] == "q") > 0, 0, 1)
    labels = np.array([HOSTILE[0], HOSTILE[3]], dtype=object)
    odd = plain.rename(columns=dict(zip(plain.columns, HOSTILE, strict=True)))
    odd[HOSTILE[5]] = odd[HOSTILE[5]].map({"p": HOSTILE[1], "q": HOSTILE[2], "r": "r'"})
    seen = []
    for frame, truth in ((plain, np.array(["A", "B"])[y]), (odd, labels[y].astype(str))):
        model = CARTClassifier(max_depth=4).fit(frame, truth)
        opened = open_report(Report(model, frame, truth, target=truth[0]))
        assert opened.page.evaluate("window.hurt") is None
        assert opened.complaints == []
        assert len(opened.requests) == 1
        opened.page.locator("#search").fill("</script>")
        tags = opened.page.evaluate(
            "[...document.querySelectorAll('body *')].map((e) => e.tagName).join(' ')"
        )
        assert "IMG" not in tags
        seen.append(re.sub(r" ", "\n", tags).count("\nscript"))
        text = opened.page.locator("body").inner_text()
        assert "\u202e" not in text
    assert "<img src=x" in text
    assert seen[0] == seen[1]


@pytest.mark.skipif(not AXE, reason="needs axe-core: SPINNEY_AXE=.../axe.min.js")
@pytest.mark.parametrize("kind", ["classes", "numbers", "forest", "lifetimes"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_finding_of_accessibility(kind, theme, open_report):
    holdout = None
    if kind == "classes":
        model, frame, y, holdout = credit_model()
    elif kind == "forest":
        model, frame, y, holdout = small_forest()
    elif kind == "lifetimes":
        model, frame, y, holdout = lifetimes_model()
    else:
        model, frame, y = random_model(6, 0)
    opened = open_report(Report(model, frame, y, holdout=holdout), color_scheme=theme)
    rules = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
    if theme == "light":
        code = "document.querySelectorAll('details').forEach((own) => { own.open = true; })"
        opened.page.evaluate(code)
    else:  # of which only the colours differ
        rules = {"runOnly": ["color-contrast"]}
    opened.page.add_script_tag(content=Path(AXE).read_text("utf-8"))
    found = opened.page.evaluate("(rules) => axe.run(rules)", rules)["violations"]
    serious = [
        (own["id"], node["html"][:160])
        for own in found
        if own["impact"] in ("serious", "critical")
        for node in own["nodes"]
    ]
    assert serious == []


def test_the_page_of_a_comparison_has_the_same_style(browser, tmp_path: Path):
    words = [
        "compare",
        "iris",
        "--model",
        "cart",
        "--model",
        "c45",
        "--folds",
        "2",
        "--repeats",
        "1",
    ]
    made = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "found")])
    assert made.exit_code == 0, made.output
    for width, theme in ((1280, "light"), (380, "dark")):
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
        asked = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto((tmp_path / "found" / "report.html").as_uri())
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (np.mean([int(x) for x in re.findall(r"\d+", ground)[:3]]) > 128) == (
            theme == "light"
        )
        if AXE:
            page.add_script_tag(content=Path(AXE).read_text("utf-8"))
            found = page.evaluate("axe.run()")["violations"]
            assert [own["id"] for own in found if own["impact"] in ("serious", "critical")] == []
        page.close()


@pytest.mark.limited
def test_a_large_tree_and_a_wide_table_open_at_once(open_report):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 300))
    y = (X[:, :9].sum(axis=1) + rng.normal(size=8000) * 9 > 0).astype(int)
    model = CARTClassifier(max_leaf_nodes=500).fit(X, y)
    assert model.tree_.n_leaves == 500
    opened = open_report(Report(model, X, y))
    timing = opened.page.evaluate(
        "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    )
    assert timing < 2000
    busy = opened.page.evaluate(
        "(() => { const t = performance.now(); window.Spinney.setStep(5);"
        " return performance.now() - t; })()"
    )
    assert busy < 1000
