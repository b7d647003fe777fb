"""Builds what a release has beside goreleaser's own files, all with its version: the
packages for MCP clients, the clients for Python and TypeScript with their memories for
agent frameworks, the chart, and the files of the image.

    python3 deploy/packaging/release.py --version 1.2.3 --out DIR [--namespace NAME] [--repository URL]

DIR/packages gets what is published, DIR/image what deploy/packaging/image/Dockerfile copies, and
DIR/notes.md what CHANGELOG.md says of the version.
Beside Go it needs pip, npm and helm.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import build
import wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(*command: str | pathlib.Path, cwd: pathlib.Path = ROOT) -> None:
    """Runs a command, and shows its output if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stdout}{done.stderr}")


def client(name: str, folder: pathlib.Path, version: str, repository: str) -> pathlib.Path:
    """Copies the source of a client into a folder, as a registry shows it.

    In its manifest are the version, also of the client that it needs, and the repository,
    to whose files the links of its README lead.
    """
    to = folder / name
    shutil.copytree(ROOT / "clients" / name, to, ignore=shutil.ignore_patterns("node_modules", "dist", "__pycache__", ".*"))
    urls = build.urls(repository, version)
    if (to / "pyproject.toml").exists():
        path, pattern, published = to / "pyproject.toml", r'^(version = "|dependencies = \["mneme-client>=)[^"]*', wheel.pep440(version)
        addition = "\n[project.urls]\n" + "".join(f'{label} = "{url}"\n' for label, url in urls.items())
    else:
        path, pattern, published = to / "package.json", r'^(\s*"(?:version|mneme-client)": "(?:>=)?)[^"]*', version
        addition = ""
    text, changed = re.subn(pattern, rf"\g<1>{published}", path.read_text() + addition, flags=re.MULTILINE)
    if not changed:
        sys.exit(f"{path}: has no version")
    if path.suffix == ".json":
        text = json.dumps({**json.loads(text), **build.npm_urls(urls, f"clients/{name}")}, indent=2) + "\n"
    path.write_text(text)
    readme = to / "README.md"
    readme.write_text(linked(readme.read_text(), f"clients/{name}", f"{urls['Source']}/blob/v{version}"))
    return to


def linked(text: str, folder: str, files: str) -> str:
    """Returns a document of a folder with its links to files of the repository replaced by addresses."""

    def link(found: re.Match) -> str:
        path, _, place = found[1].partition("#")
        to = (ROOT / folder / path).resolve()
        if not to.exists():
            raise ValueError(f"{folder} has a link to {path}, which does not exist")
        return f"]({files}/{to.relative_to(ROOT).as_posix()}{'#' + place if place else ''})"

    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", link, text)


def clients(version: str, out: pathlib.Path, repository: str = build.REPOSITORY) -> None:
    """Builds the clients."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("python", "python-memory"):
            python = client(name, folder, version, repository)
            run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", out, python)
        quiet = "--silent", "--no-audit", "--no-fund"
        typescript, memory = (client(name, folder, version, repository) for name in ("typescript", "typescript-memory"))
        run("npm", "ci", *quiet, cwd=typescript)
        run("npm", "pack", "--silent", "--pack-destination", out, cwd=typescript)
        run("npm", "install", "--no-save", *quiet, out / f"mneme-client-{version}.tgz", cwd=memory)
        run("npm", "pack", "--silent", "--pack-destination", out, cwd=memory)


def notes(version: str, changelog: str) -> str:
    """Returns the changelog's section for a version; for 1.2.3-dev, the unreleased section.

    Raises ValueError if the section is missing or empty.
    """
    heading = "Unreleased" if version.endswith("-dev") else rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d"
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ValueError(f'CHANGELOG.md has nothing under "## {version} - DATE"')
    return found[1].strip() + "\n"


def main() -> None:
    """Builds everything and prints the paths."""
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--version", required=True, help="such as 1.2.3")
    flags.add_argument("--out", required=True, type=pathlib.Path, help="folder, which is emptied first")
    flags.add_argument("--namespace", default="com.example", help="namespace in the MCP registry (reverse DNS)")
    flags.add_argument("--repository", default=build.REPOSITORY, help="address of the source")
    given = flags.parse_args()
    out = given.out.resolve()
    said = notes(given.version, (ROOT / "CHANGELOG.md").read_text())
    shutil.rmtree(out, ignore_errors=True)
    packages = out / "packages"
    build.build(given.version, packages, everywhere=True, namespace=given.namespace, repository=given.repository)
    clients(given.version, packages, given.repository)
    run("helm", "package", "deploy/chart", "--version", given.version, "--app-version", given.version, "--destination", packages)
    run("deploy/packaging/image/tree.sh", out / "image" / "system", out / "image" / "owned")
    (out / "notes.md").write_text(said)
    for path in sorted(packages.iterdir()):
        print(path)


if __name__ == "__main__":
    main()
