"""Wheels that each contain the mneme binary for one platform."""

import base64
import hashlib
import pathlib
import re
import zipfile

# The wheel tags of each platform that Go builds for. The binary is static.
TAGS = {
    ("linux", "amd64"): ["manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    ("linux", "arm64"): ["manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    ("darwin", "amd64"): ["macosx_12_0_x86_64"],
    ("darwin", "arm64"): ["macosx_12_0_arm64"],
}

CLASSIFIERS = [
    "Development Status :: 4 - Beta",
    "Intended Audience :: Developers",
    "Operating System :: MacOS",
    "Operating System :: POSIX :: Linux",
    "Programming Language :: Python :: 3",
    "Topic :: Database",
]

MODULE = '''"""mneme, and mneme as an MCP server over stdin and stdout."""

import os
import pathlib
import sys


def run(*arguments):
    """Runs mneme with arguments and those of this command."""
    binary = pathlib.Path(__file__).with_name("bin") / "mneme"
    os.execv(binary, [sys.argv[0], *arguments, *sys.argv[1:]])


def mneme():
    """Runs "mneme" with the arguments of this command."""
    run()


def main():
    """Runs "mneme mcp" with the arguments of this command."""
    run("mcp")
'''

# mneme is another project on PyPI, which uvx mneme would run.
SCRIPTS = b"[console_scripts]\nmneme = mneme_mcp:mneme\nmneme-mcp = mneme_mcp:main\n"


def pep440(version: str) -> str:
    """Returns a semantic version as Python packages write it: 1.2.3-rc.1 is 1.2.3rc1.

    Python knows alpha, beta, rc and dev of the pre-releases (PEP 440). ValueError
    names a version that has another one.
    """
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc|dev)(?:\.?(\d+))?)?", version)
    if found is None:
        raise ValueError(f"{version!r} is not a version such as 1.2.3, 1.2.3-beta.1 or 1.2.3-rc.1")
    release, stage, number = found.groups()
    if stage is None:
        return release
    return release + {"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[stage] + (number or "0")


def build(
    binary: pathlib.Path, system: tuple[str, str], version: str, summary: str, server: str, folder: pathlib.Path, urls: dict[str, str]
) -> pathlib.Path:
    """Writes the wheel of a binary into a folder and returns its path.

    By mcp-name in its description the MCP registry sees that the package belongs to the
    server of that name.
    """
    platforms = TAGS[system]
    version = pep440(version)
    path = folder / f"mneme_mcp-{version}-py3-none-{'.'.join(platforms)}.whl"
    info = f"mneme_mcp-{version}.dist-info"
    tags = "".join(f"Tag: py3-none-{p}\n" for p in platforms)
    links = "".join(f"Project-URL: {label}, {url}\n" for label, url in urls.items())
    kinds = "".join(f"Classifier: {classifier}\n" for classifier in CLASSIFIERS)
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    files = [
        ("mneme_mcp/__init__.py", MODULE.encode(), 0o644),
        ("mneme_mcp/bin/mneme", binary.read_bytes(), 0o755),
        (
            f"{info}/METADATA",
            (
                f"Metadata-Version: 2.4\nName: mneme-mcp\nVersion: {version}\nSummary: {summary}\n"
                "License-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: THIRD_PARTY_NOTICES.txt\nRequires-Python: >=3.8\n"
                f"{kinds}{links}"
                f"Description-Content-Type: text/markdown\n\n{summary}. It has two commands: `mneme`, and `mneme-mcp`, which is `mneme mcp`.\n\n<!-- mcp-name: {server} -->\n"
            ).encode(),
            0o644,
        ),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: mneme\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644),
        (f"{info}/entry_points.txt", SCRIPTS, 0o644),
        (f"{info}/licenses/LICENSE", (root / "LICENSE").read_bytes(), 0o644),
        (f"{info}/licenses/THIRD_PARTY_NOTICES.txt", (root / "THIRD_PARTY_NOTICES.txt").read_bytes(), 0o644),
    ]
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content, _ in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for name, content, mode in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes in each build
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return path


def digest(content: bytes) -> str:
    """Returns the digest of a file in the format of RECORD."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
