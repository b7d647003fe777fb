"""OpenAI Agents with sessions in mneme and tools over it."""

import asyncio
import json

import pytest
from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.memory import Session, SessionSettings
from conftest import stand_in
from mneme import Forbidden
from mneme_memory import ItemRefused
from mneme_memory.openai_agents import MnemeSession, memory_tools
from openai import AsyncOpenAI

set_tracing_disabled(True)


def said(text):
    return {"role": "user", "content": text}


def agent(model, **more):
    api = OpenAIChatCompletionsModel("stand-in", AsyncOpenAI(api_key="none", base_url=model.url))
    return Agent("assistant", model=api, **more)


def test_items_come_back_as_they_were_in_their_order(client):
    async def run():
        session = MnemeSession("ada@example.com/1", client=client)
        assert isinstance(session, Session)
        await session.add_items([said("one"), {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": "ü"}'}])
        await session.add_items([])
        await MnemeSession("ada@example.com/1", client=client).add_items([said("three")])
        items = await session.get_items()
        assert items == [said("one"), {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": "ü"}'}, said("three")]
        assert await session.get_items(1) == [said("three")] and await session.get_items(0) == []
        assert await MnemeSession("ada@example.com/1", client=client, session_settings=SessionSettings(limit=2)).get_items() == items[1:]

    asyncio.run(run())


def test_the_last_item_is_taken_back_and_a_session_is_cleared(client):
    async def run():
        session, other = MnemeSession("a", client=client), MnemeSession("b", client=client)
        await session.add_items([said(str(i)) for i in range(1200)])
        await other.add_items([said("of another")])
        assert await session.pop_item() == said("1199") and len(await session.get_items()) == 1199
        await session.clear_session()
        assert await session.get_items() == [] and await session.pop_item() is None
        assert await other.get_items() == [said("of another")]

    asyncio.run(run())


def test_a_session_is_searched(client):
    async def run():
        session = MnemeSession("a", client=client)
        await session.add_items([said("Ada takes her tea green."), said("The rent is due on the first.")])
        await MnemeSession("b", client=client).add_items([said("Tea of another conversation.")])
        found = await session.search("tea")
        assert found[0] == said("Ada takes her tea green.") and said("Tea of another conversation.") not in found
        assert await session.search(" ") == []

    asyncio.run(run())


def test_items_of_which_one_is_too_large_are_not_added_and_the_error_does_not_show_it(client):
    session = MnemeSession("a", client=client)
    with pytest.raises(ItemRefused) as refused:
        asyncio.run(session.add_items([said("one"), said("secret " * 30_000), said("three")]))
    assert refused.value.status == 413 and "value" in refused.value.field and "secret" not in str(refused.value)
    assert asyncio.run(session.get_items()) == []


def test_of_a_turn_with_a_picture_the_text_is_kept(client):
    picture = {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64," + "iVBORw0K" * 50_000}
    letter = {"type": "input_file", "filename": "letter.pdf", "file_data": "data:application/pdf;base64," + "JVBERi0x" * 200}
    linked = {"type": "input_image", "detail": "auto", "image_url": "https://example.org/a.png"}
    text = {"type": "input_text", "text": "What is data:image/png;base64?"}
    call = {"type": "function_call_output", "call_id": "c", "output": [picture, text]}
    sound = {"type": "input_audio", "input_audio": {"data": "UklG" * 100_000, "format": "wav"}}
    drawn = {"type": "image_generation_call", "id": "i", "status": "completed", "result": "iVBORw0K" * 50_000}
    inline = {"role": "assistant", "content": "Here: ![](" + picture["image_url"] + ")"}

    async def run():
        session = MnemeSession("a", client=client)
        await session.add_items([{"role": "user", "content": [text, picture, letter, linked, sound]}, call, drawn, inline])
        mark = {"type": "input_text", "text": "[image/png, 300 kB, not kept]"}
        kept = [text, mark, {"type": "input_text", "text": "[application/pdf, 1 kB, not kept]"}, linked]
        kept.append({"type": "input_text", "text": "[audio/wav, 300 kB, not kept]"})
        told = [
            {"role": "assistant", "content": "[image/png, 300 kB, not kept]"},
            {"role": "assistant", "content": "Here: ![]([image/png, 300 kB, not kept])"},
        ]
        assert await session.get_items() == [{"role": "user", "content": kept}, {**call, "output": [mark, text]}, *told]
        assert await session.search("iVBORw0K", min_relevance=0.5) == []

    asyncio.run(run())


def test_a_refusal_of_all_items_is_the_clients_error(client):
    with pytest.raises(Forbidden):
        asyncio.run(MnemeSession("a", store="of-another", client=client).add_items([said("one")]))


def test_a_run_goes_on_with_its_session(client):
    session = MnemeSession("a", client=client)
    Runner.run_sync(agent(stand_in([])), "I like my tea green.", session=session)
    model = stand_in([])
    Runner.run_sync(agent(model), "What did I say?", session=session)
    assert [message["content"] for message in model.requests[0]["messages"] if message["role"] == "user"] == [
        "I like my tea green.",
        "What did I say?",
    ]


def test_a_model_remembers_by_the_tools(client):
    model = stand_in(
        [
            ("save_memory", {"key": "drink", "text": "Ada takes her tea green."}),
            ("search_memory", {"query": "tea", "max_results": 3}),
            ("save_memory", {"key": "a//b", "text": "refused"}),
            ("delete_memory", {"key": "drink"}),
            ("search_memory", {"query": "tea", "max_results": 3}),
        ]
    )
    Runner.run_sync(agent(model, tools=memory_tools(client=client)), "What of tea?")
    results = [request["messages"][-1]["content"] for request in model.requests[1:]]
    assert results[0] == "saved" and "tea green" in results[1] and "422" in results[2] and results[3:] == ["deleted", "{'memories': []}"]
    assert [tool.name for tool in memory_tools(client=client, read_only=True)] == ["search_memory"]
    save = next(tool["function"] for tool in model.requests[0]["tools"] if tool["function"]["name"] == "save_memory")
    assert save["parameters"]["required"] == ["key", "text"] and "diet/anna" in json.dumps(save)
