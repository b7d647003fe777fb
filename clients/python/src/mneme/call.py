"""What the two clients share: paths, headers, pauses, and what a payer is."""

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

MAX_WAIT = 30.0  # seconds, of one pause
PAGE = 100  # entries of a page
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
    """Returns a path and what else is sent, with a key that has slashes in the query: proxies
    refuse %2F in a path, or take it for a slash."""
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
    """An error without the request, which has the token and what was asked."""
    return TransportFailed(host, proxy)


def pause_before(error: MnemeError, attempt: int, safe: bool) -> float | None:
    """Returns how long to wait before a refused call is sent again; None if it is not.
    One that is not safe to repeat was not done at 429 alone."""
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
    """Splits an answer into its lines. httpx's would end at U+2028 and other separators too,
    which texts in JSON may have."""

    def __init__(self) -> None:
        self._rest = b""

    def of(self, chunk: bytes) -> list[bytes]:
        """Returns the lines that a chunk of the answer ends, without empty ones."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [line for line in lines if line]


def decoded_line(line: bytes, host: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        raise UnreadableAnswer(host) from None
