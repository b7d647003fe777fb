"""Gives mneme's tools to models by google-genai, OpenAI Agents and Anthropic's SDK, each with a stand-in for the model's
API: MNEME_URL and MNEME_TOKEN say which server, and as whom. Every tool must arrive, and calls must do what they say.
"""

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from anthropic import AsyncAnthropic
from anthropic.lib.tools.mcp import async_mcp_tool
from calls import FAMILIES, TOOLS, calls_of, unmet
from google import genai
from google.genai import types
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from model import Model
from openai import AsyncOpenAI

URL, HEADERS = os.environ["MNEME_URL"] + "/mcp" + FAMILIES, {"Authorization": "Bearer " + os.environ["MNEME_TOKEN"]}
STRICT = {"memory_save", "memory_get", "memory_list", "memory_delete", "UpdateUserMemory", "ReadUserMemory"}  # those without free-form objects

calls = calls_of("check-" + uuid.uuid4().hex[:12])
checks = 0


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


def expect_results(sdk: str, model: Model) -> None:
    wrong = unmet(calls, model)
    expect(f"{sdk}: {wrong}", not wrong)


def stand_in() -> Model:
    return Model([(name, arguments) for name, arguments, _ in calls])


@asynccontextmanager
async def session() -> AsyncIterator[ClientSession]:
    async with (
        httpx2.AsyncClient(headers=HEADERS, timeout=60) as http,
        streamable_http_client(URL, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as one,
    ):
        await one.initialize()
        yield one


async def google() -> None:
    model = stand_in()
    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=model.url))
    async with session() as one:
        calling = types.AutomaticFunctionCallingConfig(maximum_remote_calls=len(calls) + 1)
        config = {"tools": [one], "automatic_function_calling": calling}  # a GenerateContentConfig would be copied with the session
        answer = await client.aio.models.generate_content(model="stand-in", contents="What of tea?", config=config)
    declared = [f for tool in model.requests[0]["tools"] for f in tool["functionDeclarations"]]
    expect("google-genai declares the tools", {f["name"] for f in declared} >= TOOLS)
    memory = next(f for f in declared if f["name"] == "memory")["parameters"]["properties"]
    expect("google-genai declares one type for each parameter", all(p.get("type") for p in memory.values()))
    expect("google-genai ends", answer.text == "done")
    expect_results("google-genai", model)


async def openai(strict: bool) -> None:
    model = stand_in()
    client = AsyncOpenAI(api_key="none", base_url=model.url)
    async with MCPServerStreamableHttp({"url": URL, "headers": HEADERS}, client_session_timeout_seconds=60) as server:
        api = OpenAIChatCompletionsModel("stand-in", client)
        agent = Agent("rememberer", model=api, mcp_servers=[server], mcp_config={"convert_schemas_to_strict": strict})
        answer = await Runner.run(agent, "What of tea?", max_turns=len(calls) + 1)
    declared = [tool["function"] for tool in model.requests[0]["tools"]]
    expect("OpenAI Agents declare the tools", {f["name"] for f in declared} >= TOOLS)
    expect("strict where it can be", TOOLS & {f["name"] for f in declared if f.get("strict")} == (STRICT if strict else set()))
    expect("OpenAI Agents end", answer.final_output == "done")
    expect_results("OpenAI Agents", model)


async def anthropic() -> None:
    model = stand_in()
    client = AsyncAnthropic(api_key="none", base_url=model.url)
    async with session() as one:
        tools = [async_mcp_tool(tool, one) for tool in (await one.list_tools()).tools]
        runner = client.beta.messages.tool_runner(
            model="stand-in", max_tokens=1000, tools=tools, messages=[{"role": "user", "content": "What of tea?"}]
        )
        answer = await runner.until_done()
    expect("Anthropic's SDK declares the tools", {tool["name"] for tool in model.requests[0]["tools"]} >= TOOLS)
    expect("Anthropic's SDK ends", answer.content[0].text == "done")
    expect_results("Anthropic's SDK", model)


async def main() -> None:
    set_tracing_disabled(True)
    await google()
    for strict in (False, True):
        await openai(strict)
    await anthropic()
    print(f"{checks} checks hold")


asyncio.run(main())
