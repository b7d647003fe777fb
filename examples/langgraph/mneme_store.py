"""A LangGraph store over mneme's REST API.

A namespace ("users", "ada") is mneme's namespace "users.ada"; LangGraph allows
no dots in its labels, so that each can be made of the other. The README tells
the limits.
"""

import asyncio
import json
import math
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote
from uuid import UUID

import httpx
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

MOST = 100  # maximum entries of one page
BATCH = 1000  # maximum items of one batch
ROOM = 8_000_000  # bytes of a batch, below the 10 MB that are allowed

ATTEMPTS = 5  # of a call that the service has no room for

UNSEARCHED = "langgraph:index=false"  # the tag of what no query is to find

Namespace = tuple[str, ...]
Condition = dict[str, Any]


class MnemeStore(BaseStore):
    """The token determines whose memories these are; `store` may name a store that is shared with it."""

    supports_ttl = True

    def __init__(self, url: str | None = None, token: str | None = None, store: str = "self") -> None:
        self._http = httpx.Client(
            base_url=url or os.environ.get("MNEME_URL", "http://127.0.0.1:7077"),
            headers={"Authorization": f"Bearer {token or os.environ['MNEME_TOKEN']}"},
            timeout=60,
        )
        if store == "self":
            stores = self._call("GET", "/v1/stores")["stores"]
            store = next(each["store_id"] for each in stores if each["kind"] == "self")
        self._store = store
        self._memories = f"/v1/stores/{quote(store, safe='')}/memories"

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads see what was there before; of several puts of one key the last counts."""
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
        gets = [(i, op) for i, op in enumerate(ops) if isinstance(op, GetOp)]
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        outcomes = self._do([getting(op) for _, op in gets] + [putting(op) for op in puts.values()])
        for (i, _), outcome in zip(gets, outcomes):
            results[i] = Item(**parts(outcome["entry"])) if "entry" in outcome else None
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Does batches of items, in order. What is not there to be read or deleted is no error."""
        outcomes: list[dict[str, Any]] = []
        refused: dict[str, Any] | None = None
        while len(outcomes) < len(items):
            part: list[dict[str, Any]] = []
            room = ROOM
            for item in items[len(outcomes) : len(outcomes) + BATCH]:
                room -= len(json.dumps(item))
                if part and room < 0:
                    break
                part.append(item)
            for item, outcome in zip(part, self._call("POST", self._memories + ":batch", json={"items": part})["outcomes"]):
                if outcome["status"] == 413 and item["op"] == "get":  # for want of room in this answer
                    break
                outcomes.append(outcome)
                if outcome["status"] >= 400 and not (outcome["status"] == 404 and item["op"] != "put"):
                    refused = refused or outcome["problem"]
        if refused:
            raise ValueError(said(refused))
        return outcomes

    def _search(self, op: SearchOp) -> list[SearchItem]:
        where = [*below(op.namespace_prefix), *conditions(op.filter)]
        found = self._asked(op.query, where) if op.query else self._listed(where)
        kept = (item for item in found if passes(item.value, op.filter))
        return list(islice(kept, op.offset, op.offset + op.limit))

    def _asked(self, query: str, where: list[Condition]) -> Iterator[SearchItem]:
        """The hits of a query, best first."""
        question = {"query": query, "stores": [self._store], "limit": MOST, "where": {"and": [*where, {"not": {"tags": {"contains": UNSEARCHED}}}]}}
        while True:
            page = self._call("POST", "/v1/search", json=question)
            for hit in page["hits"]:
                made = datetime.fromtimestamp((UUID(hit["id"]).int >> 80) / 1000, timezone.utc)  # a UUIDv7 contains its millisecond
                made = min(made, datetime.fromisoformat(hit["updated_at"]))
                yield SearchItem(**parts({**hit, "created_at": made}), score=hit["relevance"])
            if "next_cursor" not in page:
                return
            question["cursor"] = page["next_cursor"]

    def _listed(self, where: list[Condition]) -> Iterator[SearchItem]:
        """Entries of the store, ordered by namespace and key."""
        for entry in self._pages(where):
            yield SearchItem(**parts(entry))

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        where = [condition for each in op.match_conditions or () if each.match_type == "prefix" for condition in below(until_wildcard(each.path))]
        seen = set()
        for entry in self._pages(where):
            namespace = split(entry["namespace"])
            if all(matches(namespace, condition) for condition in op.match_conditions or ()):
                seen.add(namespace[: op.max_depth])
        return sorted(seen)[op.offset : op.offset + op.limit]

    def _pages(self, where: list[Condition]) -> Iterator[dict[str, Any]]:
        params: dict[str, Any] = {"limit": MOST}
        if where:
            params["where"] = json.dumps({"and": where})
        while True:
            page = self._call("GET", self._memories, params=params)
            yield from page["items"]
            if "next_cursor" not in page:
                return
            params["cursor"] = page["next_cursor"]

    def _call(self, method: str, path: str, **request: Any) -> Any:
        for _ in range(ATTEMPTS):
            response = self._http.request(method, path, **request)
            if response.status_code not in (429, 503):
                break
            time.sleep(float(response.headers.get("Retry-After", 1)))
        if response.is_error:
            raise ValueError(said({"status": response.status_code, **response.json()}))
        return response.json()


def said(problem: dict[str, Any]) -> str:
    return f"mneme: {problem.get('detail') or problem['title']} ({problem['status']})"


