"""Talks to mneme by MCP's Python SDK, as a program with a model would: MNEME_URL and MNEME_TOKEN say which server,
and as whom. With MNEME, the program, it talks to `mneme mcp` on stdio too.
"""

import asyncio
import os
import tempfile
import uuid

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

FAMILIES = "memory,triggerfish,maestro"  # by default a list has only one of them
run = "check-" + uuid.uuid4().hex[:12]
checks = 0


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


async def remember(client: Client) -> None:
    """Saves, searches and deletes, whichever handshake the client used."""
    async with client:
        expect("the instructions say what it is for", "long-term memory" in (client.instructions or ""))
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        expect("the families are listed", {"memory", "memory_save", "ReadUserMemory"} <= set(tools))
        expect("reading tools are known as such", tools["memory_search"].annotations.read_only_hint is True)

        saved = await client.call_tool("memory_save", {"key": run, "content": "Ada drinks her tea at four."})
        wanted = {"saved": True, "key": run, "classification": "PUBLIC"}  # the result also names similar entries, or says that they are unknown yet
        expect("a save answers what it saved", saved.structured_content.items() >= wanted.items())
        found = await client.call_tool("memory_search", {"query": "when does Ada have tea?"})
        expect("a question finds it", run in [hit["key"] for hit in found.structured_content["results"]])
        seen = await client.call_tool("memory", {"command": "view", "path": f"/memories/{run}"})
        expect("it is a file too", seen.content[0].text.endswith("     1\tAda drinks her tea at four."))
        refused = await client.call_tool("memory", {"command": "view", "path": "/memories/../etc"})
        expect("a refusal is an answer for the model", refused.is_error is True)

        entry = {"name": run, "type": "user", "description": "when Ada has tea", "body": "At four."}
        await client.call_tool("UpdateUserMemory", {"action": "upsert", **entry})
        index = (await client.read_resource("mneme://self/MEMORY.md")).contents[0].text
        expect("the index is a resource", f"- [{run}]({run}.md) — when Ada has tea (" in index)
        try:
            await client.read_resource("mneme://another/MEMORY.md")
            expect("there is no index of another", False)
        except MCPError:
            pass
        await client.call_tool("memory_delete", {"key": run})


async def main() -> None:
    url, token = os.environ["MNEME_URL"], os.environ["MNEME_TOKEN"]
    for mode in ("auto", "legacy"):  # the protocol's newest revision, and the handshake before it
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
            await remember(Client(streamable_http_client(f"{url}/mcp?tools={FAMILIES}", http_client=http), mode=mode))
    if "MNEME" in os.environ:
        with tempfile.TemporaryDirectory() as folder:
            args = ["mcp", "--agent", "example", "--data-dir", folder, "--tools", FAMILIES]
            await remember(Client(StdioServerParameters(command=os.environ["MNEME"], args=args)))
    print(f"{checks} checks hold")


asyncio.run(main())
