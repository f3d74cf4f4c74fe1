"""Pictures of whom the gates trust where."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from spinney import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from spinney.plot import plot_gates
from spinney.plot._matplotlib import class_colours


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def split():
    """Return rows whose regime changes with the first column, and a mixture that knows it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(300, 2))
    y = np.where((X[:, 0] > 0) == (X[:, 1] > 0), "same", "other")
    model = MixtureOfExpertsClassifier(branching=2, gate_C=100, C=100, random_state=0)
    return X, y, model.fit(X, y)


def _cells(ax, model, resolution):
    """Return the colours of the cells, and the shares of the experts at their centres."""
    image = np.array(ax.images[0].get_array())
    assert image.shape == (resolution, resolution, 3)
    steps = (np.arange(resolution) + 0.5) / resolution
    across, up = (low + steps * (high - low) for low, high in (ax.get_xlim(), ax.get_ylim()))
    points = np.column_stack([np.tile(across, resolution), np.repeat(up, resolution)])
    return image, model.responsibilities(points).reshape(resolution, resolution, -1)


def test_regions_have_the_colour_of_the_expert_with_the_largest_share(split):
    X, y, model = split
    ax = plot_gates(model, X, y, resolution=40)
    image, shares = _cells(ax, model, 40)
    hues = np.array([to_rgb(colour) for colour in class_colours(2)]) - 1.0
    expected = hues[shares.argmax(axis=2)]
    for off in (expected, seen := image - 1.0):
        off /= np.abs(off).max(axis=2, keepdims=True)
    np.testing.assert_allclose(seen, expected, atol=1e-6)
    assert set(shares.argmax(axis=2).ravel()) == {0, 1}
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["expert 0", "expert 1", "other", "same"]
    assert len(ax.collections) == 1 + 2  # a border, and the marks of two classes


def test_soft_shares_are_paler_than_sure_ones(split):
    X, _, model = split
    image, shares = _cells(plot_gates(model, X, resolution=41), model, 41)
    ink = (1.0 - image).max(axis=2)
    sure = shares.max(axis=2)
    for expert in (0, 1):
        mine = shares.argmax(axis=2) == expert
        order = np.argsort(sure[mine], kind="stable")
        assert (np.diff(ink[mine][order]) >= -1e-9).all()
        assert np.ptp(ink[mine]) > 0.03


def test_numbers_and_other_columns_are_shown(split):
    X, _, _ = split
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(word="w", c=1.0)
    model = MixtureOfExpertsRegressor(branching=(2, 2), random_state=0).fit(frame, np.abs(X[:, 0]))
    _, given = plt.subplots()
    ax = plot_gates(model, frame, np.abs(X[:, 0]), features=("b", "a"), ax=given, resolution=20)
    assert ax is given
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "a")


def test_colours_can_be_chosen(split):
    X, y, model = split
    ax = plot_gates(model, X, y, resolution=20, colours=["#000000", "#ff0000"])
    patches = ax.get_legend().get_patches()
    assert [patch.get_facecolor()[:3] for patch in patches] == [(0, 0, 0), (1, 0, 0)]


def test_wrong_columns_and_targets_are_refused(split):
    X, y, model = split
    with pytest.raises(ValueError, match="y must have an entry for each of the 300 rows"):
        plot_gates(model, X, y[:5])
    with pytest.raises(ValueError, match="X has 3 columns: name two"):
        plot_gates(model, np.column_stack([X, X[:, 0]]), y)
    frame = pd.DataFrame({"a": X[:, 0], "word": y})
    with pytest.raises(ValueError, match="'word' is nominal"):
        plot_gates(model, frame, features=("a", "word"))
