"""The entries of one namespace of a store, in which a framework's memory keeps what it remembers."""

import builtins
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from mneme import Mneme
from mneme.generated.models import BatchOutcome, Entry, Hit

from . import attachment, connection, name

MAX_QUESTION = 16_000  # bytes that the server reads


def question(text: str) -> str:
    """Returns as much of a text as a question may have, for those that nobody worded as one."""
    return text.encode()[:MAX_QUESTION].decode(errors="ignore")


class Collection:
    """Entries of the namespace of the labels. Methods raise mneme's errors, and connection.ItemRefused for an item of many."""

    def __init__(self, client: Mneme, store: str, labels: name.Namespace) -> None:
        self._client, self._store = client, store
        self._namespace = name.join(labels)

    def put(self, items: list[connection.Item], atomic: bool = False) -> None:
        """Writes items: key, value, and what else an entry has. With atomic, all that fit in a batch are written or none."""
        self._do("put", items, atomic)

    def read(self, keys: list[str]) -> list[Entry | None]:
        """Returns the entries of the keys; None for those that are not there."""
        outcomes = self._do("get", [{"key": key} for key in keys])
        return [outcome.entry if isinstance(outcome.entry, Entry) else None for outcome in outcomes]

    def delete(self, keys: list[str]) -> None:
        """Moves entries to the trash, those that are there."""
        self._do("delete", [{"key": key} for key in keys])

    def clear(self) -> None:
        """Moves all entries to the trash."""
        self.delete([entry.key for entry in self.list()])

    def list(self, where: name.Condition | None = None) -> Iterator[Entry]:
        """Yields all entries, or those that fulfil a condition, by their keys."""
        return self._client.list(store=self._store, namespace=self._namespace, where=where)

    def search(self, query: str, limit: int, **options: Any) -> builtins.list[Hit]:
        """Returns the hits of a question, best first; none of an empty one. options are those of Mneme.search."""
        if not query.strip():
            return []
        return self._client.search(query, stores=[self._store], namespace=self._namespace, limit=limit, **options).hits

    def each_hit(self, query: str, page: int, **options: Any) -> Iterator[Hit]:
        """Yields the hits of a question, best first, page after page, as far as the server goes."""
        cursor = ""
        while query.strip():
            answer = self._client.search(query, stores=[self._store], namespace=self._namespace, limit=page, cursor=cursor, **options)
            yield from answer.hits
            if not answer.next_cursor:
                return
            cursor = answer.next_cursor

    def _do(self, operation: str, items: builtins.list[connection.Item], atomic: bool = False) -> builtins.list[BatchOutcome]:
        return connection.do(self._client, self._store, [{"op": operation, "namespace": self._namespace, **item} for item in items], atomic)


def text_of(hit: Hit) -> str:
    """Returns the text of a hit as it is shown: of an object its member text."""
    if isinstance(hit.value, dict) and isinstance(hit.value.get("text"), str):
        return attachment.marked(hit.value["text"], kept=True)
    if isinstance(hit.value, str):
        return attachment.marked(hit.value, kept=True)
    if hit.passages:
        return "\n…\n".join(passage.text for passage in hit.passages)
    return attachment.marked(str(hit.value), kept=True)


def date_of(hit: Entry | Hit) -> str:
    """Returns when what an entry tells of happened, or else when it was written: a day, or a month or
    year alone; empty of a store that may be searched alone."""
    if hit.occurred_at:
        return str(hit.occurred_at)[:10]
    return f"{hit.updated_at:%Y-%m-%d}" if isinstance(hit.updated_at, datetime) else ""
