"""A memory of AutoGen's agents."""

import asyncio

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken, Image
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import SystemMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient
from mneme import Invalid
from mneme_memory.autogen import MnemeMemory
from PIL import Image as Picture


def text(content, **metadata):
    return MemoryContent(content=content, mime_type=MemoryMimeType.TEXT, metadata=metadata or None)


def test_texts_and_objects_are_kept_and_found(client):
    async def run():
        memory = MnemeMemory(client=client)
        await memory.add(text("Ada takes her tea green."))
        await memory.add(text("Ben takes his tea black.", source="diary"))
        await memory.add(MemoryContent(content={"tea": "white", "cups": 3}, mime_type=MemoryMimeType.JSON))
        found = {str(m.content): m for m in (await memory.query("tea")).results}
        assert found.keys() == {"Ada takes her tea green.", "Ben takes his tea black.", "{'tea': 'white', 'cups': 3}"}
        assert found["Ben takes his tea black."].metadata["source"] == "diary"
        assert all(0 < m.metadata["score"] <= 1 and m.metadata["id"] for m in found.values())
        assert [m.mime_type for m in found.values() if isinstance(m.content, dict)] == [MemoryMimeType.JSON]
        assert len((await memory.query(text("tea"), limit=1)).results) == 1 and (await memory.query(" ")).results == []

    asyncio.run(run())


def test_of_a_file_in_a_text_or_an_object_a_mark_is_kept(client):
    async def run():
        memory = MnemeMemory(client=client)
        url = "data:image/png;base64," + "iVBORw0K" * 50_000
        await memory.add(text("My tea pot: " + url))
        await memory.add(
            MemoryContent(content={"tea": [url], "image": {"media_type": "image/gif", "data": "R0lG" * 1000}}, mime_type=MemoryMimeType.JSON)
        )
        kept = [
            {"tea": ["[image/png, 300 kB, not kept]"], "image": {"media_type": "image/gif", "data": "[image/gif, 3 kB, not kept]"}},
            "My tea pot: [image/png, 300 kB, not kept]",
        ]
        assert sorted([m.content for m in (await memory.query("tea")).results], key=str, reverse=True) == sorted(kept, key=str, reverse=True)

    asyncio.run(run())


def test_what_is_neither_is_refused(client):
    memory = MnemeMemory(client=client)
    for content in (b"bytes", Image(Picture.new("RGB", (1, 1)))):
        with pytest.raises(TypeError, match="texts and JSON objects"):
            asyncio.run(memory.add(MemoryContent(content=content, mime_type=MemoryMimeType.BINARY)))
    with pytest.raises(TypeError, match="query"):
        asyncio.run(memory.query(MemoryContent(content={}, mime_type=MemoryMimeType.JSON)))


def test_a_context_gets_what_fits_its_last_message(client):
    async def run():
        memory = MnemeMemory(client=client)
        context = BufferedChatCompletionContext(buffer_size=5)
        assert (await memory.update_context(context)).memories.results == []
        await memory.add(text("Ada takes her tea green."))
        await memory.add(text("The rent is due on the first."))
        await context.add_message(UserMessage(content="tea?", source="user"))
        updated = await memory.update_context(context)
        last = (await context.get_messages())[-1]
        date = updated.memories.results[0].metadata["date"]
        assert isinstance(last, SystemMessage) and last.content.startswith(f"\nRelevant memory content:\n1. [{date}] Ada takes her tea green.")
        assert len(date) == len("2026-01-01") and updated.memories.results[0].content == "Ada takes her tea green."
        await memory.add(MemoryContent(content={"chai": "hot"}, mime_type=MemoryMimeType.JSON))
        await context.add_message(UserMessage(content=["chai?"], source="user"))
        await memory.update_context(context)
        assert '{"chai": "hot"}' in (await context.get_messages())[-1].content

    asyncio.run(run())


def test_a_long_message_is_asked_with_its_beginning(client):
    async def run():
        memory = MnemeMemory(client=client)
        await memory.add(text("Ada takes her tea green."))
        context = BufferedChatCompletionContext(buffer_size=5)
        await context.add_message(UserMessage(content="Tea? " + "è" * 10_000, source="user"))
        found = await memory.update_context(context)
        assert [m.content for m in found.memories.results] == ["Ada takes her tea green."]
        with pytest.raises(Invalid, match="16000"):
            await memory.query("Tea? " + "è" * 10_000)

    asyncio.run(run())


def test_clear_leaves_what_is_not_its_own(client):
    async def run():
        client.put("mine", "tea")
        memory, other = MnemeMemory(client=client), MnemeMemory(client=client, namespace="other")
        await memory.add(text("tea"))
        await other.add(text("tea"))
        await memory.clear()
        assert (await memory.query("tea")).results == [] and len((await other.query("tea")).results) == 1
        assert client.get("mine")[0].value == "tea"
        await memory.close()  # leaves the client, which is not its own
        assert client.get("mine")[0].value == "tea"

    asyncio.run(run())


def test_a_cancelled_token_ends_the_call(client):
    async def run():
        token = CancellationToken()
        token.cancel()
        with pytest.raises(asyncio.CancelledError):
            await MnemeMemory(client=client).query("tea", token)

    asyncio.run(run())


def test_a_component_is_dumped_without_its_token_and_loaded(client, monkeypatch):
    dumped = MnemeMemory("http://127.0.0.1:1", "mneme-secret", namespace="n", limit=3).dump_component()
    assert "mneme-secret" not in dumped.model_dump_json()
    loaded = MnemeMemory.load_component(dumped)
    assert isinstance(loaded, MnemeMemory) and loaded._to_config().limit == 3 and loaded._to_config().namespace == "n"


def test_an_agent_recalls(client):
    async def run():
        memory = MnemeMemory(client=client)
        await memory.add(text("Ada takes her tea green."))
        model = ReplayChatCompletionClient(["Green."])
        await AssistantAgent("assistant", model, memory=[memory]).run(task="Which tea for Ada?")
        assert any("tea green" in str(message.content) for message in model.create_calls[0]["messages"])

    asyncio.run(run())