def check(op: Op) -> None:
    """Refuses labels that a namespace could be confused by: BaseStore checks its own methods' alone."""
    match op:
        case GetOp() | PutOp():
            paths = [op.namespace]
        case SearchOp():
            paths = [op.namespace_prefix]
        case ListNamespacesOp():
            paths = [condition.path for condition in op.match_conditions or ()]
        case _:
            raise ValueError(f"unknown operation {type(op).__name__}")
    for label in (label for path in paths for label in path):
        if not isinstance(label, str) or not label or "." in label or "\0" in label:
            raise InvalidNamespaceError("a label of a namespace is a string that is not empty and holds neither a dot nor NUL")


def getting(op: GetOp) -> dict[str, Any]:
    return {"op": "get", "namespace": joined(op.namespace), "key": op.key}


def putting(op: PutOp) -> dict[str, Any]:
    item: dict[str, Any] = {"namespace": joined(op.namespace), "key": op.key}
    if op.value is None:
        return {"op": "delete", **item}
    item |= {"op": "put", "value": op.value, "tags": [UNSEARCHED] if op.index is False else []}
    if op.ttl is not None:  # LangGraph's unit is minutes, mneme's whole seconds
        item["ttl"] = max(1, round(op.ttl * 60))
    return item


def joined(namespace: Namespace) -> str:
    return ".".join(escaped(label) for label in namespace)


def split(namespace: str) -> Namespace:
    return tuple(re.sub("(?:%[0-9A-Fa-f]{2})+", lambda m: unquote(m[0]), label) for label in namespace.split(".")) if namespace else ()


def escaped(label: str) -> str:
    """A label with percent signs for what mneme's names do not have: control characters, decomposed letters."""
    label = re.sub("%(?=[0-9A-Fa-f]{2})", "%25", label)
    decomposed = unicodedata.normalize("NFC", label) != label
    return "".join(quote(c) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") or decomposed and not c.isascii() else c for c in label)


def parts(entry: dict[str, Any]) -> dict[str, Any]:
    """Converts an entry to a LangGraph item, whose value is always an object."""
    value = entry["value"] if isinstance(entry["value"], dict) else {"value": entry["value"]}
    return {
        "value": value,
        "key": entry["key"],
        "namespace": split(entry["namespace"]),
        "created_at": entry["created_at"],
        "updated_at": entry["updated_at"],
    }


def below(prefix: Namespace) -> list[Condition]:
    """The condition that an entry is in a namespace or in one below it."""
    if not prefix:
        return []
    name = joined(prefix)
    return [{"or": [{"namespace": {"eq": name}}, {"namespace": {"prefix": name + "."}}]}]


def until_wildcard(path: Namespace) -> Namespace:
    return path[: path.index("*")] if "*" in path else path


def matches(namespace: Namespace, condition: MatchCondition) -> bool:
    size = len(condition.path)
    part = namespace[:size] if condition.match_type == "prefix" else namespace[len(namespace) - size :]
    return len(namespace) >= size and all(want in ("*", label) for want, label in zip(condition.path, part))


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda a, b: a == b,
    "$ne": lambda a, b: a != b,
    "$gt": lambda a, b: float(a) > float(b),
    "$gte": lambda a, b: float(a) >= float(b),
    "$lt": lambda a, b: float(a) < float(b),
    "$lte": lambda a, b: float(a) <= float(b),
}


def conditions(wanted: dict[str, Any] | None, path: str = "value") -> list[Condition]:
    """What of a filter mneme can select by. `passes` judges the whole of it again."""
    found: list[Condition] = []
    for name, test in (wanted or {}).items():
        field = f"{path}.{name}"
        if "." in name or not name or len(found) == 16:
            continue
        if isinstance(test, dict) and not any(key.startswith("$") for key in test):
            found += conditions(test, field)
        for operator, operand in (test if isinstance(test, dict) else {"$eq": test}).items():
            if operand is None and operator == "$eq":
                found.append({field: {"exists": False}})
            elif operator == "$eq" and (is_number(operand) or isinstance(operand, str) and is_operand(operand)):
                found.append({field: {"eq": operand}})
            elif operator in ("$gt", "$gte", "$lt", "$lte") and is_number(operand):
                found.append({field: {operator[1:]: operand}})
    return found


def is_operand(text: str) -> bool:
    return len(text.encode()) <= 512 and "\0" not in text


def is_number(operand: Any) -> bool:
    return isinstance(operand, (bool, int)) or isinstance(operand, float) and math.isfinite(operand)


def member(value: dict[str, Any], name: str) -> Any:
    """A member of an object, or of the objects in it: "user.age"."""
    first, dot, rest = name.partition(".")
    if name in value or not dot:
        return value.get(name)
    return member(value[first], rest) if isinstance(value.get(first), dict) else None


def passes(value: Any, wanted: Any) -> bool:
    """Whether a value has the members that a filter names, with these values."""
    return not wanted or all(fits(member(value, name), test) for name, test in wanted.items())


def fits(held: Any, test: Any) -> bool:
    if isinstance(test, dict) and any(name.startswith("$") for name in test):
        for name, operand in test.items():
            if name not in COMPARE:
                raise ValueError(f"filters have no operator {name}")
            if held is None and name not in ("$eq", "$ne") or not COMPARE[name](held, operand):
                return False
        return True
    if isinstance(test, dict):
        return isinstance(held, dict) and all(fits(held.get(name), each) for name, each in test.items())
    if isinstance(test, (list, tuple)):
        return isinstance(held, (list, tuple)) and len(held) == len(test) and all(map(fits, held, test))
    return held == test
