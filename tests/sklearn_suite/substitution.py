"""Copies of scikit-learn's test modules in which our estimators stand for theirs.

Where a module imports an estimator of `OURS`, the copy imports ours under the same name. Classes
without a counterpart (`ABSENT`) are taken out of the lists and dicts that tests run over, and
tests that name one of them in their body are left out.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

MODULES = (
    "sklearn.tree.tests.test_tree",
    "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble.tests.test_bagging",
    "sklearn.ensemble.tests.test_weight_boosting",
    "sklearn.ensemble.tests.test_voting",
)
OURS = {
    "DecisionTreeClassifier": "CARTClassifier",
    "DecisionTreeRegressor": "CARTRegressor",
    "RandomForestClassifier": "RandomForestClassifier",
    "RandomForestRegressor": "RandomForestRegressor",
    "ExtraTreesClassifier": "ExtraTreesClassifier",
    "ExtraTreesRegressor": "ExtraTreesRegressor",
    "BaggingClassifier": "BaggingClassifier",
    "BaggingRegressor": "BaggingRegressor",
    "AdaBoostClassifier": "AdaBoostClassifier",
    "AdaBoostRegressor": "AdaBoostRegressor",
}
ABSENT = {
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "RandomTreesEmbedding",
}
PACKAGES = {"sklearn.tree", "sklearn.ensemble"}


def write_copies(folder: Path) -> None:
    """Write a copy of every module, with our estimators in it, into a folder."""
    for module in MODULES:
        spec = find_spec(module)
        assert spec, f"this scikit-learn has no {module}"
        source = Path(spec.origin or "")
        text = substituted(source.read_text(encoding="utf-8"))
        (folder / source.name).write_text(text, encoding="utf-8")


def substituted(source: str) -> str:
    """Return the source of a test module with our estimators in it."""
    return ast.unparse(ast.fix_missing_locations(_Substitute().visit(ast.parse(source))))


class _Substitute(ast.NodeTransformer):
    """Changes imports of estimators, and what lists them."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.ImportFrom]:
        if node.module not in PACKAGES:
            return [node]
        ours = [name for name in node.names if name.name in OURS]
        theirs = [name for name in node.names if name.name not in OURS]
        renamed = [ast.alias(OURS[name.name], name.asname or name.name) for name in ours]
        parts = [("spinney", renamed), (node.module, theirs)]
        return [ast.ImportFrom(module, names, 0) for module, names in parts if names]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef | None:
        body = [inner for statement in node.body for inner in ast.walk(statement)]
        if any(isinstance(inner, ast.Name) and inner.id in ABSENT for inner in body):
            return None
        self.generic_visit(node)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        pairs = zip(node.keys, node.values, strict=True)
        kept = [(key, value) for key, value in pairs if not (_absent(key) or _absent(value))]
        node.keys, node.values = [key for key, _ in kept], [value for _, value in kept]
        self.generic_visit(node)
        return node

    def visit_List(self, node: ast.List) -> ast.List:
        node.elts = [element for element in node.elts if not _absent(element)]
        self.generic_visit(node)
        return node


def _absent(node: ast.expr | None) -> bool:
    """Whether an entry is, or begins with, an estimator without a counterpart."""
    match node:
        case ast.Name(name) | ast.Constant(str(name)) | ast.Call(ast.Name(name)):
            return name in ABSENT
        case ast.Tuple(entries):
            return any(_absent(entry) for entry in entries)
        case _:
            return False
