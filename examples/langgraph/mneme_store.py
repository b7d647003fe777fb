"""A LangGraph store over mneme's REST API.

A namespace ("users", "ada") is mneme's namespace "users.ada"; LangGraph allows
no dots in its labels, so that each can be made of the other. The README tells
the limits.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx
from langgraph.store.base import (
    BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchItem, SearchOp,
)

MOST = 100  # maximum entries of one page or one search

Namespace = tuple[str, ...]


class MnemeStore(BaseStore):
    """The token determines whose memories these are; `store` may name a store that is shared with it."""

    supports_ttl = True

    def __init__(self, url: str | None = None, token: str | None = None, store: str = "self") -> None:
        self._http = httpx.Client(
            base_url=url or os.environ.get("MNEME_URL", "http://127.0.0.1:7077"),
            headers={"Authorization": f"Bearer {token or os.environ['MNEME_TOKEN']}"}, timeout=30)
        if store == "self":
            stores = self._call("GET", "/v1/stores")["stores"]
            store = next(each["store_id"] for each in stores if each["kind"] == "self")
        self._store = store

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case PutOp():
                return self._put(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise NotImplementedError(type(op).__name__)

    def _get(self, op: GetOp) -> Item | None:
        entry = self._call("GET", self._path(op.key), params={"namespace": joined(op.namespace)}, absent=None)
        return entry and Item(**parts(entry))

    def _put(self, op: PutOp) -> None:
        params = {"namespace": joined(op.namespace)}
        if op.value is None:
            self._call("DELETE", self._path(op.key), params=params, absent=None)
            return
        body: dict[str, Any] = {"value": op.value}
        if op.ttl is not None:  # LangGraph's unit is minutes, mneme's whole seconds
            body["ttl"] = max(1, round(op.ttl * 60))
        self._call("PUT", self._path(op.key), params=params, json=body)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.offset + op.limit
        found: list[SearchItem] = []
        for item in self._asked(op) if op.query else self._listed():
            if item.namespace[:len(op.namespace_prefix)] == op.namespace_prefix and passes(item.value, op.filter):
                found.append(item)
            if len(found) == wanted:
                break
        return found[op.offset:]

    def _asked(self, op: SearchOp) -> Iterator[SearchItem]:
        """The hits of a query, best first: those of the namespace, and those among the best of the whole store."""
        question = {"query": op.query, "stores": [self._store], "limit": MOST}
        hits = self._call("POST", "/v1/search", json=question)["hits"]
        if op.namespace_prefix:
            hits += self._call("POST", "/v1/search", json={**question, "namespace": joined(op.namespace_prefix)})["hits"]
        best = {(hit["namespace"], hit["key"]): hit for hit in hits}.values()
        for hit in sorted(best, key=lambda hit: -hit["relevance"]):
            made = datetime.fromtimestamp((UUID(hit["id"]).int >> 80) / 1000, timezone.utc)  # a UUIDv7 contains its millisecond
            made = min(made, datetime.fromisoformat(hit["updated_at"]))
            yield SearchItem(**parts({**hit, "created_at": made}), score=hit["relevance"])

    def _listed(self) -> Iterator[SearchItem]:
        """Every entry of the store, ordered by namespace and key."""
        for entry in self._pages():
            yield SearchItem(**parts(entry))

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        seen: dict[Namespace, None] = {}
        for entry in self._pages():
            namespace = split(entry["namespace"])
            if all(matches(namespace, condition) for condition in op.match_conditions or ()):
                seen[namespace[:op.max_depth]] = None
        return sorted(seen)[op.offset:op.offset + op.limit]

    def _pages(self) -> Iterator[dict[str, Any]]:
        params: dict[str, Any] = {"limit": MOST}
        while True:
            page = self._call("GET", f"/v1/stores/{quote(self._store, safe='')}/memories", params=params)
            yield from page["items"]
            if "next_cursor" not in page:
                return
            params["cursor"] = page["next_cursor"]

    def _path(self, key: str) -> str:
        return f"/v1/stores/{quote(self._store, safe='')}/memories/{quote(key, safe='')}"

    def _call(self, method: str, path: str, absent: Any = NotImplemented, **request: Any) -> Any:
        response = self._http.request(method, path, **request)
        if response.status_code == 404 and absent is not NotImplemented:
            return absent
        if response.is_error:
            problem = response.json()
            raise ValueError(f"mneme: {problem.get('detail') or problem['title']} ({response.status_code})")
        return response.json() if response.content else None


def joined(namespace: Namespace) -> str:
    if any(not label or "." in label for label in namespace):
        raise ValueError("a label of a namespace must not be empty or hold a dot")
    return ".".join(namespace)


def split(namespace: str) -> Namespace:
    return tuple(namespace.split(".")) if namespace else ()


def parts(entry: dict[str, Any]) -> dict[str, Any]:
    """Converts an entry to a LangGraph item, whose value is always an object."""
    value = entry["value"] if isinstance(entry["value"], dict) else {"value": entry["value"]}
    return {"value": value, "key": entry["key"], "namespace": split(entry["namespace"]),
            "created_at": entry["created_at"], "updated_at": entry["updated_at"]}


def matches(namespace: Namespace, condition: MatchCondition) -> bool:
    size = len(condition.path)
    part = namespace[:size] if condition.match_type == "prefix" else namespace[len(namespace) - size:]
    return len(namespace) >= size and all(want in ("*", label) for want, label in zip(condition.path, part))


COMPARE = {
    "$eq": lambda a, b: a == b, "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: a > b, "$gte": lambda a, b: a >= b,
    "$lt": lambda a, b: a < b, "$lte": lambda a, b: a <= b,
}


def passes(value: dict[str, Any], wanted: dict[str, Any] | None) -> bool:
    for field, test in (wanted or {}).items():
        if not (isinstance(test, dict) and any(name.startswith("$") for name in test)):
            test = {"$eq": test}
        for name, operand in test.items():
            if name not in COMPARE:
                raise ValueError(f"filters have no operator {name}")
            held = value.get(field)
            if held is None and name not in ("$eq", "$ne") or not COMPARE[name](held, operand):
                return False
    return True
