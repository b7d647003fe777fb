"""A hook of MkDocs: the pages of the site that are not files of docs/."""

import sys
from pathlib import Path

from mkdocs.structure.files import File

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import links
import reference

CONFIGURATION = """# Configuration

Every key with its default. Keys are set in a YAML file (`--config`, or the variable
`MNEME_CONFIG`), by variables (`MNEME_LIMITS_VALUE_BYTES` is `limits.value_bytes`), or, for the most
common ones, by flags. `mneme config show` prints what is set and where.

```yaml
{}
```
"""


def decisions() -> list[str]:
    """The pages of the decisions in their order, their index first."""
    numbered = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    return ["decisions/README.md", *(f"decisions/{path.name}" for path in numbered)]


def on_config(config):
    """Completes the navigation."""
    pages = reference.load(ROOT / "server/rest/openapi.yaml").pages()
    for section in config["nav"]:
        if "Decisions" in section:
            section["Decisions"] = decisions()
        for entry in section.get("Reference", []):
            if isinstance(entry, dict) and "HTTP API" in entry:
                entry["HTTP API"] = list(pages)
    return config


def on_files(files, *, config):
    """Adds the pages generated from other files of the repository."""
    made = {uri: (ROOT / path).read_text() for path, uri in links.PAGES.items() if path.endswith(".md") and uri != "index.md"}
    made["configuration.md"] = CONFIGURATION.format((ROOT / "configs/example.yaml").read_text().rstrip())
    made.update(reference.load(ROOT / "server/rest/openapi.yaml").pages())
    made["api/openapi.yaml"] = (ROOT / "server/rest/openapi.yaml").read_text()
    made["site.css"] = (HERE / "site.css").read_text()
    made["images/logo.svg"] = (HERE / "logo.svg").read_text()
    for uri, content in made.items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown, *, page, config, files):
    """Gives the first page the whole width. Decisions come last in searches, superseded ones are excluded."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation", "toc"]
    if page.file.src_uri.startswith("decisions/"):
        page.meta["search"] = {"exclude": True} if "\n\nStatus: superseded" in markdown else {"boost": 0.3}
    return markdown
