"""A hook of MkDocs: links to files outside docs/ lead to their pages on the site. Those that
have none become plain text, since the pages name no host."""

import logging
import posixpath
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
log = logging.getLogger("mkdocs.hooks.links")

# Pages of the site that files outside docs/ have, by the path in the repository.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "vulnerabilities.md",
    "configs/example.yaml": "configuration.md",
    "server/rest/openapi.yaml": "api/index.md",
}

CODE = re.compile(r"(?ms)^(?P<indent> *)(?P<fence>```+|~~~+).*?^ *(?P=fence)[ \t]*$|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|<!--.*?-->")
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Changes text outside code. Links around code, such as [`x`](y), stay whole."""
    codes: list[str] = []

    def hide(m: re.Match) -> str:
        codes.append(m[0])
        return f"\x00{len(codes) - 1}\x00"

    changed = change(CODE.sub(hide, text))
    return re.sub(r"\x00(\d+)\x00", lambda m: codes[int(m[1])], changed)


def is_local(target: str) -> bool:
    return not re.match(r"[a-z][a-z0-9+.-]*:|//|/", target)


def resolve(source: str, path: str) -> str:
    """The path in the repository to which a link of a file leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source


def on_page_markdown(markdown: str, *, page, config, files) -> str:
    """Rewrites the links of a page for the site."""
    if page.file.src_uri.startswith("api/"):
        return markdown  # generated for the site
    source = next((path for path, uri in PAGES.items() if uri == page.file.src_uri and uri != "index.md"), "docs/" + page.file.src_uri)

    def replace(m: re.Match) -> str:
        target = m["target"]
        if not is_local(target):
            return m[0]
        path, _, anchor = target.partition("#")
        if not path:
            return m[0]
        to = resolve(source, path)
        inside = to.startswith("docs/") and not to.startswith("docs/website/")  # which makes the site, and is none of it
        uri = PAGES.get(to, to.removeprefix("docs/") if inside else None)
        if uri is None:
            if not (ROOT / to).exists():
                log.warning("%s: %s leads nowhere", source, target)
            return m["text"]
        if uri == "decisions":
            uri = "decisions/README.md"
        if (ROOT / "docs" / uri).is_dir():
            return m["text"]
        link = posixpath.relpath(uri, posixpath.dirname(page.file.src_uri) or ".")
        return f"{m['image']}[{m['text']}]({link}{'#' + anchor if anchor else ''})"

    return outside_code(markdown, lambda prose: LINK.sub(replace, prose))
