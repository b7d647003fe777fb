"""Tries Robutler's own MemorySkill, as PyPI has it, against a running server: MNEME_URL and MNEME_TOKEN say which.

The skill needs httpx and three modules of its framework. Their places are taken by stand-ins below, since the
framework itself brings two hundred packages; the skill's file is the one of the package, unmodified.
"""

import asyncio
import importlib.metadata
import importlib.util
import os
import sys
import time
import types
import uuid
from typing import Any

import httpx

url, token = os.environ["MNEME_URL"], os.environ["MNEME_TOKEN"]
os.environ.pop("ROBUTLER_INTERNAL_API_URL", None)
os.environ["ROBUTLER_API_URL"] = url
run = "check-" + uuid.uuid4().hex[:12]
checks = 0


class Skill:
    """The methods of the base class that the skill calls."""

    def __init__(self, config: dict, scope: str) -> None:
        self.agent: Any = None

    def initialize(self, agent: Any) -> None:
        self.agent = agent

    def register_tool(self, handler: Any, scope: str) -> None:
        self.memory = handler


def stand_in(name: str, **members: Any) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


stand_in("webagents.agents.skills.base", Skill=Skill)
stand_in("webagents.agents.tools.decorators", tool=lambda **_: lambda f: f)
stand_in("webagents.server.context.context_vars", get_context=lambda: None)
for package in ("webagents", "webagents.agents", "webagents.agents.skills", "webagents.agents.tools", "webagents.server", "webagents.server.context"):
    stand_in(package)
place = importlib.metadata.distribution("webagents").locate_file("webagents/agents/skills/robutler/kv/skill.py")
spec = importlib.util.spec_from_file_location("skill", str(place))
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


async def main() -> None:
    known = httpx.get(url + "/api/storage/memory", params={"action": "stores"}, headers={"X-API-Key": token}, timeout=60).json()
    me = next(store["storeId"] for store in known["stores"] if store["kind"] == "self")
    skill = module.MemorySkill(agent_id=me, chat_id="no-such-chat", user_id="no-such-user")
    skill.initialize(types.SimpleNamespace(id=me, api_key=token))
    memory, key = skill.memory, f"{run}/tea time"

    expect("there is nothing at first", await memory(action="get", key=key) is None)
    expect("a value is set", await memory(action="set", key=key, value="Ada drinks green tea at four.") == "OK")
    expect("and read", (await memory(action="get", key=key))["value"] == "Ada drinks green tea at four.")
    expect("with a time to live, too", await memory(action="set", key=f"{run}/short", value={"n": [1, 2]}, ttl=3600) == "OK")
    expect("keys are listed", (await memory(action="list", prefix=run))["keys"] == [f"{run}/short", key])
    deadline = time.monotonic() + 180
    while True:  # the vector leg finds a text about a second after it was written
        found = (await memory(action="search", query="which hot beverage does Ada have in the afternoon?"))["results"]
        if key in [hit["key"] for hit in found] or time.monotonic() > deadline:
            break
        await asyncio.sleep(0.1)
    expect("a question finds it", key in [hit["key"] for hit in found])
    expect("the own store is among the stores", me in [store["storeId"] for store in (await memory(action="stores"))["stores"]])
    expect("a store is shared", await memory(action="share", agent="check-friend") == "OK")
    expect("and no longer", await memory(action="unshare", agent="check-friend") == "OK")
    expect("another's store is closed", "denied" in (await memory(action="get", store="check-stranger", key="a"))["error"])
    expect("a value above 100 kB is too large", "413" in (await memory(action="set", key=key, value="x" * 200_000))["error"])
    expect("what a skill keeps for itself is kept", await skill.set_internal(me, f"{run}/oauth", "blob", encrypted=True, ttl=60))
    expect("and read by key", (await skill.get_internal(me, f"{run}/oauth"))["value"] == "blob")
    expect("and not listed", f"{run}/oauth" not in (await memory(action="list"))["keys"])
    for gone in (key, f"{run}/short"):
        expect("an entry is deleted", await memory(action="delete", key=gone) == "OK")
    expect("once", "404" in (await memory(action="delete", key=key))["error"])
    print(f"{checks} checks hold")


asyncio.run(main())
