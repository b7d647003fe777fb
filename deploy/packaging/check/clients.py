"""Checks the packages of the clients that release.clients built: clients.py FOLDER VERSION REPOSITORY.

Each must have the licence, the version and the addresses, and its README must not link to files that a registry lacks.
"""

import email
import json
import pathlib
import re
import sys
import tarfile
import zipfile

folder, version, repository = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
licence = (pathlib.Path(__file__).resolve().parents[3] / "LICENSE").read_bytes()


def checked(path: pathlib.Path, holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"{path.name}: {what}")


def check_readme(path: pathlib.Path, text: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    wrong = [link for link in links if not re.match(r"https://|#|mailto:", link)]
    checked(path, not wrong, f"links of its README that a registry does not have: {wrong}")


wheels, archives = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tgz"))
if len(wheels) != 2 or len(archives) != 2:
    sys.exit(f"{folder} has {wheels} and {archives}")
for path in wheels:
    with zipfile.ZipFile(path) as archive:
        info = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        said = email.message_from_bytes(archive.read(info))
        checked(path, archive.read(info.replace("METADATA", "licenses/LICENSE")) == licence, "not the licence")
    checked(path, said["Version"] == version, f"version {said['Version']}")
    checked(path, f"Source, {repository}" in said.get_all("Project-URL", []), "no address of its source")
    checked(path, "Typing :: Typed" in said.get_all("Classifier", []), "no classifiers")
    needed = [name for name in said.get_all("Requires-Dist", []) if name.startswith("mneme-client")]
    checked(path, needed in ([], [f"mneme-client>={version}"]), f"needs {needed}")
    check_readme(path, said.get_payload())
for path in archives:
    with tarfile.open(path) as archive:
        files = {name: archive.extractfile(f"package/{name}").read() for name in ("LICENSE", "README.md", "package.json")}
    manifest = json.loads(files["package.json"])
    checked(path, files["LICENSE"] == licence, "not the licence")
    checked(path, manifest["version"] == version, f"version {manifest['version']}")
    checked(
        path, manifest["repository"]["url"] == f"git+{repository}.git" and manifest["homepage"].startswith(repository), "no address of its source"
    )
    checked(path, manifest.get("peerDependencies", {}).get("mneme-client", f">={version}") == f">={version}", "needs another client")
    check_readme(path, files["README.md"].decode())
print("the packages of the clients have licence, version, addresses and links")
