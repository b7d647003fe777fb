"""Tools by which models remember, as functions that frameworks make tools of."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mneme import Mneme

from .collection import Collection, date_of, text_of


class MemoryTools:
    """The tools over one namespace of a store. Their descriptions are what models read."""

    def __init__(self, client: Mneme, store: str, namespace: str) -> None:
        self._entries = Collection(client, store, (namespace,))

    def all(self, read_only: bool) -> list[Callable[..., Awaitable[Any]]]:
        """Returns the tools; with read_only, that which only searches."""
        return [self.search_memory] if read_only else [self.search_memory, self.save_memory, self.delete_memory]

    async def search_memory(self, query: str, max_results: int = 5) -> dict[str, list[dict[str, Any]]]:
        """Search what was remembered, by words and meaning.

        Args:
            query: What to look for, as a question or words.
            max_results: The most memories to return, from 1 to 100.
        """
        hits = await asyncio.to_thread(self._entries.search, query, max_results)
        return {"memories": [{"key": hit.key, "text": text_of(hit), "date": date_of(hit), "relevance": round(hit.relevance, 2)} for hit in hits]}

    async def save_memory(self, key: str, text: str) -> str:
        """Remember a text. The text of a key that is known already is replaced.

        Args:
            key: A short name, like "diet/anna".
            text: What to remember, in one or a few sentences.
        """
        await asyncio.to_thread(self._entries.put, [{"key": key, "value": text}])
        return "saved"

    async def delete_memory(self, key: str) -> str:
        """Forget what was remembered under a key.

        Args:
            key: The key, as search_memory names it.
        """
        await asyncio.to_thread(self._entries.delete, [key])
        return "deleted"
