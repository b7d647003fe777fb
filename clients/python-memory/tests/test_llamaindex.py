"""A block of LlamaIndex's Memory."""

import asyncio
import re

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.memory import Memory
from mneme_memory.llamaindex import MnemeMemoryBlock


def user(text):
    return ChatMessage(role="user", content=text)


async def recalled(block, *given, **more):
    """Returns what a block recalls without the day before each text."""
    text = await block.aget(*given, **more)
    assert text == "" or re.match(r"\[20\d\d-\d\d-\d\d\] ", text)
    return re.sub(r"^\[[-\d]+\] ", "", text, flags=re.MULTILINE)


def test_messages_are_kept_and_those_that_fit_are_recalled(client):
    async def run():
        # The vector leg, which has the texts after about a second, finds all of them.
        block = MnemeMemoryBlock(client=client, min_relevance=0.05)
        await block.aput([user("Ada takes her tea green."), ChatMessage(role="assistant", content="The rent is due on the first.")])
        await block.aput([])
        assert await recalled(block, [user("And the rent?"), user("Tea?")]) == "Ada takes her tea green."
        assert await recalled(block, []) == "" and await recalled(block) == "" and await recalled(block, [user("")]) == ""
        both = await recalled(MnemeMemoryBlock(client=client, context_messages=2), [user("rent"), user("tea")])
        assert set(both.split("\n")) == {"Ada takes her tea green.", "The rent is due on the first."}
        assert len((await recalled(MnemeMemoryBlock(client=client, k=1, context_messages=2), [user("rent"), user("tea")])).split("\n")) == 1

    asyncio.run(run())


def test_long_messages_are_asked_with_their_beginning(client):
    async def run():
        block = MnemeMemoryBlock(client=client)
        await block.aput([user("Ada takes her tea green.")])
        assert await recalled(block, [user("Tea? " + "è" * 10_000)]) == "Ada takes her tea green."

    asyncio.run(run())


def test_of_a_message_with_a_picture_the_text_is_kept_with_a_mark(client):
    async def run():
        block = MnemeMemoryBlock(client=client)
        image = ImageBlock(image=b"\x89PNG\r\n\x1a\n" + bytes(300_000), image_mimetype="image/png")
        linked = ImageBlock(url="https://example.org/a.png")
        inline = TextBlock(text="![cup](data:image/gif;base64," + "R0lG" * 1000 + ")")
        await block.aput(
            [ChatMessage(role="user", blocks=[image, TextBlock(text="My tea pot."), linked, inline]), ChatMessage(role="user", blocks=[image])]
        )
        kept = ["[image/png, 300 kB, not kept] My tea pot. ![cup]([image/gif, 3 kB, not kept])"]
        assert [entry.value["text"] for entry in client.list(namespace="llamaindex")] == kept

    asyncio.run(run())


def test_sessions_are_recalled_all_or_each_alone(client):
    async def run():
        block = MnemeMemoryBlock(client=client)
        await block.aput([user("Tea of one.")], session_id="1")
        await block.aput([user("Tea of two.")], session_id="2")
        assert len((await recalled(block, [user("tea")], session_id="1")).split("\n")) == 2
        assert await recalled(MnemeMemoryBlock(client=client, same_session=True), [user("tea")], session_id="1") == "Tea of one."

    asyncio.run(run())


def test_what_leaves_the_chat_history_comes_back_from_the_block(client):
    memory = Memory.from_defaults(
        session_id="s", token_limit=60, chat_history_token_ratio=0.5, token_flush_size=20, memory_blocks=[MnemeMemoryBlock(client=client)]
    )
    memory.put(user("Ada takes her tea green."))
    for i in range(12):
        memory.put(ChatMessage(role="assistant" if i % 2 == 0 else "user", content=f"Line {i} of a long talk about something else altogether."))
    memory.put(user("Which tea for Ada?"))
    assert "tea green" in client.search("tea", namespace="llamaindex").hits[0].value["text"]
    assert "Ada takes her tea green." in str(memory.get()[0].content)


def test_a_token_shows_nowhere(monkeypatch):
    block = MnemeMemoryBlock(url="http://127.0.0.1:1", token="mneme-secret")
    assert "mneme-secret" not in repr(block) + str(block.model_dump()) + block.model_dump_json()
    monkeypatch.delenv("MNEME_TOKEN")
    with pytest.raises(ValueError, match="MNEME_TOKEN"):
        MnemeMemoryBlock()
