"""AutoGen's reader of schemas takes every tool, and its tools can be called: MNEME_URL and MNEME_TOKEN say which server,
and as whom. AutoGen wants an older mcp than the check beside this folder, and so an environment of its own.
"""

import asyncio
import os
import uuid

from autogen_core import CancellationToken
from autogen_ext.tools.mcp import StreamableHttpServerParams, mcp_server_tools

TOOLS = {"memory", "memory_save", "memory_get", "memory_search", "memory_list", "memory_delete", "UpdateUserMemory", "ReadUserMemory"}


async def main() -> None:
    key = "check-" + uuid.uuid4().hex[:12]
    server = StreamableHttpServerParams(url=os.environ["MNEME_URL"] + "/mcp", headers={"Authorization": "Bearer " + os.environ["MNEME_TOKEN"]})
    tools = {tool.name: tool for tool in await mcp_server_tools(server)}
    if set(tools) != TOOLS:
        raise SystemExit(f"the tools are {sorted(tools)}")
    for tool in tools.values():
        print(tool.name, "with", len(tool.schema["parameters"]["properties"]), "parameters")
    for name, arguments, result in (
        ("memory_save", {"key": key, "content": "Ada drinks her tea at four.", "tags": [key]}, '"saved":true'),
        ("memory_search", {"query": "when does Ada have tea?", "where": {"tags": {"contains": key}}, "max_results": 1}, "tea at four"),
        ("memory", {"command": "create", "path": f"/memories/{key}", "content": '{"at": 4}', "is_json": True}, "overwritten"),
        ("memory", {"command": "view", "path": f"/memories/{key}"}, '"at": 4'),
        ("memory_delete", {"key": key}, '"deleted":true'),
    ):
        said = tools[name].return_value_as_string(await tools[name].run_json(arguments, CancellationToken()))
        if result not in said and result.replace('"', '\\"') not in said:
            raise SystemExit(f"{name} {arguments} answers {said}")
    print("AutoGen takes and calls the tools")


asyncio.run(main())
