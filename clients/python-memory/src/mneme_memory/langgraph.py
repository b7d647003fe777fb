"""Long-term memory of LangGraph: MnemeStore is a BaseStore.

A namespace ("users", "ada") is mneme's "users.ada". An item's value is an entry's, and the text of all of it is
searched. The package's README tells the limits.
"""

import asyncio
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from itertools import islice
from typing import Any
from urllib.parse import quote
from uuid import UUID

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from mneme import Mneme
from mneme.generated.models import BatchOutcome, Entry, Hit

from . import connection, filter, name
from .name import Condition, Namespace

PAGE = 100  # hits of one page, the most that the server gives
UNSEARCHED = "langgraph:index=false"  # the tag of what no query is to find


class MnemeStore(BaseStore):
    """Items of LangGraph as entries of a mneme store.

    The token determines whose memories these are; store may name a store that is shared with them for reading or
    writing. client, if given, is used in place of one for url and token. Without any of them MNEME_URL and MNEME_TOKEN
    say which server, and as whom.

    Calls raise mneme's errors, ItemRefused for an item that the server refuses, InvalidNamespaceError for a label that
    is not a text, is empty, or has a dot or NUL, and ValueError for a filter with another operator than LangGraph's six.
    """

    supports_ttl = True

    def __init__(self, url: str | None = None, token: str | None = None, store: str = "self", *, client: Mneme | None = None) -> None:
        self._client = client or connection.connect(url, token)
        self._store = store

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Does operations. Reads see what was there before; of several puts of one key the last counts."""
        ops = list(ops)
        for op in ops:
            check(op)
        results: list[Result] = [None] * len(ops)
        for i, op in enumerate(ops):
            match op:
                case SearchOp():
                    results[i] = self._search(op)
                case ListNamespacesOp():
                    results[i] = self._namespaces(op)
        gets = {i: getting(op) for i, op in enumerate(ops) if isinstance(op, GetOp)}
        puts = {(op.namespace, op.key): putting(op) for op in ops if isinstance(op, PutOp)}
        outcomes = connection.send(self._client, self._store, [*gets.values()])
        for i, outcome in zip(gets, outcomes):
            if isinstance(outcome.entry, Entry):
                results[i] = item_of(outcome.entry)
        outcomes += self._write([*puts.values()])
        connection.check([*gets.values(), *puts.values()], outcomes)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Does operations, as batch does, without blocking the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _write(self, items: list[connection.Item]) -> list[BatchOutcome]:
        """Does puts and deletes. LangGraph's put replaces an item with its time to live, where mneme's keeps the expiry of
        an entry: one that had an expiry is put again to live as long as a new one. A caller who may not change that leaves it.
        """
        outcomes = connection.send(self._client, self._store, items)
        ending: dict[int, Entry] = {}
        for i, (item, outcome) in enumerate(zip(items, outcomes)):
            replaced = item["op"] == "put" and "ttl" not in item and outcome.status == 200
            if replaced and isinstance(outcome.entry, Entry) and isinstance(outcome.entry.expires_at, datetime):
                ending[i] = outcome.entry
        if ending:
            ttl = self._default_ttl(next(iter(ending.values())).updated_by)
            again = connection.send(self._client, self._store, [items[i] | {"ttl": ttl} for i in ending])
            for i, outcome in zip(ending, again):
                if outcome.status != 403:
                    outcomes[i] = outcome
        return outcomes

    def _default_ttl(self, agent: str) -> int:
        """Returns how many seconds an agent's new entries live, 0 for ever."""
        return int(self._client._json("GET", f"/v1/agents/{quote(agent, safe='')}/settings").get("default_ttl", 0))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        where = [*name.below(op.namespace_prefix), *filter.conditions(op.filter)]
        found = self._asked(op.query, where) if op.query else map(listed, self._entries(where))
        kept = (item for item in found if filter.passes(item.value, op.filter))
        return list(islice(kept, op.offset, op.offset + op.limit))

    def _asked(self, query: str, where: list[Condition]) -> Iterator[SearchItem]:
        """Yields the hits of a query, best first."""
        condition = {"and": [*where, {"not": {"tags": {"contains": UNSEARCHED}}}]}
        cursor = ""
        while True:
            answer = self._client.search(query, stores=[self._store], where=condition, limit=PAGE, cursor=cursor)
            yield from map(found, answer.hits)
            if not answer.next_cursor:
                return
            cursor = answer.next_cursor

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        where = [each for c in conditions if c.match_type == "prefix" for each in name.below(until_wildcard(c.path))]
        seen = set()
        for entry in self._entries(where):
            namespace = name.split(entry.namespace)
            if all(matches(namespace, condition) for condition in conditions):
                seen.add(namespace[: op.max_depth])
        return sorted(seen)[op.offset : op.offset + op.limit]

    def _entries(self, where: list[Condition]) -> Iterator[Entry]:
        """Yields entries of the store, ordered by namespace and key."""
        return self._client.list(store=self._store, where={"and": where} if where else None)


