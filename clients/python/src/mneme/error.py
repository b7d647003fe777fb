"""The exceptions of calls."""

from __future__ import annotations

from typing import Any

import httpx


class MnemeError(Exception):
    """A response that reports a problem. Its text has the host, the status and the
    server's problem document, never the request."""

    def __init__(self, host: str, status: int, problem: dict[str, Any], retry_after: float | None) -> None:
        self.host = host
        self.status = status
        self.problem = problem
        self.type: str = problem.get("type", "")
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", "")
        self.field: str = problem.get("field", "")
        self.request_id: str = problem.get("instance", "")
        self.retry_after = retry_after  # seconds; None if the server did not say
        text = f"server {host}: status {status}"
        if self.title:
            text += f", {self.title}"
        if self.detail:
            text += f": {self.detail}"
        if self.field and self.field not in text:
            text += f" (field {self.field})"
        if self.request_id:
            text += f" (request {self.request_id})"
        super().__init__(text)


class TransportFailed(Exception):
    """The server could not be reached, or the connection failed before the answer's end:
    the call may have been performed. proxy is the proxy of the call, "" without one."""

    def __init__(self, host: str, proxy: str = "") -> None:
        self.host = host
        self.proxy = proxy
        super().__init__(f"server {host}: the connection failed" + (f" (by the proxy {proxy})" if proxy else ""))


class UnreadableAnswer(Exception):
    """The server's answer does not match its OpenAPI document."""

    def __init__(self, host: str) -> None:
        self.host = host
        super().__init__(f"server {host}: the answer cannot be read")


class Unauthorized(MnemeError):
    """401: the token is missing or not valid."""


class PaymentRequired(MnemeError):
    """402: the call costs more than the caller may spend."""


class Forbidden(MnemeError):
    """403."""


class NotFound(MnemeError):
    """404 of the service itself: the resource does not exist. A proxy's 404 is only a MnemeError."""


class Conflict(MnemeError):
    """409."""


class Gone(MnemeError):
    """410: read the store again, and follow it from a new cursor."""


class PreconditionFailed(MnemeError):
    """412: the entry does not meet the preconditions of the write."""


class Invalid(MnemeError):
    """422: field names the field that breaks a rule."""


class TooManyRequests(MnemeError):
    """429: retry_after is the time to wait before a retry."""


class Unavailable(MnemeError):
    """503."""


_ABSENT = "urn:mneme:problem:not-found"

_BY_STATUS: dict[int, type[MnemeError]] = {
    401: Unauthorized,
    402: PaymentRequired,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    412: PreconditionFailed,
    422: Invalid,
    429: TooManyRequests,
    503: Unavailable,
}


def error_of(response: httpx.Response, host: str) -> MnemeError:
    """Returns the error that a response reports."""
    problem: Any = None
    if response.headers.get("content-type", "").split(";")[0].strip() == "application/problem+json":
        try:
            problem = response.json()
        except ValueError:
            pass
    seconds = response.headers.get("retry-after", "")
    problem = problem if isinstance(problem, dict) else {}
    kind = _BY_STATUS.get(response.status_code, MnemeError)
    if kind is NotFound and problem.get("type") != _ABSENT:
        kind = MnemeError
    return kind(host, response.status_code, problem, float(seconds) if seconds.isdigit() else None)
