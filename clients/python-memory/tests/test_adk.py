"""A memory service of Google's ADK."""

import asyncio
import time

import pytest
from conftest import stand_in
from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools import load_memory
from google.genai import types
from mneme_memory.adk import MnemeMemoryService

APP, USER = "tea.app", "ada@example.com"


def content(text, role="user"):
    return types.Content(role=role, parts=[types.Part(text=text)])


def event(id, text, author="user", at=1_700_000_000.0):
    return Event(id=id, author=author, timestamp=at, content=content(text, "user" if author == "user" else "model"))


def session(*events, id="s1", user=USER):
    return Session(id=id, app_name=APP, user_id=user, events=list(events))


async def texts(service, query, user=USER):
    found = await service.search_memory(app_name=APP, user_id=user, query=query)
    return [memory.content.parts[0].text for memory in found.memories]


def test_a_session_is_remembered_once_however_often_it_is_added(client):
    async def run():
        service = MnemeMemoryService(client=client)
        first, second = event("1", "I take my tea green."), event("2", "Noted: green tea.", "assistant")
        await service.add_session_to_memory(session(first))
        await service.add_session_to_memory(session(first, second, Event(id="3", author="user")))
        found = (await service.search_memory(app_name=APP, user_id=USER, query="green tea")).memories
        assert {(m.content.role, m.author, m.content.parts[0].text) for m in found} == {
            ("user", "user", "I take my tea green."),
            ("model", "assistant", "Noted: green tea."),
        }
        assert all(m.timestamp == "2023-11-14T22:13:20Z" for m in found)
        assert len(list(client.list())) == 2 and all(entry.version == 1 for entry in client.list())

    asyncio.run(run())


def test_of_an_event_with_a_picture_the_text_is_kept_with_a_mark(client):
    async def run():
        service = MnemeMemoryService(client=client)
        picture = types.Part(inline_data=types.Blob(mime_type="image/png", data=bytes(300_000)))
        spoken = types.Part(text="My tea pot:")
        events = [
            Event(id=str(i), author="user", content=types.Content(role="user", parts=parts)) for i, parts in enumerate([[spoken, picture], [picture]])
        ]
        await service.add_events_to_memory(app_name=APP, user_id=USER, events=events)
        assert [entry.value["text"] for entry in client.list()] == ["My tea pot: [image/png, 300 kB, not kept]"]
        assert await texts(service, "tea pot") == ["My tea pot: [image/png, 300 kB, not kept]"]

    asyncio.run(run())


def test_users_are_apart(client):
    async def run():
        service = MnemeMemoryService(client=client)
        await service.add_session_to_memory(session(event("1", "My tea is green.")))
        await service.add_session_to_memory(session(event("1", "My tea is black."), user="ada@example"))
        assert await texts(service, "tea") == ["My tea is green."] and await texts(service, "tea", "ada@example") == ["My tea is black."]
        assert await texts(service, "tea", "ada@example.com.deleted") == [] and await texts(service, "") == []

    asyncio.run(run())


def test_events_and_memories_are_added_by_themselves(client):
    async def run():
        service = MnemeMemoryService(client=client)
        await service.add_events_to_memory(app_name=APP, user_id=USER, events=[event("1", "Tea at four.")], custom_metadata={"mood": "good"})
        memory = MemoryEntry(id="m", content=content("Tea with Ben."), custom_metadata={"source": "diary"}, author="user", timestamp="2024-05-01")
        await service.add_memory(app_name=APP, user_id=USER, memories=[memory])
        found = {m.content.parts[0].text: m for m in (await service.search_memory(app_name=APP, user_id=USER, query="tea")).memories}
        written = next(client.list(where={"value.text": {"eq": "Tea with Ben."}}))
        client.put("plain", "Tea without a day.", namespace=written.namespace)
        again = (await service.search_memory(app_name=APP, user_id=USER, query="tea")).memories
        assert {m.content.parts[0].text: m for m in again}[
            "Tea without a day."
        ].timestamp == f"{client.get('plain', namespace=written.namespace)[0].updated_at:%Y-%m-%d}"
        assert found["Tea at four."].custom_metadata == {"mood": "good"}
        assert found["Tea with Ben."].custom_metadata == {"source": "diary"} and found["Tea with Ben."].timestamp == "2024-05-01"
        with pytest.raises(ValueError, match="without text"):
            await service.add_memory(app_name=APP, user_id=USER, memories=[MemoryEntry(content=types.Content(parts=[]))])

    asyncio.run(run())


