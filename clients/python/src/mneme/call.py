"""The common parts of the two clients: paths, headers, pauses and payers."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import quote, unquote

import httpx

from . import moment
from .error import MnemeError, TransportFailed, UnreadableAnswer, error_of

MAX_WAIT = 30.0  # maximum pause, in seconds
PAGE = 100  # entries per page
LINES = "application/x-ndjson"


def user_agent() -> str:
    try:
        return "mneme-client-python/" + version("mneme-client")
    except PackageNotFoundError:
        return "mneme-client-python"


def segment(name: str) -> str:
    """Returns a store, key or id as a segment of a path."""
    if name in ("", ".", ".."):
        raise ValueError("a store or key must be neither empty nor a dot segment")
    return quote(name, safe="")


def memories(store: str, *rest: str) -> str:
    return "/".join([f"/v1/stores/{segment(store)}/memories", *rest])


def placed(path: str, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Returns a path and the other parts of a request. A key with slashes is in the query:
    proxies may refuse %2F in a path, or decode it."""
    parts = path.split("/")  # "", v1, stores, store, memories, key
    if len(parts) < 6 or parts[4] != "memories" or "%2F" not in parts[5]:
        return path, request
    key, parts[5] = unquote(parts[5]), "-"
    return "/".join(parts), {**request, "params": {**(request.get("params") or {}), "key": key}}


def given(**members: Any) -> dict[str, Any]:
    """Returns the members that are not None."""
    return {name: value for name, value in members.items() if value is not None}


def headers(*, match: str | None = None, none_match: str | None = None, key: str | None = None) -> dict[str, str]:
    return given(**{"If-Match": match, "If-None-Match": none_match, "Idempotency-Key": key})


def filters(where: Mapping[str, Any] | None, match: Mapping[str, Any] | None, **plain: Any) -> dict[str, Any]:
    """Returns the parameters of a list or an export."""
    where = moment.written(where, "where", plain.get("timezone"))
    return given(where=None if where is None else json.dumps(where), match=None if match is None else json.dumps(match), **plain)


def backoff(attempt: int) -> float:
    return random.uniform(0.5, 1) * min(0.25 * 2.0**attempt, MAX_WAIT)


def refused(response: httpx.Response, host: str) -> MnemeError:
    return error_of(response, host)


def failed(host: str, proxy: str = "") -> TransportFailed:
    """Returns an error without the request, which contains the token and the request data."""
    return TransportFailed(host, proxy)


def pause_before(error: MnemeError, attempt: int, safe: bool) -> float | None:
    """Returns how long to wait before a refused call is retried; None if it is not. A call
    that is not idempotent is retried only after 429, when it was certainly not performed."""
    if error.status != 429 and not (safe and error.status == 503):
        return None
    wait = backoff(attempt) if error.retry_after is None else error.retry_after
    return wait if wait <= MAX_WAIT else None


def decoded(response: httpx.Response, host: str) -> Any:
    """Returns the JSON of an answer."""
    try:
        return response.json()
    except ValueError:
        raise UnreadableAnswer(host) from None


class Lines:
    """Splits an answer into its lines. httpx's own splitting also ends lines at U+2028 and
    other separators, which texts in JSON may contain."""

    def __init__(self) -> None:
        self._rest = b""

    def of(self, chunk: bytes) -> list[bytes]:
        """Returns the lines completed by a chunk of the answer, without empty ones."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [line for line in lines if line]


def decoded_line(line: bytes, host: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise UnreadableAnswer(host) from None
