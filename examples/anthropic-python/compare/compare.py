"""Compares the texts of the tool `memory` with those of Anthropic's SDKs.

compare.py URL TOKEN SDK gives every command of cases.json to the service, and to the
file system tools that the Python SDK and, in folder SDK, the TypeScript SDK come with.
Each answer must be that of one of them, or differ as DIFFERENCES says; a difference that
no command shows any more fails, too. The token's agent must have an empty store.
"""

import json
import posixpath
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import httpx
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

here = Path(__file__).parent


def command_of(short: list) -> dict:
    """A command in full: ["view", path, [from, to]?], ["create", path, text; "*N": N characters], …"""
    name, path, *rest = short
    if name == "view":
        return {"command": name, "path": path, **({"view_range": rest[0]} if rest else {})}
    if name == "create":
        text = "x" * int(rest[0][1:]) if re.fullmatch(r"\*\d+", rest[0]) else rest[0]
        return {"command": name, "path": path, "file_text": text}
    if name == "str_replace":
        return {"command": name, "path": path, "old_str": rest[0], "new_str": rest[1]}
    if name == "insert":
        return {"command": name, "path": path, "insert_line": rest[0], "insert_text": rest[1]}
    if name == "rename":
        return {"command": name, "old_path": path, "new_path": rest[0]}
    assert name == "delete", name
    return {"command": name, "path": path}


def ask_service(http: httpx.Client, commands: list[dict]) -> list[dict]:
    """The service's answers, in a store that is empty before and afterwards."""

    def ask(command: dict) -> dict:
        return http.post("/v1/tools/memory", json=command).raise_for_status().json()

    said = [ask(c) for c in commands]
    for entry in http.get("/v1/stores/self/memories", params={"limit": 100}).raise_for_status().json()["items"]:
        http.delete("/v1/stores/self/memories/" + quote(entry["key"], safe="")).raise_for_status()
    return said


def ask_python(folder: str, commands: list[dict]) -> list[dict]:
    tool = BetaLocalFilesystemMemoryTool(folder)
    said = []
    for c in commands:
        try:
            said.append({"content": tool.call(c), "is_error": False})
        except OSError as e:  # a bare error of the file system
            said.append({"content": f"({type(e).__name__})", "is_error": True})
        except Exception as e:
            said.append({"content": str(e), "is_error": True})
    return said


def without_folder_sizes(answer: dict) -> dict:
    head, *lines = answer["content"].split("\n")
    if not head.startswith("Here're the files"):
        return answer
    lines = ["?" + line[line.index("\t") :] if i == 0 or line.endswith("/") else line for i, line in enumerate(lines)]
    return {**answer, "content": "\n".join([head, *lines])}


def canonical(command: dict, answer: dict) -> dict:
    """An answer with the command's path as the service writes it."""
    path = command.get("path", "")
    text = answer["content"].replace(path, posixpath.normpath(path)) if path.startswith("/memories") else answer["content"]
    return {**answer, "content": text}


# The service's answers that differ from both SDKs', with reasons.
DIFFERENCES = {
    "errors begin with Error: where Anthropic's description of the tool has it": lambda c, ours, sdks: any(
        ours == {**s, "content": "Error: " + canonical(c, s)["content"]} for s in sdks
    ),
    "the size of a folder is that of the memories in it": lambda c, ours, sdks: any(
        without_folder_sizes(ours) == without_folder_sizes(s) for s in sdks
    ),
    "paths are answered in their canonical form": lambda c, ours, sdks: any(
        without_folder_sizes(ours) == without_folder_sizes(canonical(c, s)) for s in sdks
    ),
    "an insert_line out of range: the words of one SDK, the count of lines of the other": lambda c, ours, sdks: (
        c["command"] == "insert" and all("Invalid `insert_line`" in a["content"] for a in (ours, *sdks))
    ),
    "each line is named once where old_str is not unique": lambda c, ours, sdks: (
        "Multiple occurrences" in ours["content"] and "lines: 1." in ours["content"] and "lines: 1, 1." in sdks[0]["content"]
    ),
    "a folder does not move into itself, in words": lambda c, ours, sdks: (
        c["command"] == "rename" and "inside the folder that moves" in ours["content"] and sdks[0]["content"] == "(OSError)"
    ),
    "/memoriesx is not below /memories": lambda c, ours, sdks: (
        c["path"].startswith("/memoriesx") and ours["content"].startswith("Path must start with /memories")
    ),
    "what would leave the root if it were decoded, or leaves it for a moment, is refused": lambda c, ours, sdks: (
        (re.search(r"%2|\.\./memories", c["path"]) or "\\" in c["path"]) and ours["is_error"] and "would escape" in ours["content"]
    ),
    "a create names what says nearly the same": lambda c, ours, sdks: (
        c["command"] == "create" and ours["content"].startswith(sdks[0]["content"] + "\nOther memories say nearly the same")
    ),
    "a memory and a folder may have one name": lambda c, ours, sdks: (
        c["path"] == "/memories/a/b"
        and not ours["is_error"]
        and sdks[0]["is_error"]
        or c["path"] == "/memories"
        and "/memories/a\n" in ours["content"]
    ),
}


def compare(cases: list[dict], answers: list[tuple]) -> bool:
    said, passed = Counter(), True
    for case, *sides in zip(cases, *answers):
        for command, ours, *sdks in zip(case["commands"], *sides):
            if ours in sdks:
                said["the same as " + " and ".join(name for name, s in zip(("Python's", "TypeScript's"), sdks) if s == ours)] += 1
                continue
            name = next((name for name, holds in DIFFERENCES.items() if holds(command, ours, sdks)), None)
            said[name] += 1
            if name is None:
                passed = False
                print(f"{case['about']}: {command}", *(f"  {n}: {a}" for n, a in zip(("ours", "Python", "TypeScript"), (ours, *sdks))), sep="\n")
    for name in DIFFERENCES.keys() - said.keys():
        passed = False
        print(f"no command shows this difference: {name}")
    print(f"{said.total()} commands", *(f"{n:4} {name or 'DIFFERENT'}" for name, n in said.most_common()), sep="\n")
    return passed


if __name__ == "__main__":
    url, token, sdk = sys.argv[1:]
    cases = json.loads((here / "cases.json").read_text())
    for case in cases:
        case["commands"] = [command_of(c) for c in case["commands"]]
    with tempfile.TemporaryDirectory() as work, httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        full = Path(work, "cases.json")
        full.write_text(json.dumps(cases))
        said = subprocess.run(["node", here / "sdk.mjs", full, work], cwd=sdk, check=True, stdout=subprocess.PIPE, text=True).stdout
        service = [ask_service(http, case["commands"]) for case in cases]
        python = [ask_python(tempfile.mkdtemp(dir=work), case["commands"]) for case in cases]
    sys.exit(not compare(cases, [service, python, json.loads(said)]))
