"""The documentation site: `nox -s docs`, or `sphinx-build -W docs build/site`.

Pages are ordinary Markdown that reads as well in a folder. What only a site needs is added while
they are read: the menu follows the links of the hub pages, and the names of the reference become
links to pages made of their docstrings.
"""

import importlib
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib
from sphinx.application import Sphinx
from sphinx_gallery.sorting import ExplicitOrder, FileNameSortKey

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import make_reference  # noqa: E402

import spinney  # noqa: E402

matplotlib.use("Agg")

project = "spinney"
author = "The spinney developers"
copyright = author
version = release = spinney.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery", "papers/igpa/*", "papers/gp/*", "papers/small/*"]
root_doc = "index"
default_role = "py:obj"  # names in docstrings become links where there is such a name
suppress_warnings = ["config.cache"]  # the sort key of the gallery is a class

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_typehints = "none"  # the docstrings have the types
toc_object_entries_show_parents = "hide"
smartquotes = False  # choices in docstrings are code
numpydoc_show_class_members = False  # autodoc lists them

html_theme = "pydata_sphinx_theme"
html_title = f"spinney {release}"
html_static_path = ["_static"]
html_css_files = ["spinney.css"]
html_show_search_summary = False  # it is fetched, which a browser refuses for local files
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "spinney"},
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
html_sidebars = {page: [] for page in ("index", "tutorial", "search", "genindex")}

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": ExplicitOrder(
        [
            f"gallery/{part}"
            for part in ("trees", "size", "data", "targets", "forests", "handing_over")
        ]
    ),
    "within_subsection_order": FileNameSortKey,
    "abort_on_example_error": True,
    "backreferences_dir": "api/examples",
    "doc_module": ("spinney",),
    "capture_repr": (),
    "inspect_global_variables": False,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 60,
    "write_computation_times": False,  # the table of times would load scripts from elsewhere
    "plot_gallery": os.environ.get("SPINNEY_GALLERY", "True"),
    "copyfile_regex": "",
    "remove_config_comments": True,
}

# Pages whose links, in their order, are the menu below them: those that begin so.
HUBS = {
    "guide": "guide/",
    "how_to": "how_to/",
    "coming_from": "coming_from/",
    "papers/README": "",
    "decisions/README": "",
    "project": "",
}
# Files beside this folder that are pages of the site as well.
ROOT_PAGES = {
    "CHANGELOG.md": "project/changes",
    "CONTRIBUTING.md": "project/contributing",
    "SECURITY.md": "project/security",
    "SUPPORT.md": "project/support",
}
_MENU_LINK = re.compile(r"\]\((?!\w+:)([^)#]+)\.md(?:#[^)]*)?\)")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:)([^)#]+)(#[^)]*)?\)")
_NAME = re.compile(r"^\| `(\w+)` \|", flags=re.MULTILINE)


def read_page(_: Sphinx, page: str, text: list[str]) -> None:
    """Add to a page what only the site needs."""
    if page.endswith("/index") or page.startswith(("api/", "auto_gallery/")):
        return
    source = next((HERE.parent / name for name, at in ROOT_PAGES.items() if at == page), None)
    if source is not None:
        text[0] = source.read_text(encoding="utf-8")
    if page == "decisions/README":
        text[0] += _all_decisions()
    text[0] = _with_links_of_site(text[0], page, source or HERE / f"{page}.md")
    if page in HUBS:
        links = dict.fromkeys(_MENU_LINK.findall(text[0]))
        text[0] += _menu(link for link in links if link.startswith(HUBS[page]))
    if page == "reference":
        text[0] = _with_links(text[0])


def _with_links_of_site(text: str, page: str, source: Path) -> str:
    """Return a page whose links to files that the site does not have are plain words."""
    here = (HERE / page).parent

    def mend(link: re.Match[str]) -> str:
        words, path, anchor = link.groups()
        target = (source.parent / path).resolve()
        if target.is_dir() and (target / "README.md").exists():
            target /= "README.md"
        if target.parent == HERE.parent and target.name in ROOT_PAGES:
            target = HERE / f"{ROOT_PAGES[target.name]}.md"
        if not target.is_relative_to(HERE):
            return words
        return f"[{words}]({os.path.relpath(target, here)}{anchor or ''})"

    return _LINK.sub(mend, text)


def _all_decisions() -> str:
    lines = ["", ""]
    for path in sorted((HERE / "decisions").glob("0*.md")):
        title = path.read_text(encoding="utf-8").split("\n", 1)[0]
        lines.append(f"- {path.stem[:4]}: [{re.sub(r'^# *[0-9.:]* *', '', title)}]({path.name})")
    return "\n".join(lines) + "\n"


def _menu(pages: Iterable[str]) -> str:
    inside = [page for page in pages if not page.startswith("..")]
    return "\n".join(["", "```{toctree}", ":hidden:", "", *inside, "```", ""])


def _with_links(text: str) -> str:
    """Return the list of names with a link for each, and the modules in the menu."""
    parts, menu = re.split(r"^(## [\w.]+)$", text, flags=re.MULTILINE), []
    for place in range(1, len(parts), 2):
        module = parts[place].removeprefix("## ")
        menu.append(f"api/{module}")
        parts[place + 1] = _NAME.sub(rf"| [`\1`](api/{module}.\1.rst) |", parts[place + 1])
    return "".join(parts) + _menu(menu)


def write_reference(_: Sphinx) -> None:
    """Write a page for each module and public name, which autodoc fills with its docstring."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    for module, names in make_reference.public_names((*make_reference.MODULES, "spinney.dask")):
        pages = {module: _page_of_module(module, names)}
        for name in names:
            value = getattr(importlib.import_module(module), name)
            pages[f"{module}.{name}"] = _page_of(module, name, value)
        for page, text in pages.items():
            path = folder / f"{page}.rst"
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")


def escape_shapes(_: Sphinx, __: str, ___: str, ____: Any, _____: Any, lines: list[str]) -> None:
    """Keep `(n_features_in_,)` from being taken for a link to a target of that name."""
    lines[:] = [re.sub(r"(\bn_\w+)_(?=[,)])", r"\1\\_", line) for line in lines]


def skip_inherited(_: Sphinx, __: str, name: str, value: Any, skip: bool, ___: Any) -> bool:
    """Leave out what scikit-learn gives every estimator, which is documented there."""
    origin = getattr(value, "__module__", None) or ""
    return skip or origin.startswith("sklearn") or (name[:4] == "set_" and name[-8:] == "_request")


def _page_of_module(module: str, names: list[str]) -> str:
    what = make_reference.first_line(importlib.import_module(module))
    lines = [module, "=" * len(module), "", what, ""]
    lines += [".. toctree::", "   :maxdepth: 1", "", *(f"   {module}.{name}" for name in names)]
    return "\n".join(lines) + "\n"


def _page_of(module: str, name: str, value: object) -> str:
    full = f"{module}.{name}"
    lines = [name, "=" * len(name), "", f".. currentmodule:: {module}", ""]
    if name in make_reference.VALUES:
        lines += [f".. py:data:: {name}", "", f"   {make_reference.VALUES[name]}"]
    elif isinstance(value, type):
        lines += [f".. autoclass:: {name}", "   :members:"]
        if issubclass(value, BaseException):
            lines.pop()
        elif not issubclass(value, tuple):
            lines += ["   :inherited-members:"]
    else:
        lines += [f".. autofunction:: {name}"]
    if (HERE / "api" / "examples" / f"{full}.examples").exists():
        lines += ["", f".. include:: examples/{full}.examples"]
    return "\n".join(lines) + "\n"


def setup(app: Sphinx) -> None:
    """Register what is done while the site is built."""
    app.connect("source-read", read_page)
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("autodoc-process-docstring", escape_shapes, priority=400)  # before numpydoc
    app.connect("builder-inited", write_reference, priority=900)  # after the gallery
