"""A storage of CrewAI's unified memory."""

import asyncio
import copy
import json
from datetime import datetime, timedelta

import pytest
from conftest import stand_in
from crewai import LLM, Agent
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryMatch, MemoryRecord
from crewai.memory.unified_memory import Memory
from mneme_memory.crewai import MnemeStorage

NOW = datetime(2026, 5, 1, 12)
METADATA = {"Ada": {"floor": 2}, "Ben": {"date": "long ago"}, "Cyd": {}}


@pytest.fixture
def storage(client):
    return MnemeStorage(client=client)


@pytest.fixture
def filled(storage):
    storage.save(
        [
            MemoryRecord(id="tea", content="Ada takes her tea green.", scope="/home/ada", categories=["drink"], created_at=NOW),
            MemoryRecord(
                id="chai", content="Ben takes his tea as chai.", scope="/home/ben", categories=["drink", "spice"], created_at=NOW - timedelta(1)
            ),
            MemoryRecord(
                id="office", content="The tea of the office is black.", scope="/homework/", metadata={"floor": 2}, created_at=NOW - timedelta(2)
            ),
            MemoryRecord(id="rent", content="The rent is due on the first.", created_at=NOW - timedelta(3)),
        ]
    )
    return storage


def found(storage, text, min_score=0.05, **options):
    """Returns what fits: the vector leg, which has the texts after about a second, finds all of them."""
    return {record.id for record, _ in storage.search(storage.embed([text])[0], min_score=min_score, **options)}


def test_it_is_a_backend_and_keeps_records_whole(storage):
    assert isinstance(storage, StorageBackend)
    record = MemoryRecord(content="tea", scope="/a/b", categories=["c"], metadata={"d": [1, None]}, importance=0.9, source="e", private=True)
    storage.save([record])
    assert storage.get_record(record.id) == record and storage.get_record("none") is None
    storage.update(record.model_copy(update={"content": "coffee", "scope": "/a"}))
    assert storage.get_record(record.id).content == "coffee" and storage.count() == 1 and storage.count("/a/b") == 0


def test_of_a_picture_in_a_record_a_mark_is_kept(storage):
    url = "data:image/png;base64," + "iVBORw0K" * 50_000
    storage.save([MemoryRecord(id="cup", content=f"The cup: {url}", metadata={"pictures": [url]}, created_at=NOW)])
    kept = storage.get_record("cup")
    mark = "[image/png, 300 kB, not kept]"
    assert (kept.content, kept.metadata) == (f"The cup: {mark}", {"pictures": [mark]})


def test_records_are_found_by_text_scope_category_and_metadata(filled):
    assert found(filled, "tea") == {"tea", "chai", "office"}
    assert found(filled, "tea", scope_prefix="/home") == {"tea", "chai"} and found(filled, "tea", scope_prefix="/") == {"tea", "chai", "office"}
    assert found(filled, "tea", categories=["spice", "none"]) == {"chai"} and found(filled, "tea", metadata_filter={"floor": 2}) == {"office"}
    assert len(found(filled, "tea", limit=1)) == 1 and found(filled, "tea", min_score=1.0) == set() and found(filled, " ") == set()
    record, score = filled.search(filled.embed(["green tea of Ada"])[0])[0]
    assert record.id == "tea" and 0 < score <= 1
    assert asyncio.run(filled.asearch(filled.embed(["rent"])[0]))[0][0].id == "rent"


def test_a_match_says_of_which_day_it_is_and_what_is_kept_does_not(storage, client):
    records = [MemoryRecord(id=id, content=f"The boiler was mended by {id}.", created_at=NOW, metadata=metadata) for id, metadata in METADATA.items()]
    storage.save(records)
    entry, etag = client.get("Cyd", namespace="crewai")
    client.put("Cyd", entry.value, namespace="crewai", occurred_at="2024-11", if_match=etag)
    found = {record.id: record for record, _ in storage.search(storage.embed(["Who mended the boiler?"])[0])}
    dates = {id: MemoryMatch(record=record, score=1, match_reasons=[]).format().partition("date: ")[2] for id, record in found.items()}
    assert dates == {"Ada": "2026-05-01", "Ben": "long ago", "Cyd": "2024-11"}
    for record in found.values():
        storage.update(record)
    assert {record.id: record.metadata for record in storage.list_records()} == METADATA


def test_a_long_text_is_asked_with_its_beginning(filled):
    assert "tea" in found(filled, "green tea of Ada " + "è" * 10_000)


def test_a_vector_of_another_embedder_is_refused(filled):
    with pytest.raises(ValueError, match=r"embedder=storage\.embed"):
        filled.search([0.1] * 32)


def test_scopes_are_lists_with_their_children(filled):
    assert filled.list_scopes() == ["/home", "/homework"] and filled.list_scopes("/home/") == ["/home/ada", "/home/ben"]
    info = filled.get_scope_info("/home")
    assert (info.path, info.record_count, info.categories, info.child_scopes) == ("/home", 2, ["drink", "spice"], ["/home/ada", "/home/ben"])
    assert (info.oldest_record, info.newest_record) == (NOW - timedelta(1), NOW) and filled.get_scope_info("/none").record_count == 0
    assert filled.list_categories() == {"drink": 2, "spice": 1} and filled.list_categories("/home/ada") == {"drink": 1}
    assert [record.id for record in filled.list_records()] == ["tea", "chai", "office", "rent"]
    assert [record.id for record in filled.list_records("/home", limit=1, offset=1)] == ["chai"]


def test_what_is_deleted_fulfils_all_that_is_given(filled, client):
    client.put("mine", "tea")
    assert filled.delete(record_ids=[]) == 0 and filled.delete(record_ids=["tea", "none"], scope_prefix="/homework") == 0
    assert filled.delete(categories=["drink"], older_than=NOW) == 1 and filled.count() == 3
    assert filled.delete(metadata_filter={"floor": 2}) == 1 and asyncio.run(filled.adelete(record_ids=["tea"])) == 1
    filled.reset("/home")
    assert filled.count() == 1
    filled.reset()
    assert filled.count() == 0 and client.get("mine")[0].value == "tea"


def test_a_memory_remembers_and_recalls(storage, client):
    memory = Memory(storage=storage, embedder=storage.embed, llm=LLM(model="openai/gpt-5", api_key="none"))
    for text, scope in (("Ada takes her tea green.", "/ada"), ("The rent is due on the first.", "/home")):
        memory.remember(text, scope=scope, categories=["fact"], importance=0.5)
    memory.drain_writes()
    assert memory.recall("Which tea?", depth="shallow", limit=1)[0].record.content == "Ada takes her tea green."
    assert [match.record.scope for match in memory.recall("tea", scope="/ada", depth="shallow")] == ["/ada"]
    assert copy.deepcopy(storage) is storage
    memory.forget(scope="/ada")
    assert [entry.value["content"] for entry in client.list(namespace="crewai")] == ["The rent is due on the first."]


def test_an_agent_recalls(storage, monkeypatch):
    model = stand_in([])
    llm = LLM(model="openai/gpt-5", api_key="none", base_url=model.url + "/v1")
    memory = Memory(storage=storage, embedder=storage.embed, llm=llm)
    memory.remember("Ada takes her tea green.", scope="/", categories=["fact"], importance=0.5)
    memory.drain_writes()
    reader = Memory(storage=storage, embedder=storage.embed, llm=llm, read_only=True)  # the stand-in cannot say what is worth keeping
    Agent(role="assistant", goal="Help.", backstory="You remember.", llm=llm, memory=reader).kickoff("Which tea does Ada take?")
    assert "tea green" in json.dumps(model.requests)
