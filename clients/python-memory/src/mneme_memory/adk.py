"""Long-term memory of Google's Agent Development Kit: MnemeMemoryService is a BaseMemoryService."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types
from mneme import Mneme
from mneme.generated.models import Hit

from . import attachment, connection, name
from .collection import Collection, date_of, text_of

NO_SESSION = "events"  # the first part of the keys of events without a session
MEMORY = "memory"  # that of memories which were added by themselves


class MnemeMemoryService(BaseMemoryService):
    """Keeps the texts of sessions' events, each user's of an app apart, in the namespace "APP.USER".

    An event is kept once, however often its session is added. What was deleted stays so: its key is noted in the
    namespace "APP.USER.deleted". Of pictures and files beside a text a mark is kept. limit is the most memories of one answer. The
    ids of memories that are found are their keys; one that was given to add_memory names the same memory.

    url, token, store and client are as for mneme_memory.langgraph.MnemeStore, and so are the errors.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, store: str = "self", *, limit: int = 10, client: Mneme | None = None
    ) -> None:
        self._client = client or connection.connect(url, token)
        self._store, self._limit = store, limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Adds the events of a session that were not added before."""
        await self.add_events_to_memory(app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Adds events that were not added before. custom_metadata, which must be JSON, is kept with each."""
        items = []
        for event in events:
            if text := text_of_content(event.content):
                at = datetime.fromtimestamp(event.timestamp, timezone.utc).isoformat()
                key = name.key(session_id or NO_SESSION, event.id)
                items.append(item(key, text, event.author, at, custom_metadata))
        await asyncio.to_thread(self._add, app_name, user_id, items)

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Sequence[MemoryEntry], custom_metadata: Mapping[str, object] | None = None
    ) -> None:
        """Adds memories. One with an id replaces the one before it; ValueError tells that one has no text."""
        items = []
        for memory in memories:
            text = text_of_content(memory.content)
            if not text:
                raise ValueError("a memory without text cannot be kept")
            key = key_of(memory.id or str(uuid4()))
            items.append(item(key, text, memory.author, zoned(memory.timestamp), {**memory.custom_metadata, **(custom_metadata or {})}))
        await asyncio.to_thread(self._collection(app_name, user_id).put, items)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Finds a user's memories by words and meaning, best first."""
        hits = await asyncio.to_thread(self._collection(app_name, user_id).search, query, self._limit)
        return SearchMemoryResponse(memories=[memory_of(hit) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Deletes the memory of this id, if there is one."""
        if memory_id:
            await asyncio.to_thread(self._delete, app_name, user_id, key_of(memory_id))

    def _collection(self, *labels: str) -> Collection:
        return Collection(self._client, self._store, labels)

    def _add(self, app_name: str, user_id: str, items: list[connection.Item]) -> None:
        keys = [item["key"] for item in items]
        kept = self._collection(app_name, user_id).read(keys)
        deleted = self._collection(app_name, user_id, "deleted").read(keys)
        new = [item for item, entry, note in zip(items, kept, deleted) if entry is None and note is None]
        self._collection(app_name, user_id).put(new)

    def _delete(self, app_name: str, user_id: str, key: str) -> None:
        if self._collection(app_name, user_id).read([key]) != [None]:
            self._collection(app_name, user_id, "deleted").put([{"key": key, "value": True}])
            self._collection(app_name, user_id).delete([key])


def key_of(id: str) -> str:
    """Returns the key of a memory: its id, if a search gave that, and else one made of the id."""
    parts = [unquote(part) for part in id.split("/")]
    return id if len(parts) == 2 and name.key(*parts) == id else name.key(MEMORY, id)


def zoned(at: str | None) -> str | None:
    """Returns a memory's time with its zone: ADK writes times of this machine's zone without one. A day stays a day."""
    try:
        known = datetime.fromisoformat(at.replace("Z", "+00:00")) if at and len(at) > len("2026-01-01") else None
    except ValueError:  # the server says what is wrong with it
        return at
    return known.astimezone().isoformat() if known else at


def text_of_content(content: types.Content | None) -> str:
    """Returns the texts of a content, and marks of the files beside them; nothing of files alone."""
    parts: Iterable[types.Part] = content.parts or [] if content else []
    told = [part for part in parts if not part.thought]
    return " ".join(filter(None, map(text_of_part, told))) if any(part.text for part in told) else ""


def text_of_part(part: types.Part) -> str:
    if part.text:
        return attachment.marked(part.text)
    file = part.inline_data
    return attachment.mark(file.mime_type or "", len(file.data)) if file and file.data else ""


def item(key: str, text: str, author: str | None, at: str | None, metadata: Mapping[str, object] | None) -> connection.Item:
    value: dict[str, Any] = {"text": text}
    if author:
        value["author"] = author
    if metadata:
        value["metadata"] = attachment.without_files(dict(metadata))
    return {"key": key, "value": value, **({"occurred_at": at} if at else {})}


def memory_of(hit: Hit) -> MemoryEntry:
    value = hit.value if isinstance(hit.value, dict) else {}
    author = value.get("author")
    return MemoryEntry(
        id=hit.key,
        content=types.Content(role="user" if author in (None, "user") else "model", parts=[types.Part(text=text_of(hit))]),
        author=author,
        timestamp=hit.occurred_at or date_of(hit) or None,
        custom_metadata=value.get("metadata", {}),
    )
