"""Check the links of the built site without a network: `python docs/check_site.py build/site`.

Every link to a page, an anchor or a file of the site must lead somewhere, and nothing may be loaded
from elsewhere: the site works from a folder.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src"}


class Page(HTMLParser):
    """The anchors of a page, where it links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag has to do with links."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADS and LOADS[tag] in given and given.get("rel") != "canonical":
            self.loads.append(given[LOADS[tag]])


def problems(site: Path) -> list[str]:
    """Return what is wrong with the links of a site, one line each."""
    site = site.resolve()
    paths = [path for path in sorted(site.rglob("*.html")) if path.parent != site / "_static"]
    pages = {path: Page(path) for path in paths}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name}: loads {url}" for url in page.loads if _is_elsewhere(url)]
        for url in [*page.links, *page.loads]:
            if not _is_elsewhere(url) and not _leads_somewhere(url, path, pages):
                found.append(f"{name}: {url} leads nowhere")
    return found


def _is_elsewhere(url: str) -> bool:
    parts = urlsplit(url)
    return bool(parts.netloc) or parts.scheme not in ("", "file")


def _leads_somewhere(url: str, path: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(url)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if target in pages:
        return unquote(parts.fragment) in pages[target].anchors
    return target.exists()


if __name__ == "__main__":
    lines = problems(Path(sys.argv[1]))
    print("\n".join(lines) or "all links lead somewhere, and nothing is loaded from elsewhere")
    sys.exit(bool(lines))
