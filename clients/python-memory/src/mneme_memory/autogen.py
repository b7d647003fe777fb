"""Memory of AutoGen's agents: MnemeMemory is a Memory."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import uuid4

from autogen_core import CancellationToken, Component
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import SystemMessage
from mneme import Mneme
from mneme.generated.models import Hit
from pydantic import BaseModel, Field
from typing_extensions import Self

from . import attachment, connection
from .collection import Collection, date_of, question

T = TypeVar("T")


class MnemeMemoryConfig(BaseModel):
    """What a dump of the component has. The token is not of it: a component that is loaded takes MNEME_TOKEN."""

    url: str | None = None
    store: str = "self"
    namespace: str = "autogen"
    limit: int = Field(default=5, ge=1, le=100)
    min_relevance: float | None = Field(default=None, ge=0, le=1)


class MnemeMemory(Memory, Component[MnemeMemoryConfig]):
    """Keeps texts and JSON objects in a namespace of its own, and gives agents those that fit their last message. Of files
    that are in them as data URLs marks are kept.

    limit is the most memories of one answer, min_relevance the least probability that each fits. A result's metadata
    has, beside what was added with it, its id, its date and its score, the relevance.

    url, token, store and client are as for mneme_memory.langgraph.MnemeStore, and so are the errors.
    """

    component_type = "memory"
    component_provider_override = "mneme_memory.autogen.MnemeMemory"
    component_config_schema = MnemeMemoryConfig

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        store: str = "self",
        *,
        namespace: str = "autogen",
        limit: int = 5,
        min_relevance: float | None = None,
        client: Mneme | None = None,
    ) -> None:
        self._config = MnemeMemoryConfig(url=url, store=store, namespace=namespace, limit=limit, min_relevance=min_relevance)
        self._client = client or connection.connect(url, token)
        self._owned = client is None
        self._entries = Collection(self._client, store, (namespace,))

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Keeps a text or an object. TypeError tells that it is neither."""
        await linked(cancellation_token, self._entries.put, [{"key": uuid4().hex, "value": value_of(content)}])

    async def query(self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any) -> MemoryQueryResult:
        """Finds memories by words and meaning, best first. kwargs are options of Mneme.search: limit, where, match, …"""
        content = query if isinstance(query, str) else query.content
        if not isinstance(content, str):
            raise TypeError("a query is a text")
        options = {"limit": self._config.limit, "min_relevance": self._config.min_relevance, **kwargs}
        hits = await linked(cancellation_token, self._entries.search, content, **options)
        return MemoryQueryResult(results=[content_of(hit) for hit in hits])

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Adds the memories that fit the last message, as a message of the system."""
        messages = await model_context.get_messages()
        last = messages[-1].content if messages else ""
        asked = last if isinstance(last, str) else " ".join(part for part in last if isinstance(part, str))
        found = await self.query(question(asked))
        if found.results:
            lines = [f"{i}. {written(memory)}" for i, memory in enumerate(found.results, 1)]
            await model_context.add_message(SystemMessage(content="\nRelevant memory content:\n" + "\n".join(lines)))
        return UpdateContextResult(memories=found)

    async def clear(self) -> None:
        """Moves all memories of the namespace to the trash."""
        await asyncio.to_thread(self._entries.clear)

    async def close(self) -> None:
        """Closes the connections, unless the client was given."""
        if self._owned:
            self._client.close()

    def _to_config(self) -> MnemeMemoryConfig:
        return self._config

    @classmethod
    def _from_config(cls, config: MnemeMemoryConfig) -> Self:
        return cls(config.url, store=config.store, namespace=config.namespace, limit=config.limit, min_relevance=config.min_relevance)


async def linked(token: CancellationToken | None, call: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Calls in a thread, and stops waiting if the token is cancelled."""
    task = asyncio.ensure_future(asyncio.to_thread(call, *arguments, **options))
    if token is not None:
        token.link_future(task)
    return await task


def value_of(content: MemoryContent) -> Any:
    """Returns what is kept: a text alone as it is, else the content with its type and metadata."""
    if not isinstance(content.content, (str, dict)):
        raise TypeError("mneme keeps texts and JSON objects, not images or bytes")
    mime = content.mime_type.value if isinstance(content.mime_type, MemoryMimeType) else content.mime_type
    if isinstance(content.content, str) and mime == MemoryMimeType.TEXT.value and not content.metadata:
        return attachment.marked(content.content)
    return {"text": attachment.without_files(content.content), "mime_type": mime, "metadata": attachment.without_files(content.metadata or {})}


def content_of(hit: Hit) -> MemoryContent:
    value = hit.value
    metadata = {"id": hit.key, "score": hit.relevance, "date": date_of(hit)}
    if isinstance(value, dict) and value.keys() == {"text", "mime_type", "metadata"}:
        return MemoryContent(content=value["text"], mime_type=mime_type(value["mime_type"]), metadata={**value["metadata"], **metadata})
    if isinstance(value, dict):
        return MemoryContent(content=value, mime_type=MemoryMimeType.JSON, metadata=metadata)
    return MemoryContent(content=str(value), mime_type=MemoryMimeType.TEXT, metadata=metadata)


def written(memory: MemoryContent) -> str:
    """Returns a memory as a model reads it, after its date: an object as JSON."""
    text = memory.content if isinstance(memory.content, str) else json.dumps(memory.content, ensure_ascii=False, default=str)
    date = (memory.metadata or {}).get("date")
    return f"[{date}] {text}" if date else text


def mime_type(name: str) -> MemoryMimeType | str:
    try:
        return MemoryMimeType(name)
    except ValueError:
        return name
