"""Tests of Python's times and durations, as both clients send them."""

import json
from datetime import date, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from test_client import kind, mocked  # noqa: F401

AT = datetime(2026, 7, 9, 18, 30, tzinfo=timezone(timedelta(hours=2)))
NAIVE = datetime(2026, 7, 9, 18, 30)


def answer(_: int) -> httpx.Response:
    page = {"items": [], "changes": [], "next_cursor": "", "outcomes": [], "hits": [], "degraded": [], "incomplete": False}
    counts = {"put": 0, "deleted": 0, "skipped": [], "unchanged": 0, "imported": 0, "problems": []}
    return httpx.Response(200, json={**page, **counts})


def sent_of(kind: str, call: Any) -> tuple[Any, dict[str, str]]:  # noqa: F811
    """Returns the body and the parameters that a call sends, whatever its result."""
    client, sent, _ = mocked(kind, answer)
    try:
        result = call(client)
        if hasattr(result, "__next__"):
            list(result)
    except (KeyError, TypeError):
        pass
    return (json.loads(sent[0].content) if sent[0].content else None), dict(sent[0].url.params)


def test_times_and_durations_are_sent_as_the_service_takes_them(kind: str) -> None:  # noqa: F811
    body, _ = sent_of(kind, lambda c: c.put("a", {"at": "as it is"}, occurred_at=AT, ttl=timedelta(days=1)))
    assert (body["occurred_at"], body["ttl"]) == ("2026-07-09T18:30:00+02:00", 86_400)
    assert sent_of(kind, lambda c: c.put("a", 1, occurred_at=date(2026, 7, 9)))[0]["occurred_at"] == "2026-07-09"
    assert sent_of(kind, lambda c: c.put("a", 1, occurred_at="2026-07", ttl=60))[0] == {"value": 1, "occurred_at": "2026-07", "ttl": 60}
    body, _ = sent_of(kind, lambda c: c.put("a", 1, occurred_at=NAIVE, timezone="Europe/Rome"))
    assert (body["occurred_at"], body["timezone"]) == ("2026-07-09T18:30:00", "Europe/Rome")
    item = {"op": "put", "key": "a", "value": 1, "occurred_at": date(2026, 7, 9), "ttl": timedelta(minutes=1)}
    assert sent_of(kind, lambda c: c.batch([item]))[0]["items"] == [{**item, "occurred_at": "2026-07-09", "ttl": 60}]
    body, _ = sent_of(kind, lambda c: c.search("a", where={"or": [{"updated_at": {"gte": AT}}]}, recency={"half_life": timedelta(hours=1)}))
    assert body["where"] == {"or": [{"updated_at": {"gte": "2026-07-09T18:30:00+02:00"}}]} and body["recency"] == {"half_life": "3600s"}
    _, params = sent_of(kind, lambda c: c.list(where={"occurred_at": {"lt": NAIVE}}, timezone="Europe/Rome"))
    assert json.loads(params["where"]) == {"occurred_at": {"lt": "2026-07-09T18:30:00"}}
    assert sent_of(kind, lambda c: c.changes(since="x", wait=timedelta(seconds=3)))[1]["wait"] == "3"
    assert sent_of(kind, lambda c: c.share("jonas", "read", ttl=timedelta(hours=2)))[0]["ttl"] == 7200
    assert sent_of(kind, lambda c: c.sales(from_=date(2026, 7, 1), to=AT))[1] == {"from": "2026-07-01", "to": "2026-07-09T18:30:00+02:00"}
    assert sent_of(kind, lambda c: c.import_entries([{"key": "a", "occurred_at": AT}]))[0]["occurred_at"] == "2026-07-09T18:30:00+02:00"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("occurred_at", lambda c: c.put("a", 1, occurred_at=NAIVE)),
        ("ttl", lambda c: c.put("a", 1, ttl=timedelta(milliseconds=1500))),
        ("items[1].occurred_at", lambda c: c.batch([{"op": "get", "key": "a"}, {"op": "put", "key": "b", "value": 1, "occurred_at": NAIVE}])),
        ("where.and[0].updated_at.gte", lambda c: c.search("a", where={"and": [{"updated_at": {"gte": NAIVE}}]})),
        ("where.updated_at.lt", lambda c: list(c.list(where={"updated_at": {"lt": NAIVE}}))),
        ("from_", lambda c: c.sales(from_=NAIVE)),
        ("to", lambda c: c.sales(to=NAIVE)),
        ("entries[0].occurred_at", lambda c: c.import_entries([{"key": "a", "occurred_at": NAIVE}])),
    ],
)
def test_a_time_without_a_zone_and_half_a_second_are_named(kind: str, name: str, call: Any) -> None:  # noqa: F811
    client, sent, _ = mocked(kind, answer)
    with pytest.raises(ValueError) as refused:
        call(client)
    assert str(refused.value).startswith(name + ": ") and not sent
