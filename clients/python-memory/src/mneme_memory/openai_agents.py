"""Memory of OpenAI's Agents SDK: MnemeSession keeps conversations, which it can search, and memory_tools are tools."""

import asyncio
import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any, cast

from agents import FunctionTool, RunContextWrapper, TResponseInputItem, default_tool_error_function, function_tool
from agents.memory import SessionABC, SessionSettings
from agents.memory.session_settings import resolve_session_limit
from mneme import Mneme, MnemeError
from mneme.generated.models import Entry

from . import attachment, connection
from .collection import Collection
from .tools import MemoryTools

SESSIONS = "sessions"  # the first label of the namespaces of conversations

FILES = ("image_url", "file_data")  # the members of parts of messages that hold a picture or a file


class MnemeSession(SessionABC):
    """The items of one conversation, in the namespace "sessions.SESSION" in the order in which they were added.

    Several processes may add to one session. url, token, store and client are as for
    mneme_memory.langgraph.MnemeStore, and so are the errors; an item may have 100 kB. Pictures and files that are in an
    item themselves, as data URLs, are not kept: a text in their place says what they were.
    """

    def __init__(
        self,
        session_id: str,
        url: str | None = None,
        token: str | None = None,
        store: str = "self",
        *,
        session_settings: SessionSettings | None = None,
        client: Mneme | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._entries = Collection(client or connection.connect(url, token), store, (SESSIONS, session_id))
        self._clock = Clock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns the items, the first added first: the last limit of them, all without one."""
        most = resolve_session_limit(limit, self.session_settings)
        entries = await self._list()
        return [cast(TResponseInputItem, entry.value) for entry in (entries if most is None else entries[max(0, len(entries) - most) :])]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items to the end, or none of them if the server refuses one. More than 1,000, or 8 MB, are added in parts:
        those before the part that is refused stay."""
        keys = self._clock.keys()
        await asyncio.to_thread(self._entries.put, [{"key": next(keys), "value": without_files(item)} for item in items], atomic=True)

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes the last item and returns it; None if there is none."""
        entries = await self._list()
        if not entries:
            return None
        await asyncio.to_thread(self._entries.delete, [entries[-1].key])
        return cast(TResponseInputItem, entries[-1].value)

    async def clear_session(self) -> None:
        """Moves all items to the trash."""
        await asyncio.to_thread(self._entries.clear)

    async def search(self, query: str, limit: int = 5, **options: Any) -> list[TResponseInputItem]:
        """Finds items by words and meaning, best first. options are those of Mneme.search."""
        hits = await asyncio.to_thread(self._entries.search, query, limit, **options)
        return [cast(TResponseInputItem, hit.value) for hit in hits]

    async def _list(self) -> list[Entry]:
        return await asyncio.to_thread(lambda: list(self._entries.list()))


def without_files(item: Any) -> Any:
    """Returns an item with a text in place of each picture and file that is in it itself. It can be sent to a model."""
    if isinstance(item, list):
        return [without_files(value) for value in item]
    if not isinstance(item, dict):
        return attachment.without_files(item)
    kind = item.get("type")
    if kind in ("input_image", "input_file"):
        data = [value for name in FILES if isinstance(value := item.get(name), str) and value.startswith("data:")]
        if data:
            head, _, digits = data[0][len("data:") :].partition(",")
            return {"type": "input_text", "text": attachment.in_base64(head.split(";")[0], digits)}
    if kind == "input_audio" and isinstance(sound := item.get("input_audio"), dict) and isinstance(sound.get("data"), str):
        return {"type": "input_text", "text": attachment.in_base64(f"audio/{sound.get('format', 'wav')}", sound["data"])}
    if kind == "image_generation_call" and isinstance(picture := item.get("result"), str):
        return {"role": "assistant", "content": attachment.in_base64("image/png", picture)}
    return {name: without_files(value) for name, value in item.items()}


class Clock:
    """Makes keys that are ordered as they were made, by all processes with the same time."""

    def __init__(self) -> None:
        self._last, self._lock = 0, threading.Lock()

    def keys(self) -> Iterator[str]:
        """Returns keys without end, after all that were returned before."""
        with self._lock:
            self._last = max(time.time_ns(), self._last + 1)
            at = self._last
        return (f"{at:020d}-{i:06d}" for i in itertools.count())


def memory_tools(
    url: str | None = None,
    token: str | None = None,
    store: str = "self",
    *,
    namespace: str = "openai-agents",
    read_only: bool = False,
    client: Mneme | None = None,
) -> list[FunctionTool]:
    """Returns the tools search_memory, save_memory and delete_memory over a namespace of their own; with read_only
    search_memory alone. What the server refuses is told to the model."""
    tools = MemoryTools(client or connection.connect(url, token), store, namespace)
    return [function_tool(tool, failure_error_function=told) for tool in tools.all(read_only)]


def told(context: RunContextWrapper[Any], error: Exception) -> str:
    """Returns what the model is told of an error: what the server refused, and of others nothing."""
    return str(error) if isinstance(error, (MnemeError, connection.ItemRefused)) else default_tool_error_function(context, error)
