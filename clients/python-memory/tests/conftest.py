"""What the tests share: MNEME_URL and MNEME_TOKEN name the server and an agent of whose store every entry is deleted.

Frameworks that are not installed are left out; FRAMEWORKS, if set, names those that are tested, and none else.
"""

import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from mneme import Mneme
from mneme_memory import connect

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "model-sdks"))
from model import Model

# The module by which a framework is known to be installed, where it is not the framework's name.
MODULES = {
    "adk": "google.adk",
    "autogen": "autogen_agentchat",
    "google_genai": "google.genai",
    "langchain": "langchain_core",
    "langchain_mcp": "langchain_mcp_adapters",
    "llamaindex": "llama_index",
    "openai_agents": "agents",
    "types": "mypy",  # test_types.py, which takes minutes
}
NODE = {"vercel_ai", "mastra"}  # packages of npm, in the folder NODE_MODULES


def wanted(framework: str) -> bool:
    """Reports whether a framework is to be tested: it is in FRAMEWORKS, or without that installed."""
    if named := os.environ.get("FRAMEWORKS", "").split():
        return framework in named
    if framework in NODE:
        return "NODE_MODULES" in os.environ
    try:
        return find_spec(MODULES.get(framework, framework)) is not None
    except ModuleNotFoundError:
        return False


FOR_ALL = {"guide"}
found = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
collect_ignore = [f"test_{name}.py" for name in found - FOR_ALL if not wanted(name)]


@pytest.fixture(scope="session")
def opened() -> Mneme:
    return connect()


@pytest.fixture
def requests() -> list[str]:
    """The paths of the requests that the test's client has sent."""
    return []


@pytest.fixture
def client(opened: Mneme, requests: list[str]) -> Mneme:
    """A client whose store is empty."""
    while entries := list(opened.list()):
        opened.batch([{"op": "delete", "namespace": entry.namespace, "key": entry.key} for entry in entries[:1000]])
    opened._http.event_hooks["request"] = [lambda request: requests.append(request.url.path)]
    return opened


def stand_in(calls: list[tuple[str, dict]]) -> Model:
    """A model that makes the calls, one a turn, and then says "done"; requests has what it was sent."""
    return Model(calls)


def eventually(ask, holds):
    """Asks until the answer holds: the vector leg finds a text about a second after it was written."""
    deadline = time.monotonic() + 180
    while not holds(answer := ask()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert holds(answer)
    return answer
