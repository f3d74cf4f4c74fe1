"""Aliases used in signatures."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
