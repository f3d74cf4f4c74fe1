"""Take the pictures of reports: `python docs/images/make_report_images.py`, with playwright."""

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import sync_playwright

from spinney import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    SurvivalTree,
)
from spinney.datasets import load_boston_housing, load_german_credit
from spinney.report import Report

HERE = Path(__file__).parent
# Name, part of the page, and whether it is dark.
VIEWS = [
    ("cart", "tree", False),
    ("c45", "tree", False),
    ("regression", "quality", True),
    ("forest", "ensemble", False),
    ("survival", "quality", False),
]


def split(X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return training rows, their target, and a hold-out."""
    order = np.random.default_rng(0).permutation(len(X))
    first, last = order[: 7 * len(X) // 10], order[7 * len(X) // 10 :]
    target = pd.DataFrame(y) if isinstance(y, dict) else pd.Series(np.asarray(y))
    return X.iloc[first], target.iloc[first], (X.iloc[last], target.iloc[last])


def lifetimes() -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return people with a made-up illness: rows, events and times in years."""
    rng = np.random.default_rng(0)
    n = 900
    X = pd.DataFrame(
        {
            "age": rng.integers(30, 85, n),
            "stage": rng.choice(["I", "II", "III"], n, p=[0.5, 0.3, 0.2]),
            "marker": np.round(rng.lognormal(1.0, 0.6, n), 1),
        }
    )
    hazard = 0.05 * np.exp(0.03 * (X.age - 55) + X.stage.map({"I": 0.0, "II": 0.8, "III": 1.8}))
    time, end = rng.exponential(1 / hazard * (1 + (X.marker < 3))), rng.uniform(2, 12, n)
    return X, {"event": np.asarray(time <= end), "time": np.round(np.minimum(time, end), 2) + 0.01}


def reports() -> dict[str, Report]:
    """Return a report of each kind."""
    credit, boston = load_german_credit(), load_boston_housing()
    X, y, rest = split(credit.X, credit.y)
    options: dict[str, Any] = {"holdout": rest, "target": "credit risk"}
    pruned: dict[str, Any] = {"pruning": "cost_complexity", "random_state": 0}
    found = {
        "cart": Report(CARTClassifier(rule="min", **pruned).fit(X, y), X, y, **options),
        "c45": Report(C45Classifier(min_samples_leaf=12).fit(X, y), X, y, **options),
        "forest": Report(
            RandomForestClassifier(100, random_state=0, oob_score=True).fit(X, y), X, y, **options
        ),
    }
    X, y, rest = split(boston.X, boston.y)
    model = CARTRegressor(**pruned).fit(X, y)
    found["regression"] = Report(model, X, y, holdout=rest, target="price")
    X, y, rest = split(*lifetimes())
    model = SurvivalTree(min_samples_leaf=30, rule="min", **pruned).fit(X, y)
    found["survival"] = Report(model, X, y, holdout=rest, target="years")
    return found


def main() -> None:
    """Take all of them into the folder of this file."""
    pages = reports()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, part, dark in VIEWS:
            path = Path(folder) / f"{name}.html"
            pages[name].save(path)
            page = browser.new_page(
                viewport={"width": 1200, "height": 1000},
                color_scheme="dark" if dark else "light",
                locale="en-US",
            )
            page.goto(path.as_uri())
            page.add_style_tag(content="nav { position: static !important }")
            place = page.locator(f"#{part}")
            box = place.bounding_box()
            assert box is not None
            clip = {**box, "height": min(box["height"], 900.0)}
            picture = page.screenshot(clip=clip, full_page=True)
            drawn = Image.open(io.BytesIO(picture)).convert("RGB").quantize(128)
            drawn.save(HERE / f"report_{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
