"""Decision trees and small, accurate forests that people can read, defend and ship."""

from spinney.tree import CARTClassifier, CARTRegressor, Node, Tree

__version__ = "0.1.0"

__all__ = ["CARTClassifier", "CARTRegressor", "Node", "Tree", "__version__"]
