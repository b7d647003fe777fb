"""Builds the packages of mneme, and of mneme as an MCP server: wheels for uvx, npm packages
for npx, and server.json for the MCP registry.

    python3 deploy/packaging/build.py --version 1.2.3 --out DIR [--all] [--binary FILE] [--namespace NAME] [--repository URL]

Without --all, only for this machine's platform. --binary is a built mneme for it. The
version goes into the binaries too. Needs only Go and Python's standard library.
"""

import argparse
import json
import os
import pathlib
import subprocess

import npm
import wheel

SUMMARY = "Memory search for AI agents, as an MCP server"
REPOSITORY = "https://github.com/example/mneme"
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def go(*arguments: str, **environment: str) -> str:
    """Runs the go command at the root of the repository."""
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    return subprocess.run(["go", *arguments], cwd=root, env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout


def urls(repository: str, version: str) -> dict[str, str]:
    """Returns the addresses that registries show for a package, by label."""
    return {
        "Homepage": repository,
        "Documentation": f"{repository}/blob/v{version}/docs/index.md",
        "Source": repository,
        "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def npm_urls(urls: dict[str, str], folder: str | None = None) -> dict:
    """Returns the members of package.json with the addresses of a package, whose source is in a folder."""
    source = {"type": "git", "url": f"git+{urls['Source']}.git", **({"directory": folder} if folder else {})}
    return {"homepage": urls["Documentation"], "bugs": urls["Issues"], "repository": source}


def server(name: str, version: str) -> dict:
    """Returns server.json, by which MCP clients find and start the packages."""
    agent = {
        "type": "named",
        "name": "--agent",
        "description": "The agent whose memories are used",
        "isRequired": True,
        "default": "me",
    }
    folder = {"name": "MNEME_DATA_DIR", "description": "Folder of the database; empty: the user's data folder", "isRequired": False}
    packages = [
        {
            "registryType": registry,
            "identifier": "mneme-mcp",
            "version": published,
            "transport": {"type": "stdio"},
            "packageArguments": [agent],
            "environmentVariables": [folder],
        }
        for registry, published in (("pypi", wheel.pep440(version)), ("npm", version))
    ]
    return {"$schema": SCHEMA, "name": name, "title": "mneme", "description": SUMMARY, "version": version, "packages": packages}


def build(
    version: str,
    out: pathlib.Path,
    everywhere: bool = False,
    binary: pathlib.Path | None = None,
    namespace: str = "com.example",
    repository: str = REPOSITORY,
) -> None:
    """Builds the packages for every platform, or for this machine's, into a folder.

    binary is a built mneme for this machine.
    """
    name = f"{namespace}/mneme"
    addresses = urls(repository, version)
    out.mkdir(parents=True, exist_ok=True)
    here = (go("env", "GOOS").strip(), go("env", "GOARCH").strip())
    for system in wheel.TAGS if everywhere else [here]:
        built = binary if system == here else None
        if built is None:
            built = out.resolve() / f"mneme-{'-'.join(system)}"
            go(
                "build",
                "-trimpath",
                "-ldflags",
                f"-s -w -X main.version={version}",
                "-o",
                str(built),
                "./cmd/mneme",
                GOOS=system[0],
                GOARCH=system[1],
                CGO_ENABLED="0",
            )
        wheel.build(built, system, version, SUMMARY, name, out, addresses)
        npm.build_platform(built, system, version, SUMMARY, out, npm_urls(addresses))
        if built != binary:
            built.unlink()
    npm.build_launcher(version, SUMMARY, name, out, npm_urls(addresses))
    (out / "server.json").write_text(json.dumps(server(name, version), indent=2) + "\n")


def main() -> None:
    """Builds the packages that the flags select and prints the paths."""
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--version", required=True, help="such as 1.2.3")
    flags.add_argument("--out", required=True, type=pathlib.Path, help="folder for the packages")
    flags.add_argument("--all", action="store_true", help="for every platform")
    flags.add_argument("--binary", type=pathlib.Path, help="a built mneme for this machine")
    flags.add_argument("--namespace", default="com.example", help="namespace in the MCP registry (reverse DNS)")
    flags.add_argument("--repository", default=REPOSITORY, help="address of the source")
    given = flags.parse_args()
    build(given.version, given.out, given.all, given.binary, given.namespace, given.repository)
    for path in sorted(given.out.iterdir()):
        print(path)


if __name__ == "__main__":
    main()
