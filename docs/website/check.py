"""Checks the built site: check.py FOLDER. Every link and anchor within it must lead
somewhere, and no page may load anything from another host."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by which a page loads or links to a resource.
LOADS = {("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "srcset"), ("iframe", "src"), ("link", "href"), ("object", "data")}


class Page(HTMLParser):
    """The links, anchors and loaded addresses of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if (tag, name) in LOADS:
                self.loads.append(value or "")
            if (tag, name) == ("a", "href"):
                self.links.append(value or "")


def check(folder: Path) -> list[str]:
    """The faults of the site, one text each."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        for address in page.loads:
            if urlsplit(address).netloc:
                wrong.append(f"{name}: loads {address}")
        for address in page.links + page.loads:
            to = urlsplit(address)
            if to.scheme or to.netloc or name.name == "404.html":
                continue
            target = (path.parent / unquote(to.path)).resolve() if to.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                wrong.append(f"{name}: {address}: no such page")
            elif to.fragment and target in pages and unquote(to.fragment) not in pages[target].anchors:
                wrong.append(f"{name}: {address}: no such anchor")
    for style in folder.rglob("*.css"):
        if any(host in style.read_text() for host in ("url(http", "url(//", "@import")):
            wrong.append(f"{style.relative_to(folder)}: loads from another host")
    print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links")
    return wrong


if __name__ == "__main__":
    found = check(Path(sys.argv[1]).resolve())
    print(*found, sep="\n")
    sys.exit(bool(found))
