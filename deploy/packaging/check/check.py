"""Checks what goreleaser built: each file that a release publishes is there, is what its
name says and has the release's version, and checksums, signature, bills of materials,
cask and images fit it.

    python3 deploy/packaging/check/check.py ROOT VERSION BUILDAH…

ROOT is the repository with dist and deploy/packaging/out. BUILDAH is the command that has the
images. Needs gpg with the key, dpkg-deb, ruby and the package rpmfile.
"""

import hashlib
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import rpmfile

PLATFORMS = [(system, processor) for system in ("linux", "darwin", "windows") for processor in ("amd64", "arm64")]


def output(*command: str | pathlib.Path) -> str:
    """Returns the output of a command; ends the check if it fails."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def equal(got, want, what: str) -> None:
    """Ends the check if two values differ."""
    if got != want:
        sys.exit(f"{what}: {got!r}, not {want!r}")


def runs(binary: pathlib.Path, version: str) -> None:
    """Checks the version that a binary for this machine's processor prints."""
    binary.chmod(0o755)
    equal(json.loads(output(binary, "version", "--json"))["version"], version, str(binary))
    equal(output(binary, "--version").split()[1], version, f"{binary} --version")


class Release:
    def __init__(self, root: pathlib.Path, version: str, buildah: list[str]):
        self.root, self.dist, self.packages = root, root / "dist", root / "deploy/packaging/out/packages"
        self.readme = (root / "README.md").read_text()
        self.version, self.buildah = version, buildah
        self.python = version.replace("-dev", ".dev0")
        self.sums = dict(reversed(line.split("  ")) for line in (self.dist / "checksums.txt").read_text().splitlines())

    def archives(self) -> None:
        for system, processor in PLATFORMS:
            with tempfile.TemporaryDirectory() as folder:
                shutil.unpack_archive(self.dist / self.archive(system, processor), folder)
                equal(
                    {p.name for p in pathlib.Path(folder).iterdir()},
                    {
                        "mneme.exe" if system == "windows" else "mneme",
                        "LICENSE",
                        "THIRD_PARTY_NOTICES.txt",
                        "LICENSE-e5-small-v2",
                        "LICENSE-multilingual-e5-small",
                        "README.md",
                        "CHANGELOG.md",
                    },
                    "archive",
                )
                if (system, processor) == ("linux", HERE):
                    runs(pathlib.Path(folder) / "mneme", self.version)
            bill = json.loads((self.dist / f"{self.archive(system, processor)}.sbom.json").read_text())
            modules = {p["name"] for p in bill["packages"]}
            equal(
                (bill["spdxVersion"][:5], "github.com/spf13/cobra" in modules, "modernc.org/sqlite" in modules),
                ("SPDX-", True, True),
                "bill of materials",
            )

    def archive(self, system: str, processor: str) -> str:
        return f"mneme_{self.version}_{system}_{processor}.{'zip' if system == 'windows' else 'tar.gz'}"

    def checksums(self) -> None:
        published = [p for p in (*self.dist.glob("mneme_*"), *self.packages.iterdir()) if p.is_file()]
        equal(sorted(self.sums), sorted(p.name for p in published), "files of checksums.txt")
        for path in published:
            equal(hashlib.sha256(path.read_bytes()).hexdigest(), self.sums[path.name], path.name)
        output("gpg", "--quiet", "--verify", self.dist / "checksums.txt.sig", self.dist / "checksums.txt")

    def linux(self) -> None:
        files = {
            "/usr/bin/mneme",
            "/usr/lib/systemd/system/mneme.service",
            "/usr/share/doc/mneme/LICENSE",
            "/usr/share/doc/mneme/THIRD_PARTY_NOTICES.txt",
            "/usr/share/doc/mneme/LICENSE-e5-small-v2",
            "/usr/share/doc/mneme/LICENSE-multilingual-e5-small",
        }
        for processor, machine in (("amd64", "x86_64"), ("arm64", "aarch64")):
            deb = self.dist / f"mneme_{self.version}_linux_{processor}.deb"
            fields = output("dpkg-deb", "--show", "--showformat=${Package} ${Architecture} ${Version}", deb)
            equal(fields, f"mneme {processor} {self.version.replace('-', '~')}", deb.name)
            if processor == "amd64":
                equal(f"./{deb.name.replace(self.version, 'VERSION')} " in self.readme, True, "the deb of README.md")
            with tempfile.TemporaryDirectory() as folder:
                output("dpkg-deb", "--extract", deb, folder)
                root = pathlib.Path(folder)
                equal({f"/{p.relative_to(root)}" for p in root.rglob("*") if p.is_file()}, files, deb.name)
                if processor == HERE:
                    runs(root / "usr/bin/mneme", self.version)
            with rpmfile.open(self.dist / f"mneme_{self.version}_linux_{processor}.rpm") as rpm:
                head = [rpm.headers[name].decode() for name in ("name", "arch", "version")]
                equal(head, ["mneme", machine, self.version.replace("-", "~")], "rpm")
                equal({f"/{m.name.removeprefix('./').lstrip('/')}" for m in rpm.getmembers()}, files, "rpm")

    def cask(self) -> None:
        text = (self.dist / "homebrew/Casks/mneme.rb").read_text()
        equal(re.search(r'version "([^"]+)"', text)[1], self.version, "cask")
        output("ruby", "-c", self.dist / "homebrew/Casks/mneme.rb")
        digests = re.findall(r'url "[^"]*/([^/"]+)"\s+sha256 "([^"]+)"', text)
        archives = {self.archive(system, processor) for system, processor in PLATFORMS if system in {"linux", "darwin"}}
        equal({name.replace("#{version}", self.version): digest for name, digest in digests}, {name: self.sums[name] for name in archives}, "cask")
        tap, name = re.search(r"`brew install --cask OWNER/(\S+)/(\S+) ", self.readme).groups()
        settings = (self.root / ".goreleaser.yaml").read_text()
        equal((f'cask "{name}" do' in text, f"name: homebrew-{tap}\n" in settings), (True, True), "the cask of README.md")

    def names_digests(self, text: str, what: str, systems: set[str]) -> None:
        """Checks that a manifest has the digests of the archives for some systems."""
        for system, processor in PLATFORMS:
            if system in systems and self.sums[self.archive(system, processor)] not in text.lower():
                sys.exit(f"{what} lacks the digest of {system} on {processor}")

    def windows(self) -> None:
        scoop = (self.dist / "scoop/mneme.json").read_text()
        equal((json.loads(scoop)["version"], json.loads(scoop)["architecture"]["64bit"]["bin"]), (self.version, ["mneme.exe"]), "Scoop")
        self.names_digests(scoop, "Scoop's manifest", {"windows"})
        manifests = {p.name: p.read_text() for p in (self.dist / "winget").rglob("*.yaml")}
        equal(sorted(name.split(".", 2)[2] for name in manifests), ["installer.yaml", "locale.en-US.yaml", "yaml"], "winget's manifests")
        for name, text in manifests.items():
            equal(re.search(r"(?m)^PackageVersion: [\"']?([^\"'\n]+)", text)[1], self.version, name)
            if name.endswith(".installer.yaml"):
                self.names_digests(text, name, {"windows"})

    def packages_of_clients(self) -> None:
        wheels = sorted(p.name for p in self.packages.glob("*.whl"))
        equal(
            [w.split("-")[:2] for w in wheels],
            [["mneme_client", self.python]] + [["mneme_mcp", self.python]] * 4 + [["mneme_memory", self.python]],
            "wheels",
        )
        for path in self.packages.glob("*.whl"):
            with zipfile.ZipFile(path) as wheel:
                name = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
                equal(f"Version: {self.python}" in wheel.read(name).decode().splitlines(), True, path.name)
        names = set()
        for path in self.packages.glob("*.tgz"):
            with tarfile.open(path) as archive:
                if "mneme/Chart.yaml" in archive.getnames():
                    chart = archive.extractfile("mneme/Chart.yaml").read().decode()
                    equal(set(re.findall(r"(?m)^(?:appVersion|version): (.*)$", chart)), {self.version}, path.name)
                    names.add("the chart")
                    continue
                manifest = json.load(archive.extractfile("package/package.json"))
                equal(manifest["version"], self.version, path.name)
                names.add(manifest["name"])
        systems = {f"mneme-mcp-{system}-{processor}" for system in ("linux", "darwin") for processor in ("x64", "arm64")}
        equal(names, {"mneme-mcp", "mneme-client", "mneme-memory", "the chart"} | systems, "npm packages and chart")
        equal(json.loads((self.packages / "server.json").read_text())["version"], self.version, "server.json")

    def images(self) -> None:
        for processor in ("amd64", "arm64"):
            name = f"mneme:{self.version}-{processor}"
            image = json.loads(output(*self.buildah, "inspect", "--type", "image", name))["OCIv1"]
            config = image["config"]
            equal(
                (image["architecture"], config["User"], config["Entrypoint"], config["Cmd"]), (processor, "65532:65532", ["/mneme"], ["serve"]), name
            )
            equal((list(config["Volumes"]), list(config["ExposedPorts"])), (["/var/lib/mneme"], ["7077/tcp"]), name)
            equal(config["Labels"]["org.opencontainers.image.version"], self.version, name)
            container = output(*self.buildah, "from", name).strip()
            root = pathlib.Path(output(*self.buildah, "mount", container).strip())
            folder = (root / "var/lib/mneme").stat()
            equal((folder.st_uid, folder.st_mode & 0o777), (65532, 0o700), f"{name}: data folder")
            equal((root / "etc/ssl/certs/ca-certificates.crt").stat().st_size > 100_000, True, f"{name}: certificates")
            if processor == HERE:
                runs(root / "mneme", self.version)
            output(*self.buildah, "rm", container)


HERE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]

if __name__ == "__main__":
    release = Release(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
    release.checksums()
    release.archives()
    release.linux()
    release.cask()
    release.windows()
    release.packages_of_clients()
    release.images()
    print(f"{len(release.sums)} files of {release.version} are signed and fit together")
