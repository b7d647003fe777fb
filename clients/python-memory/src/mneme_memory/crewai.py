"""Storage of CrewAI's unified memory: MnemeStorage is a StorageBackend.

CrewAI asks its storage with vectors alone. mneme has its own models, and asks with texts: so the storage is the
memory's embedder, too, which remembers of which text it made a vector.
"""

import asyncio
import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

from crewai.memory.types import MemoryRecord, ScopeInfo
from mneme import Mneme
from mneme.generated.models import Entry, Hit

from . import attachment, connection, name
from .collection import Collection, question

MAX_TEXTS = 10_000  # whose vectors are remembered
PAGE = 100  # hits of one page, the most that the server gives


class MnemeStorage:
    """Keeps records in a namespace of its own, and finds them by words and meaning:

        storage = MnemeStorage()
        memory = Memory(storage=storage, embedder=storage.embed)

    The score of a record is its relevance, a probability. Of which day a record is, agents read in its metadata: a search
    adds "date" to what has none, and save leaves that out. A search finds at most 400 records, before categories and
    metadata are looked at. url, token, store and client are as for mneme_memory.langgraph.MnemeStore, and so are the errors.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, store: str = "self", *, namespace: str = "crewai", client: Mneme | None = None
    ) -> None:
        self._entries = Collection(client or connection.connect(url, token), store, (namespace,))
        self._texts = Texts()

    def __deepcopy__(self, memo: dict[int, Any]) -> "MnemeStorage":
        """Returns the storage itself, as crews are copied with their memory."""
        return self

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Returns a vector for each text, by which search knows it again: equal for equal texts, and far apart for others."""
        return [self._texts.vector(text) for text in texts]

    def save(self, records: list[MemoryRecord]) -> None:
        """Writes records, in place of those with the same ids."""
        self._entries.put([{"key": name.key(record.id), "value": value_of(record)} for record in records])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Finds records with their relevance, best first. ValueError tells that embed did not make the vector."""
        text = question(self._texts.text(query_embedding))  # maybe all of a message or record
        where = within(scope_prefix)
        found: list[tuple[MemoryRecord, float]] = []
        for hit in self._entries.each_hit(text, PAGE, where=where, min_relevance=min_score or None):
            record = record_of(hit)
            if len(found) < limit and fits(record, categories, None, metadata_filter):
                record.metadata.setdefault("date", Day(str(hit.occurred_at)[:10] if hit.occurred_at else f"{utc(record.created_at):%Y-%m-%d}"))
                found.append((record, hit.relevance))
            if len(found) >= limit:
                break
        return found

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Deletes the records that fulfil all that is given, and returns how many. Without anything it deletes all."""
        wanted = None if record_ids is None else set(record_ids)
        gone = [r.id for r in self._records(scope_prefix) if (wanted is None or r.id in wanted) and fits(r, categories, older_than, metadata_filter)]
        self._entries.delete([name.key(id) for id in gone])
        return len(gone)

    def update(self, record: MemoryRecord) -> None:
        """Replaces the record with the same id."""
        self.save([record])

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Returns a record; None if it is not there."""
        entry = self._entries.read([name.key(record_id)])[0]
        return record_of(entry) if entry else None

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """Returns the records of a scope and those below it, newest first."""
        newest_first = sorted(self._records(scope_prefix), key=lambda record: utc(record.created_at), reverse=True)
        return newest_first[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Returns what there is in a scope and below it."""
        records = list(self._records(scope))
        times = sorted((record.created_at for record in records), key=utc)
        return ScopeInfo(
            path=clean(scope),
            record_count=len(records),
            categories=sorted({category for record in records for category in record.categories}),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
            child_scopes=children(scope, records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Returns the scopes right below one."""
        return children(parent, self._records(parent))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Returns how many records of a scope, and below it, have each category."""
        return dict(Counter(category for record in self._records(scope_prefix) for category in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """Returns how many records a scope has, with those below it."""
        return sum(1 for _ in self._records(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Deletes the records of a scope and below it; all without one."""
        self.delete(scope_prefix=scope_prefix)

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Writes records, as save does."""
        await asyncio.to_thread(self.save, records)

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Finds records, as search does."""
        return await asyncio.to_thread(self.search, query_embedding, scope_prefix, categories, metadata_filter, limit, min_score)

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Deletes records, as delete does."""
        return await asyncio.to_thread(self.delete, scope_prefix, categories, record_ids, older_than, metadata_filter)

    def _records(self, scope_prefix: str | None) -> Iterator[MemoryRecord]:
        return (record_of(entry) for entry in self._entries.list(where=within(scope_prefix)))


class Day(str):
    """The day of which a record is, in the metadata of one that was found: it is not kept."""


class Texts:
    """The texts of the last vectors that were made."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[float, ...], str] = OrderedDict()
        self._lock = threading.Lock()

    def vector(self, text: str) -> list[float]:
        """Returns 32 numbers from -1 to 1, made of the text's SHA-256."""
        vector = [byte / 127.5 - 1 for byte in hashlib.sha256(text.encode()).digest()]
        with self._lock:
            self._texts[tuple(vector)] = text
            self._texts.move_to_end(tuple(vector))
            if len(self._texts) > MAX_TEXTS:
                self._texts.popitem(last=False)
        return vector

    def text(self, vector: list[float]) -> str:
        with self._lock:
            text = self._texts.get(tuple(vector))
        if text is None:
            raise ValueError("the vector is of another embedder: make the memory with embedder=storage.embed")
        return text


def value_of(record: MemoryRecord) -> dict[str, Any]:
    metadata = {member for member, value in record.metadata.items() if isinstance(value, Day)}
    kept = attachment.without_files(record.model_dump(mode="json", exclude={"id": True, "scope": True, "metadata": metadata}))
    return {**kept, "id": record.id, "scope": clean(record.scope)}


def record_of(entry: Entry | Hit) -> MemoryRecord:
    return MemoryRecord.model_validate(entry.value)


def clean(scope: str) -> str:
    """Returns a scope with a slash before it and none behind it."""
    return "/" + scope.strip("/")


def within(scope: str | None) -> name.Condition | None:
    """Returns the condition that a record is in a scope or below it; None of the root."""
    if scope is None or clean(scope) == "/":
        return None
    return {"or": [{"value.scope": {"eq": clean(scope)}}, {"value.scope": {"prefix": clean(scope) + "/"}}]}


def fits(record: MemoryRecord, categories: list[str] | None, older_than: datetime | None, metadata: dict[str, Any] | None) -> bool:
    """Reports whether a record has one of the categories and all of the metadata, and was made before a time."""
    return (
        (not categories or any(category in record.categories for category in categories))
        and (older_than is None or utc(record.created_at) < utc(older_than))
        and all(record.metadata.get(member) == value for member, value in (metadata or {}).items())
    )


def utc(at: datetime) -> datetime:
    """Returns a time with its zone, which is UTC if it has none, as CrewAI's times have."""
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def children(parent: str, records: "Iterator[MemoryRecord] | list[MemoryRecord]") -> list[str]:
    prefix = clean(parent).rstrip("/") + "/"
    below = {record.scope[len(prefix) :].split("/")[0] for record in records if record.scope.startswith(prefix)}
    return sorted(prefix + child for child in below - {""})
