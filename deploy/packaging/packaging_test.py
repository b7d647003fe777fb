"""Tests of the packages, with a fake binary: python3 -m unittest discover -s deploy/packaging -p '*_test.py'"""

import csv
import email
import json
import pathlib
import re
import stat
import tarfile
import tempfile
import unittest
import zipfile

import build
import npm
import release
import wheel

REPOSITORY = "https://git.example.org/them/mneme"
URLS = build.urls(REPOSITORY, "1.2.3")
NPM_URLS = build.npm_urls(URLS)


class PackagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.binary = self.folder / "binary"
        self.binary.write_bytes(b"\x7fELF a stand-in")

    def test_every_platform_has_a_wheel_and_an_npm_package(self):
        self.assertEqual(set(wheel.TAGS), set(npm.NAMES))

    def test_the_record_of_a_wheel_names_every_file_with_its_digest(self):
        path = wheel.build(self.binary, ("linux", "amd64"), "1.2.3", build.SUMMARY, "com.example/mneme", self.folder, URLS)
        with zipfile.ZipFile(path) as archive:
            rows = {name: (digest, size) for name, digest, size in csv.reader(archive.read("mneme_mcp-1.2.3.dist-info/RECORD").decode().splitlines())}
            self.assertEqual(set(rows), set(archive.namelist()))
            for name, (digest, size) in rows.items():
                if not name.endswith("/RECORD"):
                    content = archive.read(name)
                    self.assertEqual((digest, size), ("sha256=" + wheel.digest(content), str(len(content))))
            mode = archive.getinfo("mneme_mcp/bin/mneme").external_attr >> 16
            self.assertTrue(mode & stat.S_IXUSR)

    def test_versions_of_wheels_are_pythons(self):
        versions = {
            "1.2.3": "1.2.3",
            "10.0.0-alpha": "10.0.0a0",
            "1.2.3-alpha.2": "1.2.3a2",
            "1.2.3-beta.12": "1.2.3b12",
            "1.2.3-rc1": "1.2.3rc1",
            "0.0.1-dev": "0.0.1.dev0",
        }
        self.assertEqual({version: wheel.pep440(version) for version in versions}, versions)
        for bad in ("v1.2.3", "1.2", "1.2.3-next.1", "1.2.3+build", "1.2.3-rc.1.2", ""):
            with self.assertRaises(ValueError):
                wheel.pep440(bad)

    def test_notes_are_what_the_changelog_says_of_the_version(self):
        changelog = "# Changelog\n\n## Unreleased\n\n- b\n\n## 1.2.3 - 2026-01-02\n\n### Added\n\n- a\n\n## 1.2.2 - 2026-01-01\n"
        self.assertEqual(release.notes("1.2.3", changelog), "### Added\n\n- a\n")
        self.assertEqual(release.notes("1.2.4-dev", changelog), "- b\n")
        for silent in ("1.2.2", "1.2.4", "1.2.3-rc.1", "1.2"):
            with self.assertRaises(ValueError):
                release.notes(silent, changelog)

    def test_the_launcher_depends_on_each_platform_at_its_own_version(self):
        made = {self.manifest(npm.build_platform(self.binary, system, "1.2.3", build.SUMMARY, self.folder, NPM_URLS))["name"] for system in npm.NAMES}
        launcher = self.manifest(npm.build_launcher("1.2.3", build.SUMMARY, "com.example/mneme", self.folder, NPM_URLS))
        self.assertEqual(launcher["optionalDependencies"], dict.fromkeys(made, "1.2.3"))

    def test_the_commands_of_the_readme_are_those_of_the_packages(self):
        readme = (release.ROOT / "README.md").read_text()
        package, command = re.search(r"`uvx --from (\S+) (\S+) demo`", readme).groups()
        path = wheel.build(self.binary, ("linux", "amd64"), "1.2.3", build.SUMMARY, "com.example/mneme", self.folder, URLS)
        with zipfile.ZipFile(path) as archive:
            self.assertIn(f"Name: {package}", archive.read("mneme_mcp-1.2.3.dist-info/METADATA").decode().splitlines())
            self.assertIn(f"{command} = ", archive.read("mneme_mcp-1.2.3.dist-info/entry_points.txt").decode())
        package, command = re.search(r"`npx --package (\S+) (\S+) demo`", readme).groups()
        path = npm.build_launcher("1.2.3", build.SUMMARY, "com.example/mneme", self.folder, NPM_URLS)
        launcher = self.manifest(path)
        self.assertEqual(launcher["name"], package)
        with tarfile.open(path) as archive:
            self.assertTrue(archive.getmember(f"package/{launcher['bin'][command]}").mode & stat.S_IXUSR)

    def test_packages_name_the_server_that_they_belong_to(self):
        launcher = self.manifest(npm.build_launcher("1.2.3", build.SUMMARY, "com.example/mneme", self.folder, NPM_URLS))
        self.assertEqual(launcher["mcpName"], "com.example/mneme")
        path = wheel.build(self.binary, ("linux", "arm64"), "1.2.3", build.SUMMARY, "com.example/mneme", self.folder, URLS)
        with zipfile.ZipFile(path) as archive:
            self.assertIn("mcp-name: com.example/mneme ", archive.read("mneme_mcp-1.2.3.dist-info/METADATA").decode())

    def manifest(self, path):
        with tarfile.open(path) as archive:
            return json.load(archive.extractfile("package/package.json"))

    def test_packages_of_the_program_say_where_its_source_is(self):
        for path in (
            npm.build_launcher("1.2.3", build.SUMMARY, "com.example/mneme", self.folder, NPM_URLS),
            npm.build_platform(self.binary, ("linux", "amd64"), "1.2.3", build.SUMMARY, self.folder, NPM_URLS),
        ):
            self.assertEqual(self.manifest(path)["repository"]["url"], f"git+{REPOSITORY}.git")
        path = wheel.build(self.binary, ("linux", "amd64"), "1.2.3", build.SUMMARY, "com.example/mneme", self.folder, URLS)
        with zipfile.ZipFile(path) as archive:
            said = email.message_from_bytes(archive.read("mneme_mcp-1.2.3.dist-info/METADATA"))
        self.assertIn(f"Issues, {REPOSITORY}/issues", said.get_all("Project-URL"))
        self.assertIn("Programming Language :: Python :: 3", said.get_all("Classifier"))

    def test_the_sources_of_the_clients_have_one_version_and_the_licence(self):
        versions = set()
        for path in sorted((release.ROOT / "clients").glob("*/p*.*")):
            if path.name in ("package.json", "pyproject.toml"):
                versions |= set(re.findall(r'^\s*"?version"?\s*[:=] "([^"]+)', path.read_text(), re.MULTILINE))
        self.assertEqual(versions, {"0.0.0"})  # a release has the version of its tag
        licence = (release.ROOT / "LICENSE").read_bytes()
        for manifest in (*(release.ROOT / "clients").glob("*/p*.*"), *(release.ROOT / "clients").glob("*/go.mod")):
            self.assertEqual(manifest.with_name("LICENSE").read_bytes(), licence)

    def test_links_of_a_readme_lead_to_the_repository(self):
        text = "[a](../../LICENSE) [b](src/mneme/call.py#L3) [c](https://example.org/x) [d](#tests)"
        files = f"{REPOSITORY}/blob/v1.2.3"
        want = f"[a]({files}/LICENSE) [b]({files}/clients/python/src/mneme/call.py#L3) [c](https://example.org/x) [d](#tests)"
        self.assertEqual(release.linked(text, "clients/python", files), want)
        with self.assertRaises(ValueError):
            release.linked("[e](none.md)", "clients/python", files)

    def test_server_json_has_what_the_registry_requires(self):
        server = build.server("com.example/mneme", "1.2.3")
        self.assertRegex(server["name"], r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$")
        self.assertTrue(0 < len(server["description"]) <= 100)
        self.assertTrue(re.match(r"https://static\.modelcontextprotocol\.io/schemas/[\d-]+/server\.schema\.json$", server["$schema"]))
        for package in server["packages"]:
            self.assertEqual((package["version"], package["transport"]), (server["version"], {"type": "stdio"}))
            self.assertIn(package["registryType"], ("pypi", "npm"))
            for argument in package["packageArguments"]:
                self.assertEqual((argument["type"], argument["name"]), ("named", "--agent"))


if __name__ == "__main__":
    unittest.main()
