"""The programs of docs/guides/frameworks.md as they are written there, with a stand-in for the models' APIs."""

import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from calls import FAMILIES, TOOLS, calls_of, unmet
from conftest import wanted
from model import Model

ROOT = Path(__file__).parents[3]

GUIDE = (ROOT / "docs" / "guides" / "frameworks.md").read_text()
PROGRAM = re.compile(r"(?ms)^<!-- (?P<language>python|node): (?P<name>\w+) -->\n```(?:python|js)\n(?P<text>.*?)^```$")
FIRST = {found["language"]: found["text"].replace('/mcp"', f'/mcp{FAMILIES}"') for found in PROGRAM.finditer(GUIDE) if found["name"] == "first"}
TOOLS_BY_MCP, MEMORIES = (
    {found["name"]: found for found in PROGRAM.finditer(part) if found["name"] != "first"}
    for part in GUIDE.split("## Tools by MCP\n")[1].split("## The framework's own memory\n")
)

# Where each framework looks for its model's API, and what keeps it from telling others of its runs.
QUIET = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false", "OTEL_SDK_DISABLED": "true"}

# LlamaIndex has a model of its own for tests.
PRELUDES = {"llamaindex": "import llamaindex_model; llamaindex_model.use()\n"}

CHECK_ARGUMENTS = {"autogen", "crewai", "mastra", "semantic_kernel"}  # by the tools' schemas, before they call them
# What models call that have tools to recall.
RECALLS = {
    "pydantic_ai": [("search_memory", {"query": "tea"})],
    "vercel_ai": [("memory_save", {"key": "tea", "content": "Ada likes her tea green."}), ("memory_search", {"query": "tea"})],
}

MAX_CALLS = {"semantic_kernel": 5}  # that a framework lets a model make for one question


def run(program: re.Match, model: Model, home: Path) -> str:
    """Runs a program of the guide and returns what it printed."""
    environ = {
        **os.environ,
        **QUIET,
        "HOME": str(home),
        "OPENAI_BASE_URL": model.url + "/v1",
        "OPENAI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GOOGLE_API_KEY": "none",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    }
    if program["language"] == "node":
        (home / "node_modules").symlink_to(os.environ["NODE_MODULES"])
        (home / "program.mjs").write_text(FIRST["node"] + program["text"])
        command = ["node", "program.mjs"]
    else:
        command = [sys.executable, "-c", FIRST["python"] + PRELUDES.get(program["name"], "") + program["text"]]
    done = subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shown(framework: str, tool: str) -> str:
    """Returns the name by which a framework offers a tool."""
    if framework in {"semantic_kernel", "mastra"}:
        return ("mneme-" if framework == "semantic_kernel" else "mneme_") + tool
    if framework == "crewai":
        return re.sub("(?<=[a-z])(?=[A-Z])", "_", tool).lower()
    return tool


def declared(request: dict) -> set[str]:
    """Returns the names of the tools that a request to a model offers."""
    if "contents" in request:
        return {function["name"] for tool in request["tools"] for function in tool["functionDeclarations"]}
    return {tool.get("function", tool)["name"] for tool in request["tools"]}


@pytest.mark.parametrize("framework", [name for name in TOOLS_BY_MCP if wanted(name)])
def test_an_agent_has_every_tool_by_mcp(framework: str, client: object, tmp_path: Path) -> None:
    calls = calls_of("check-" + uuid.uuid4().hex[:12], fitting=framework in CHECK_ARGUMENTS)
    size = MAX_CALLS.get(framework, len(calls))
    for part in (calls[i : i + size] for i in range(0, len(calls), size)):
        model = Model([(shown(framework, name), arguments) for name, arguments, _ in part])
        said = run(TOOLS_BY_MCP[framework], model, tmp_path)
        assert declared(model.requests[0]) == {shown(framework, name) for name in TOOLS}
        assert unmet(part, model) == ""
        assert "done" in said


@pytest.mark.parametrize("framework", [name for name in MEMORIES if wanted(name)])
def test_a_memory_recalls(framework: str, client: object, tmp_path: Path) -> None:
    assert "green" in run(MEMORIES[framework], Model(RECALLS.get(framework, [])), tmp_path)