def test_a_time_without_a_zone_is_of_this_machines(client, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        memories = [
            MemoryEntry(id=at, content=content(f"Tea at {at}."), timestamp=at) for at in ("2024-05-01T09:30:00", "2024-05-01T09:30:00Z", "2024-05")
        ]
        asyncio.run(MnemeMemoryService(client=client).add_memory(app_name=APP, user_id=USER, memories=memories))
        assert {entry.occurred_at for entry in client.list()} == {"2024-05-01T04:00:00Z", "2024-05-01T09:30:00Z", "2024-05"}
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("id", ["m", "diary/1", "a/b/c", "notes/5 % 25%/ü.md", "/", "50%25", None])
def test_a_memory_is_known_by_its_id_and_by_that_of_a_search(client, id):
    async def run():
        service = MnemeMemoryService(client=client)
        await service.add_memory(app_name=APP, user_id=USER, memories=[MemoryEntry(id=id, content=content("Tea with Ben."))])
        memory = (await service.search_memory(app_name=APP, user_id=USER, query="tea")).memories[0]
        for known in filter(None, (memory.id, id)):
            changed = memory.model_copy(update={"id": known, "content": content("Tea with Cem.")})
            await service.add_memory(app_name=APP, user_id=USER, memories=[changed])
            assert await texts(service, "tea") == ["Tea with Cem."]
            await service.delete_memory(app_name=APP, user_id=USER, memory_id=known)
            assert await texts(service, "tea") == []

    asyncio.run(run())


def test_an_event_that_was_found_is_replaced(client):
    async def run():
        service = MnemeMemoryService(client=client)
        await service.add_events_to_memory(app_name=APP, user_id=USER, events=[event("1.5", "Tea at four.")], session_id="a/b")
        found = (await service.search_memory(app_name=APP, user_id=USER, query="tea")).memories[0]
        await service.add_memory(app_name=APP, user_id=USER, memories=[found.model_copy(update={"content": content("Tea at five.")})])
        assert await texts(service, "tea") == ["Tea at five."]

    asyncio.run(run())


def test_what_was_deleted_does_not_come_back_with_its_session(client):
    async def run():
        service = MnemeMemoryService(client=client)
        talk = session(event("1", "Tea is green."), event("2", "Tea is hot."))
        await service.add_session_to_memory(talk)
        found = (await service.search_memory(app_name=APP, user_id=USER, query="tea")).memories
        await service.delete_memory(app_name=APP, user_id=USER, memory_id=next(m.id for m in found if "green" in m.content.parts[0].text))
        await service.delete_memory(app_name=APP, user_id=USER, memory_id="s1/none")
        await service.delete_memory(app_name=APP, user_id=USER)
        await service.add_session_to_memory(talk)
        assert await texts(service, "tea") == ["Tea is hot."]

    asyncio.run(run())


def test_an_agent_recalls_by_load_memory(client, monkeypatch):
    model = stand_in([("load_memory", {"query": "Which tea?"})])
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", model.url)
    monkeypatch.setenv("GOOGLE_API_KEY", "none")

    async def run():
        service = MnemeMemoryService(client=client)
        await service.add_session_to_memory(session(event("1", "I take my tea green.")))
        agent = LlmAgent(name="assistant", model="gemini-3-flash", tools=[load_memory])
        runner = Runner(app_name=APP, agent=agent, session_service=InMemorySessionService(), memory_service=service)
        await runner.run_debug("Which tea do I take?", user_id=USER, quiet=True)

    asyncio.run(run())
    assert "tea green" in str(model.requests[1]["contents"][-1])
