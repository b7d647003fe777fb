"""The synchronous client."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any
from urllib.parse import quote

import httpx

from .error import error_of
from .generated.models import Answer, BatchResult, ChangePage, Entry, Page, Trashed, TrashPage, Written

_RETRIED = frozenset({429, 503})
_MAX_WAIT = 30.0  # seconds, of one pause


def _segment(name: str) -> str:
    if name in ("", ".", ".."):
        raise ValueError("a store or key must be neither empty nor a dot segment")
    return quote(name, safe="")


class Mneme:
    """Calls one server. Close it, or use it as a context manager.

    Reads, and calls that an Idempotency-Key or a precondition makes safe, are tried
    again, at most retries times, if the server is overloaded or the connection fails.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 30, retries: int = 3,
        transport: httpx.BaseTransport | None = None, pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = httpx.Client(
            base_url=url, timeout=timeout, transport=transport,
            headers={"Authorization": f"Bearer {token}", "User-Agent": "mneme-python/0.1.0"},
        )
        self._host = self._http.base_url.netloc.decode()
        self._retries, self._pause = retries, pause

    def __enter__(self) -> Mneme:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def put(
        self, key: str, value: Any, *, store: str = "self", namespace: str = "", wait: bool = False,
        if_match: str | None = None, if_none_match: str | None = None, **fields: Any,
    ) -> Written:
        """Writes an entry. With wait, returns when searches by meaning can find it, or after 10 s."""
        params = {"namespace": namespace, **({"wait": "indexed"} if wait else {})}
        headers = _conditions(if_match, if_none_match)
        response = self._call("PUT", self._path(store, key), safe=False, params=params, headers=headers, json={"value": value, **fields})
        return Written.from_dict(response.json())

    def get(self, key: str, *, store: str = "self", namespace: str = "") -> tuple[Entry, str]:
        """Reads an entry and its ETag."""
        response = self._call("GET", self._path(store, key), params={"namespace": namespace})
        return Entry.from_dict(response.json()), response.headers.get("etag", "")

    def delete(self, key: str, *, store: str = "self", namespace: str = "", if_match: str | None = None) -> None:
        """Moves an entry to the trash."""
        self._call("DELETE", self._path(store, key), safe=False, params={"namespace": namespace}, headers=_conditions(if_match, None))

    def search(self, query: str, **options: Any) -> Answer:
        """Asks a question. options are the other members of the request."""
        headers = {"Idempotency-Key": str(uuid.uuid4())} if "max_charge" in options else {}
        return Answer.from_dict(self._call("POST", "/v1/search", headers=headers, json={"query": query, **options}).json())

    def batch(self, items: list[dict[str, Any]], *, store: str = "self", atomic: bool = False) -> BatchResult:
        """Does up to 1,000 puts, gets and deletes, in order, in one transaction."""
        response = self._call(
            "POST", f"/v1/stores/{_segment(store)}/memories:batch",
            headers={"Idempotency-Key": str(uuid.uuid4())}, json={"items": items, "atomic": atomic},
        )
        return BatchResult.from_dict(response.json())

    def list(self, *, store: str = "self", **filters: Any) -> Iterator[Entry]:
        """Yields a store's entries, by namespace and key."""
        for page in self._pages(f"/v1/stores/{_segment(store)}/memories", filters):
            yield from Page.from_dict(page).items

    def trash(self, *, store: str = "self") -> Iterator[Trashed]:
        """Yields the deleted entries, the last deleted first."""
        for page in self._pages(f"/v1/stores/{_segment(store)}/trash", {}):
            yield from TrashPage.from_dict(page).items

    def changes(self, *, store: str = "self", since: str | None = None, wait: int = 0) -> ChangePage:
        """Reads what changed since a cursor, waiting up to wait seconds for a change."""
        params = {"wait": wait, "limit": 1000, **({"since": since} if since else {})}
        response = self._call("GET", f"/v1/stores/{_segment(store)}/changes", params=params)
        return ChangePage.from_dict(response.json())

    def _path(self, store: str, key: str) -> str:
        return f"/v1/stores/{_segment(store)}/memories/{_segment(key)}"

    def _pages(self, path: str, filters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        params: dict[str, Any] = {**filters, "limit": 100}
        while True:
            page: dict[str, Any] = self._call("GET", path, params=params).json()
            yield page
            if not page.get("next_cursor"):
                return
            params["cursor"] = page["next_cursor"]

    def _call(self, method: str, path: str, *, safe: bool = True, **request: Any) -> httpx.Response:
        """Sends a request. One that is not safe is repeated only if the server refused it."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                response = self._http.request(method, path, **request)
            except httpx.TransportError:
                if last or not safe:
                    raise
                self._pause(_backoff(attempt))
                continue
            if response.is_success:
                return response
            error = error_of(response, self._host)
            retried = response.status_code == 429 or safe and response.status_code in _RETRIED
            wait = error.retry_after if error.retry_after is not None else _backoff(attempt)
            if last or not retried or wait > _MAX_WAIT:
                raise error
            self._pause(wait)
        raise AssertionError("unreachable")


def _conditions(match: str | None, none_match: str | None) -> dict[str, str]:
    headers = {"If-Match": match, "If-None-Match": none_match}
    return {name: tag for name, tag in headers.items() if tag is not None}


def _backoff(attempt: int) -> float:
    return random.uniform(0.5, 1) * min(0.25 * 2.0**attempt, _MAX_WAIT)
