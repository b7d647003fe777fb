"""Starts the configured MCP server as Claude Desktop does, with an empty data folder, and saves a memory.

MNEME is the program; the configuration's own path is that of a usual installation.
"""

import json
import os
import pathlib
import subprocess
import tempfile

here = pathlib.Path(__file__).parent
server = json.loads((here / "claude_desktop_config.json").read_text())["mcpServers"]["mneme"]
folder = tempfile.TemporaryDirectory()
environment = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
process = subprocess.Popen(
    [os.environ["MNEME"], *server["args"]],
    env={**environment, "MNEME_DATA_DIR": folder.name},
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
    encoding="utf-8",
)
calls = checks = 0


def say(message: dict) -> None:
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def ask(method: str, **params: object) -> dict:
    """Makes a call and reads up to its answer: one message per line."""
    global calls
    calls += 1
    say({"id": calls, "method": method, "params": params})
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == calls:
            if "error" in answer:
                raise SystemExit(f"{method}: {answer['error']}")
            return answer["result"]
    raise SystemExit(f"{method}: the server ended")


def tool(name: str, **arguments: object) -> str:
    result = ask("tools/call", name=name, arguments=arguments)
    return "\n".join(part.get("text", "") for part in result["content"])


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


try:
    hello = ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "check", "version": "1"})
    say({"method": "notifications/initialized"})
    expect("the server says what it is", hello["serverInfo"]["name"] == "mneme")
    names = [each["name"] for each in ask("tools/list")["tools"]]
    expect("it offers its tools", {"memory_save", "memory_search"} <= set(names))
    tool("memory_save", key="tea", content="Ada drinks her tea at four.")
    expect("what was saved is found", "at four" in tool("memory_search", query="when does Ada have tea?"))
    expect("and seen as a file", "at four" in tool("memory", command="view", path="/memories/tea"))
    print(f"{checks} checks hold")
finally:
    process.stdin.close()
    process.wait(timeout=180)
    folder.cleanup()