def check(op: Op) -> None:
    """Refuses labels that a namespace could be confused by: BaseStore checks those of its own methods alone."""
    match op:
        case GetOp() | PutOp():
            paths: list[Iterable[Any]] = [op.namespace]
        case SearchOp():
            paths = [op.namespace_prefix]
        case ListNamespacesOp():
            paths = [condition.path for condition in op.match_conditions or ()]
        case _:
            raise ValueError(f"unknown operation {type(op).__name__}")
    for label in (label for path in paths for label in path):
        if not isinstance(label, str) or not label or "." in label or "\0" in label:
            raise InvalidNamespaceError("a label of a namespace is a string that is not empty and holds neither a dot nor NUL")


def getting(op: GetOp) -> connection.Item:
    return {"op": "get", "namespace": name.join(op.namespace), "key": op.key}


def putting(op: PutOp) -> connection.Item:
    item: connection.Item = {"namespace": name.join(op.namespace), "key": op.key}
    if op.value is None:
        return {"op": "delete", **item}
    item |= {"op": "put", "value": op.value, "tags": [UNSEARCHED] if op.index is False else []}
    if op.ttl is not None:  # LangGraph's unit is minutes, mneme's whole seconds
        item["ttl"] = max(1, round(op.ttl * 60))
    return item


def item_of(entry: Entry) -> Item:
    return Item(
        value=object_of(entry.value),
        key=entry.key,
        namespace=name.split(entry.namespace),
        created_at=entry.created_at,
        updated_at=entry.updated_at,
    )


def listed(entry: Entry) -> SearchItem:
    item = item_of(entry)
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at)


def found(hit: Hit) -> SearchItem:
    """Returns the item of a hit. A store that may only be searched does not show where its entries are."""
    if not isinstance(hit.id, UUID) or not isinstance(hit.namespace, str) or not isinstance(hit.updated_at, datetime):
        raise PermissionError("the store may only be searched: MnemeStore needs one that may be read")
    made = datetime.fromtimestamp((hit.id.int >> 80) / 1000, timezone.utc)  # a UUIDv7 begins with its milliseconds since 1970
    return SearchItem(name.split(hit.namespace), hit.key, object_of(hit.value), min(made, hit.updated_at), hit.updated_at, hit.relevance)


def object_of(value: Any) -> dict[str, Any]:
    """Returns the value of an item, which is an object, of an entry's, which another client may have written."""
    return value if isinstance(value, dict) else {"value": value}


def until_wildcard(path: Namespace) -> Namespace:
    return path[: path.index("*")] if "*" in path else path


def matches(namespace: Namespace, condition: MatchCondition) -> bool:
    size = len(condition.path)
    part = namespace[:size] if condition.match_type == "prefix" else namespace[len(namespace) - size :]
    return len(namespace) >= size and all(want in ("*", label) for want, label in zip(condition.path, part))
