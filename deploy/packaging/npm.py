"""npm packages: one with the binary for each platform, and one that selects it."""

import io
import json
import pathlib
import tarfile

# Node's names for the platforms that Go builds for.
NAMES = {
    ("linux", "amd64"): ("linux", "x64"),
    ("linux", "arm64"): ("linux", "arm64"),
    ("darwin", "amd64"): ("darwin", "x64"),
    ("darwin", "arm64"): ("darwin", "arm64"),
}

LAUNCHER = """// Runs mneme with arguments and those of this command.
'use strict';
const { spawn } = require('node:child_process');

module.exports = (...first) => {
  const name = `mneme-mcp-${process.platform}-${process.arch}`;
  let binary;
  try {
    binary = require.resolve(`${name}/bin/mneme`);
  } catch {
    console.error(`mneme-mcp: the package ${name} is missing; install without --omit=optional, on Linux or macOS`);
    process.exit(1);
  }
  const child = spawn(binary, [...first, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`mneme-mcp: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
};
"""

# The commands of the package, with the arguments that each prepends.
COMMANDS = {"mneme": "", "mneme-mcp": "'mcp'"}


def build_platform(binary: pathlib.Path, system: tuple[str, str], version: str, summary: str, folder: pathlib.Path, urls: dict) -> pathlib.Path:
    """Writes the package with the binary for one platform and returns its path."""
    os_name, cpu = NAMES[system]
    manifest = {
        "name": f"mneme-mcp-{os_name}-{cpu}",
        "version": version,
        "description": f"{summary} ({os_name}, {cpu})",
        "license": "Apache-2.0",
        **urls,
        "os": [os_name],
        "cpu": [cpu],
    }
    return pack(manifest, {"bin/mneme": (binary.read_bytes(), 0o755)}, folder)


def build_launcher(version: str, summary: str, server: str, folder: pathlib.Path, urls: dict) -> pathlib.Path:
    """Writes the package mneme-mcp, which depends on the packages of the platforms.

    mcpName shows the MCP registry that the package belongs to the server of that name.
    """
    manifest = {
        "name": "mneme-mcp",
        "version": version,
        "description": summary,
        "license": "Apache-2.0",
        **urls,
        "mcpName": server,
        "engines": {"node": ">=18"},
        "bin": {command: f"bin/{command}.js" for command in COMMANDS},
        "optionalDependencies": {f"mneme-mcp-{os_name}-{cpu}": version for os_name, cpu in NAMES.values()},
    }
    files = {"bin/launch.js": (LAUNCHER.encode(), 0o644)}
    for command, first in COMMANDS.items():
        files[f"bin/{command}.js"] = (f"#!/usr/bin/env node\nrequire('./launch.js')({first});\n".encode(), 0o755)
    return pack(manifest, files, folder)


def pack(manifest: dict, files: dict[str, tuple[bytes, int]], folder: pathlib.Path) -> pathlib.Path:
    """Writes a package like npm pack."""
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    files = {
        "package.json": (json.dumps(manifest, indent=2).encode() + b"\n", 0o644),
        "LICENSE": ((root / "LICENSE").read_bytes(), 0o644),
        "THIRD_PARTY_NOTICES.txt": ((root / "THIRD_PARTY_NOTICES.txt").read_bytes(), 0o644),
        **files,
    }
    path = folder / f"{manifest['name']}-{manifest['version']}.tgz"
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, (content, mode) in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))
    return path
