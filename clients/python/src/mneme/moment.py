"""Conversion of Python's times and durations to the service's format."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

Moment = str | date  # a datetime is a date
Duration = int | timedelta  # of whole seconds

VALUES = ("value", "source")  # members of entries whose content is the caller's own


def written(value: Any, name: str, zone: str | None = None) -> Any:
    """Returns an argument as it is sent, with times, and durations in conditions, converted to strings.

    Raises ValueError for a time without a zone if zone is not given either.
    """
    if isinstance(value, datetime):
        if value.utcoffset() is None and not zone:
            raise ValueError(f"{name}: the time has no time zone")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{seconds(value, name)}s"
    if isinstance(value, Mapping):
        return {member: written(each, f"{name}.{member}" if name else str(member), zone) for member, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [written(each, f"{name}[{i}]", zone) for i, each in enumerate(value)]
    return value


def seconds(value: Any, name: str) -> Any:
    """Returns a duration in whole seconds. Raises ValueError if it is not a whole number of seconds."""
    if not isinstance(value, timedelta):
        return value
    if value.microseconds:
        raise ValueError(f"{name}: the duration is no whole number of seconds")
    return value // timedelta(seconds=1)


def entry(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Returns an entry or batch item as it is sent: its content is not converted."""
    sent = {}
    for member, value in item.items():
        place = f"{name}.{member}"
        if member == "ttl":
            value = seconds(value, place)
        sent[member] = value if member in VALUES else written(value, place, item.get("timezone"))
    return sent
