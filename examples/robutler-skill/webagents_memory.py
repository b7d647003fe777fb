"""Works with the memory skills of PyPI webagents, unmodified: URL TOKEN AGENT OTHER.

OTHER is a token of another agent, named other.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

url, token, agent, other = sys.argv[1:]
os.environ["ROBUTLER_INTERNAL_API_URL"] = url

from webagents.agents.skills.local.memory.local_memory_store import LocalMemoryStore
from webagents.agents.skills.local.memory.portal_memory_store import MemoryPortalError, PortalMemoryStore
from webagents.agents.skills.robutler.kv.skill import MemorySkill


def expect(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got!r}, not {want!r}")


async def refused(call, status):
    try:
        await call
    except MemoryPortalError as e:
        # The client prints our text in brackets.
        if f"answered {status} (" in str(e) and "()" not in str(e):
            return
        sys.exit(f"refused, but: {e}")
    sys.exit(f"not refused with {status}")


async def notes():
    store = PortalMemoryStore(url, lambda: token, agent_id=agent)
    ben, eve = "caller:user:ben", "caller:user:eve"
    put = await store.put(ben, "diet", "Ben is allergic to peanuts.", "tool", "2026-01-02T03:04:05.678Z", "what Ben must not eat")
    expect("updated_at", put.updated_at, "2026-01-02T03:04:05.678Z")
    expect("get", await store.get(ben, "diet"), put)
    expect("get of another namespace", await store.get(eve, "diet"), None)
    await store.put(eve, "diet", "Eve eats peanuts with everything.", "compaction")
    await store.put("shared", "house", "The house has a fire extinguisher.")
    expect("list", [e.key for e in await store.list([ben, "shared"])], ["house", "diet"])
    expect("list of all", len(await store.list(None)), 3)
    expect("list without compaction", len(await store.list(None, exclude_sources=["compaction", "owner"])), 2)
    expect("list by prefix", [e.namespace for e in await store.list(None, prefix="hou")], ["shared"])
    expect("search", [e.namespace for e in await store.search("peanuts", [ben, "shared"], 5)][:1], [ben])
    expect("search of all", {e.namespace for e in await store.search("peanuts", None)} >= {ben, eve}, True)
    expect("forget", [await store.forget(eve, "diet"), await store.forget(eve, "diet")], [True, False])
    await refused(store.put("elsewhere", "k", "x"), 400)
    await refused(PortalMemoryStore(url, lambda: token, agent_id="other").list(None), 403)
    await refused(PortalMemoryStore(url, lambda: "no token", agent_id=agent).list(None), 401)
    expect("another agent's notes", await PortalMemoryStore(url, lambda: other).list(None), [])


async def sync():
    """Two machines with local copies exchange their notes."""
    portal = PortalMemoryStore(url, lambda: token, agent_id=agent)
    with tempfile.TemporaryDirectory() as folder:
        machines = [SimpleNamespace(local=LocalMemoryStore(Path(folder) / str(n), agent), cursor=None, pushed=0) for n in range(2)]

        async def exchange(m):
            lines = m.local.log_since(m.pushed)
            if lines:
                await portal.push("owner", lines)
                m.pushed = m.local.last_log_seq
            more = True
            while more:
                lines, m.cursor, more = await portal.pull("owner", m.cursor)
                m.local.apply(lines)

        one, two = machines
        for n in range(120):
            one.local.put("owner", f"note-{n}", f"the content of note {n}", description=f"number {n}")
        for m in (one, two):
            await exchange(m)
        expect("copied", len(two.local.list(["owner"], limit=1000)), 120)
        two.local.put("owner", "note-7", "changed on two")
        one.local.forget("owner", "note-8")
        for m in (one, two, one):
            await exchange(m)
        for m in machines:
            expect("changed", m.local.get("owner", "note-7").content, "changed on two")
            expect("deleted", m.local.get("owner", "note-8"), None)
            expect("described", m.local.get("owner", "note-9").description, "number 9")
        expect("the same", *[[(e.key, e.content, e.updated_at) for e in m.local.list(None, limit=1000)] for m in machines])


async def entries():
    skill = MemorySkill(agent_id=agent)
    skill.agent = SimpleNamespace(api_key=token, id=agent)
    call = skill._handle_memory  # what its tool calls
    expect("set", await call(action="set", key="places//harbour/", value={"town": "Split"}, ttl=59.5), "OK")
    got = await call(action="get", key="places/harbour")
    expect("get", got["value"], {"town": "Split"})
    expect("get of a missing key", await call(action="get", key="missing"), None)
    expect("list", (await call(action="list", prefix="places/"))["keys"], ["places/harbour"])
    expect("search", (await call(action="search", query="Split"))["results"][0]["key"], "places/harbour")
    expect("share", await call(action="share", agent="other", level="search"), "OK")
    expect("stores", [s["kind"] for s in (await call(action="stores"))["stores"]], ["self"])
    expect("unshare", await call(action="unshare", agent="other"), "OK")
    expect("another's store", await call(action="get", store="other", key="k"), {"error": "Access denied"})
    expect("set_internal", await skill.set_internal("default", "cursor", "17"), True)
    expect("get_internal", (await skill.get_internal(agent, "cursor"))["value"], "17")
    expect("the tool does not list it", "cursor" in (await call(action="list"))["keys"], False)
    expect("delete", await call(action="delete", key="places/harbour"), "OK")


for part in (notes, sync, entries):
    asyncio.run(part())
    print("webagents:", part.__name__)
