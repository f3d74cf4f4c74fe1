"""The list of experiments; each is imported when it is asked for."""

from importlib import import_module

from spinney._reproduce._parts import Paper

__all__ = ["PAPERS", "find_paper"]

PAPERS = {
    "igpa": "Martinez-Munoz and Suarez (2004): trees and forests by growing and pruning in turn",
    "gp": "Suchy and Kubalik: forests of trees whose tests are evolved",
    "mode": "Azam, Berzal and Pfeiffer: fewer members by the mode of their errors",
    "car": "a textbook's comparison of a tree, bagging and a random forest",
    "chapters": "problems of the textbook: 12.5, 12.6, 13.5 and 13.8",
}


def find_paper(name: str) -> Paper:
    """Return an experiment by its name."""
    if name not in PAPERS:
        raise ValueError(f"unknown experiment {name!r}. Choose from: {', '.join(PAPERS)}.")
    paper: Paper = import_module(f"spinney._reproduce._{name}").PAPER
    return paper
