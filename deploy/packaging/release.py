"""Builds what a release has beside goreleaser's own files, all with its version: the
packages for MCP clients, the clients for Python and TypeScript with their memories for
agent frameworks, the chart, and the files of the image.

    python3 deploy/packaging/release.py --version 1.2.3 --out DIR [--namespace NAME]

DIR/packages gets what is published, DIR/image what deploy/packaging/image/Dockerfile copies, and
DIR/notes.md what CHANGELOG.md says of the version.
Beside Go it needs pip, npm and helm.
"""

import argparse
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
    """Runs a command, whose output is shown if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stdout}{done.stderr}")


def client(name: str, folder: pathlib.Path, manifest: str, pattern: str, version: str) -> pathlib.Path:
    """Copies the source of a client into a folder, with the version in its manifest, also that of a client which it needs."""
    to = folder / name
    shutil.copytree(ROOT / "clients" / name, to, ignore=shutil.ignore_patterns("node_modules", "dist", "__pycache__", ".*"))
    path = to / manifest
    text, changed = re.subn(pattern, rf"\g<1>{version}", path.read_text(), flags=re.MULTILINE)
    if not changed:
        sys.exit(f"{path}: has no version")
    path.write_text(text)
    return to


def clients(version: str, out: pathlib.Path) -> None:
    """Builds the clients."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("python", "python-memory"):
            python = client(name, folder, "pyproject.toml", r'^(version = ")[^"]*', wheel.pep440(version))
            run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir", out, python)
        quiet = "--silent", "--no-audit", "--no-fund"
        versions = r'^(\s*"(?:version|mneme-client)": "(?:>=)?)[^"]*'
        typescript, memory = (client(name, folder, "package.json", versions, version) for name in ("typescript", "typescript-memory"))
        run("npm", "ci", *quiet, cwd=typescript)
        run("npm", "pack", "--silent", "--pack-destination", out, cwd=typescript)
        run("npm", "install", "--no-save", *quiet, out / f"mneme-client-{version}.tgz", cwd=memory)
        run("npm", "pack", "--silent", "--pack-destination", out, cwd=memory)


def notes(version: str, changelog: str) -> str:
    """Returns what the changelog says of a version: of 1.2.3-dev, what is unreleased.

    ValueError tells that it says nothing.
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
    given = flags.parse_args()
    out = given.out.resolve()
    said = notes(given.version, (ROOT / "CHANGELOG.md").read_text())
    shutil.rmtree(out, ignore_errors=True)
    packages = out / "packages"
    build.build(given.version, packages, everywhere=True, namespace=given.namespace)
    clients(given.version, packages)
    run("helm", "package", "deploy/chart", "--version", given.version, "--app-version", given.version, "--destination", packages)
    run("deploy/packaging/image/tree.sh", out / "image" / "system", out / "image" / "owned")
    (out / "notes.md").write_text(said)
    for path in sorted(packages.iterdir()):
        print(path)


if __name__ == "__main__":
    main()
