"""Colours that are safe for colour-blind readers.

Up to eight classes take the colours that Okabe and Ito proposed for this purpose; more take steps
of a scale that grows evenly lighter from violet to yellow, so that at least lightness differs.
"""

_DISTINCT = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # green
    "#cc79a7",  # purple
    "#56b4e9",  # sky
    "#d55e00",  # vermilion
    "#f0e442",  # yellow
    "#7f7f7f",  # grey
)
_SCALE = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")

INK = "#222222"
QUIET = "#6b6b6b"
PAPER = "#ffffff"
ACCENT = _DISTINCT[5]


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class, as #rrggbb."""
    if n_classes <= len(_DISTINCT):
        return list(_DISTINCT[:n_classes])
    return [_on_scale(k / (n_classes - 1)) for k in range(n_classes)]


def mix(colour: str, other: str, share: float) -> str:
    """Return a colour between two: `share` of the second, the rest of the first."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _on_scale(place: float) -> str:
    step = place * (len(_SCALE) - 1)
    low = min(int(step), len(_SCALE) - 2)
    return mix(_SCALE[low], _SCALE[low + 1], step - low)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
