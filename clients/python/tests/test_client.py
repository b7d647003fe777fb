"""Tests of both clients against a real server, given by MNEME_URL and MNEME_TOKEN. MNEME_BUYER is
the token of another agent, with money in its account.

The asynchronous client is driven by the same tests: its calls are run one by one.
"""

import asyncio
import functools
import inspect
import json
import keyword
import os
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import mneme
import pytest


class Blocking:
    """Runs an asynchronous client's calls to their end."""

    def __init__(self, client: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.client, self.loop = client, loop

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def run(*args: Any, **options: Any) -> Any:
            result = method(*args, **options)
            if inspect.isasyncgen(result):
                return self.each(result)
            return self.loop.run_until_complete(result)

        return run

    def each(self, result: Any) -> Iterator[Any]:
        while True:
            try:
                yield self.loop.run_until_complete(anext(result))
            except StopAsyncIteration:
                return

    def close(self) -> None:
        self.loop.run_until_complete(self.client.aclose())
        self.loop.close()


def make(kind: str, url: str, token: str, **options: Any) -> Any:
    if kind == "synchronous":
        return mneme.Mneme(url, token, **options)
    return Blocking(mneme.AsyncMneme(url, token, **options), asyncio.new_event_loop())


def opened(kind: str, url: str, token: str) -> Iterator[Any]:
    client = make(kind, url, token)
    yield client
    client.close()


@pytest.fixture(params=["synchronous", "asynchronous"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def server() -> str:
    if "MNEME_URL" not in os.environ:
        if os.environ.get("CI"):
            pytest.fail("MNEME_URL is not set")
        pytest.skip("MNEME_URL is not set")
    return os.environ["MNEME_URL"]


@pytest.fixture
def client(kind: str) -> Iterator[Any]:
    yield from opened(kind, server(), os.environ["MNEME_TOKEN"])


@pytest.fixture
def buyer(kind: str) -> Iterator[Any]:
    yield from opened(kind, server(), os.environ["MNEME_BUYER"])


@pytest.fixture
def space() -> str:
    """A namespace of one test."""
    return uuid.uuid4().hex


def mocked(kind: str, answer: Any, **options: Any) -> tuple[Any, list[httpx.Request], list[float]]:
    """A client whose requests are answered by a function, with the recorded requests and pauses."""
    sent: list[httpx.Request] = []
    pauses: list[float] = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        result = answer(len(sent))
        if isinstance(result, Exception):
            raise result
        return result  # type: ignore[no-any-return]

    async def pause_later(seconds: float) -> None:
        pauses.append(seconds)

    pause = pauses.append if kind == "synchronous" else pause_later
    return make(kind, "http://server", "secret-token", transport=httpx.MockTransport(handle), pause=pause, **options), sent, pauses


def chunks(kind: str, content: bytes, size: int) -> Any:
    """The body of an answer that arrives in chunks of the given size."""
    each = (content[at : at + size] for at in range(0, len(content), size))
    if kind == "synchronous":
        return each

    async def later() -> AsyncIterator[bytes]:
        for chunk in each:
            yield chunk

    return later()


def problem(status: int, **headers: str) -> httpx.Response:
    return httpx.Response(
        status,
        headers={"Content-Type": "application/problem+json", **headers},
        json={"type": "urn:mneme:problem:not-found", "title": "a title", "status": status, "detail": "a detail"},
    )


def test_no_path_has_an_encoded_slash(kind: str) -> None:
    """Proxies may refuse it, or decode it."""
    client, sent, _ = mocked(kind, lambda _: httpx.Response(204))
    client.delete("a/b c/d")
    client.delete("a/b c/d", namespace="n/s")
    for request in sent:
        assert request.url.raw_path.partition(b"?")[0] == b"/v1/stores/self/memories/-"
        assert request.url.params["key"] == "a/b c/d"
    assert sent[1].url.params["namespace"] == "n/s"
    client.close()


def test_what_is_put_is_read_found_and_deleted(client: Any, space: str) -> None:
    def put() -> Any:
        return client.put("diet/anna", "Anna eats no nuts.", namespace=space, wait=True, tags=["food"], description="What Anna eats")

    deadline = time.monotonic() + 240
    while not (written := put()).indexed:  # on a busy machine, one call may not wait long enough
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert written.tags == ["food"]
    entry, etag = client.get("diet/anna", namespace=space)
    assert entry.value == "Anna eats no nuts." and etag and entry.created_at.tzinfo is not None
    hit = client.search("What does Anna not eat?", namespace=space, passages=True, max_tokens=200).hits[0]
    assert hit.key == "diet/anna" and 0 < hit.relevance <= 1
    client.delete("diet/anna", namespace=space, if_match=etag)
    with pytest.raises(mneme.NotFound) as refused:
        client.get("diet/anna", namespace=space)
    assert "anna" not in str(refused.value) and refused.value.status == 404 and refused.value.request_id


def test_conditions_of_writes_and_reads(client: Any, space: str) -> None:
    client.put("a", 1, namespace=space, if_none_match="*")
    _, etag = client.get("a", namespace=space)
    with pytest.raises(mneme.PreconditionFailed):
        client.put("a", 2, namespace=space, if_none_match="*")
    assert client.changed("a", etag, namespace=space) is None
    client.put("a", 3, namespace=space, if_match=etag)
    entry, later = client.changed("a", etag, namespace=space)
    assert entry.value == 3 and later != etag
    with pytest.raises(mneme.PreconditionFailed):
        client.delete("a", namespace=space, if_match=etag)


def test_versions_trash_restore_and_rename(client: Any, space: str) -> None:
    client.put("a", "one", namespace=space)
    client.put("a", "two", namespace=space)
    assert [entry.value for entry in client.versions("a", namespace=space)] == ["two", "one"]
    assert client.restore("a", namespace=space, version=1).value == "one"
    assert client.rename("a", "b", namespace=space).key == "b"
    assert client.rename("b", "c", namespace=space, to_namespace=f"{space}-2").namespace == f"{space}-2"
    assert client.rename("c", "b", namespace=f"{space}-2", to_namespace=space).namespace == space
    client.delete("b", namespace=space)
    assert any(entry.namespace == space for entry in client.trash())
    assert client.restore("b", namespace=space).value == "one"


def test_a_list_has_the_entries_of_all_pages(client: Any, space: str) -> None:
    client.batch([{"op": "put", "key": f"k{n:03}", "namespace": space, "value": {"n": n}} for n in range(150)])
    assert [entry.value["n"] for entry in client.list(namespace=space)] == list(range(150))
    assert [entry.key for entry in client.list(namespace=space, where={"value.n": {"gte": 148}})] == ["k148", "k149"]


def test_a_batch_that_is_repeated_does_nothing_twice(client: Any, space: str) -> None:
    items = [{"op": "put", "key": "a", "namespace": space, "value": 1}]
    key = uuid.uuid4().hex
    for _ in range(2):
        assert client.batch(items, idempotency_key=key).outcomes[0].status in (200, 201)
    assert [entry.version for entry in client.versions("a", namespace=space)] == [1]


def test_changes_are_followed(client: Any, space: str) -> None:
    _, since = client.changes()
    client.put("a", 1, namespace=space)
    client.delete("a", namespace=space)
    seen = []
    for change, after in client.follow(since=since):
        seen.append((change.key, change.deleted))
        if seen[-1] == ("a", True) and change.namespace == space:
            break
    assert client.changes(since=after)[1]


def test_an_export_is_an_import(client: Any, space: str) -> None:
    client.put("a", "ünï\u2028\u2029\x85", namespace=space, tags=["x"])
    client.put("b", {"n": 1}, namespace=space)
    lines = list(client.export(where={"namespace": {"eq": space}}))
    assert [line["key"] for line in lines] == ["a", "b"]
    for line in lines:
        client.delete(line["key"], namespace=space)
    result = client.import_entries([*lines, {"key": "", "value": 1}])
    assert result.created == 2 and result.refused == len(result.refusals) == 1
    assert [entry.value for entry in client.list(namespace=space)] == ["ünï\u2028\u2029\x85", {"n": 1}]


def test_an_export_is_split_at_newlines_alone(kind: str) -> None:
    value = "a\u2028b\u2029c\x85d"
    whole = f'{{"value":"{value}"}}\n\n{{"value":"é"}}'.encode()
    for size in (1, 5, 100):
        client, _, _ = mocked(kind, lambda _, size=size: httpx.Response(200, content=chunks(kind, whole, size)))
        assert list(client.export()) == [{"value": value}, {"value": "é"}]
    client, _, _ = mocked(kind, lambda _: httpx.Response(200, content=chunks(kind, whole[:-3], 5)))
    with pytest.raises(mneme.UnreadableAnswer):
        list(client.export())


def test_stores_are_shared(client: Any) -> None:
    assert any(store.kind == "self" for store in client.stores())
    assert client.set_language("multilingual").models == ["multilingual"]
    assert client.set_language("auto").language == "auto"
    client.share("jonas", "search", max_label="PUBLIC", ttl=3600, caps={"searches_per_hour": 5})
    grant = next(grant for grant in client.grants() if grant.grantee == "jonas")
    assert grant.level == "search" and grant.expires_at and grant.caps.searches_per_hour == 5
    client.unshare("jonas")
    assert not [grant for grant in client.grants() if grant.grantee == "jonas"]
    assert isinstance(client.index(), str)


def test_searches_of_an_offer_are_bought(client: Any, buyer: Any, space: str) -> None:
    client.put("trail", "The hut above the pass has water until September.", namespace=space, wait=True)
    owner = client.account().agent
    offer = next((offer for offer in buyer.offers() if offer.seller == owner), None)
    if offer is None:  # otherwise the other client's test has made it
        offer = client.create_offer("Trails", "Day hikes.", {"price_search": 1000, "price_entry": 100})
        buyer.accept(str(offer.id))
    before = buyer.account().balance
    answer = buyer.search_offer(str(offer.id), "Which hut has water?", max_charge=10_000)
    assert answer.hits[0].value and answer.charges[0].amount > 0
    assert buyer.account().balance == before - answer.charges[0].amount
    assert next(iter(buyer.usage())).amount == answer.charges[0].amount
    row = next(row for row in client.sales(by="buyer") if row.buyer == buyer.account().agent)
    assert row.searches > 0 and client.sales(to="2000-01-01") == []


def test_an_offer_is_changed_and_withdrawn(client: Any) -> None:
    id = str(client.create_offer("Trails", "Day hikes.", {"price_search": 1000, "price_entry": 100}).id)
    offer, etag = client.offer(id)
    assert offer.terms.price_search == 1000 and etag
    changed = client.change_offer(id, title="Trails of the Alps", terms={"price_search": 3000}, if_match=etag)
    assert (changed.title, changed.terms.price_search, changed.terms.price_entry) == ("Trails of the Alps", 3000, 100)
    with pytest.raises(mneme.PreconditionFailed):
        client.change_offer(id, caps={"entries_total": 1}, if_match=etag)
    with pytest.raises(mneme.PreconditionFailed):
        client.withdraw_offer(id, if_match=etag)
    client.withdraw_offer(id)
    assert [offer.state for offer in client.store_offers() if str(offer.id) == id] == ["withdrawn"]


def test_every_option_of_the_service_is_sent(kind: str) -> None:
    service = httpx.get(f"{server()}/openapi.json").raise_for_status().json()
    client, sent, _ = mocked(kind, lambda _: problem(422))
    for method, path, call in [
        ("put", "/v1/stores/{store}/memories/{key}", functools.partial(client.put, "a")),
        ("get", "/v1/stores/{store}/memories", client.list),
        ("get", "/v1/stores/{store}/export", client.export),
        ("post", "/v1/search", client.search),
        ("put", "/v1/stores/{store}/grants/{agent}", functools.partial(client.share, "jonas")),
        ("post", "/v1/stores/{store}/offers", client.create_offer),
        ("put", "/v1/offers/{offer}", functools.partial(client.change_offer, "an-offer")),
        ("post", "/v1/offers/{offer}/search", functools.partial(client.search_offer, "an-offer")),
        ("get", "/v1/stores/{store}/sales", client.sales),
    ]:
        names = options(service, method, path)
        with pytest.raises(mneme.Invalid):
            list(call(**{name + "_" * keyword.iskeyword(name): name for name in names}))
        assert names <= {*sent[-1].url.params, *json.loads(sent[-1].content or b"{}")}, path


def options(service: Any, method: str, path: str) -> set[str]:
    """The query parameters and body members of a call, without those of pages."""

    def followed(part: Any) -> Any:
        for step in part.get("$ref", "").split("/")[1:]:
            part = (service if step == "components" else part)[step]
        return part

    calls = service["paths"][path]
    parameters = [followed(part) for each in (calls, calls[method]) for part in each.get("parameters", [])]
    names = {part["name"] for part in parameters if part["in"] == "query"} - {"limit", "cursor", "key"}
    if body := calls[method].get("requestBody"):
        names |= followed(body["content"]["application/json"]["schema"])["properties"].keys()
    return names


def test_what_breaks_a_rule_is_named(client: Any) -> None:
    with pytest.raises(mneme.Invalid) as refused:
        client.search("secret words", where={"updated_at": {"gte": "yesterday-ish"}})
    assert refused.value.field == "where.updated_at.gte" and "secret" not in str(refused.value)
    for name in ("", ".", ".."):
        with pytest.raises(ValueError):
            client.get(name)


def test_a_token_that_is_not_valid(kind: str) -> None:
    for client in opened(kind, server(), "secret-token"):
        with pytest.raises(mneme.Unauthorized) as refused:
            client.account()
        assert "secret-token" not in str(refused.value)


def test_only_what_is_safe_is_repeated_when_the_connection_fails(kind: str) -> None:
    client, sent, _ = mocked(kind, lambda _: httpx.ReadError("secret"))
    with pytest.raises(mneme.TransportFailed) as failed:
        client.put("a", 1)
    assert len(sent) == 1 and failed.value.__cause__ is None and "secret" not in str(failed.value)
    for call, times in [
        (lambda c: c.delete("a"), 1),
        (lambda c: c.set_language("auto"), 1),
        (lambda c: c.share("jonas", "read"), 1),
        (lambda c: c.unshare("jonas"), 1),
        (lambda c: c.change_offer("an-offer"), 1),
        (lambda c: c.withdraw_offer("an-offer"), 1),
        (lambda c: c.batch([]), 4),
        (lambda c: c.search("a"), 4),
    ]:
        sent.clear()
        with pytest.raises(mneme.TransportFailed):
            call(client)
        assert len(sent) == times


def test_refusals_are_tried_again_after_the_time_that_the_server_names(kind: str) -> None:
    for status, call, times in [
        (429, lambda c: c.put("a", 1), 4),
        (503, lambda c: c.put("a", 1), 1),
        (503, lambda c: c.unshare("jonas"), 1),
        (503, lambda c: c.search("a"), 4),
        (429, lambda c: c.search("a"), 4),
        (403, lambda c: c.search("a"), 1),
        (500, lambda c: c.search("a"), 1),
    ]:
        client, sent, pauses = mocked(kind, lambda _, status=status: problem(status, **{"Retry-After": "7"}))
        with pytest.raises(mneme.MnemeError) as refused:
            call(client)
        assert refused.value.status == status and len(sent) == times and pauses == [7.0] * (times - 1)
    client, sent, pauses = mocked(kind, lambda _: problem(503, **{"Retry-After": "3600"}))
    with pytest.raises(mneme.Unavailable):
        client.search("a")
    assert len(sent) == 1 and pauses == []


def test_repetitions_of_a_paid_search_have_one_key(kind: str) -> None:
    client, sent, pauses = mocked(
        kind, lambda n: problem(503) if n < 3 else httpx.Response(200, json={"hits": [], "degraded": [], "incomplete": False})
    )
    client.search("a", stores=["shop"], max_charge=100)
    assert len({request.headers["Idempotency-Key"] for request in sent}) == 1 and len(sent) == 3 and len(pauses) == 2
    client.search("a")
    assert "Idempotency-Key" not in sent[-1].headers


def test_a_payer_pays_once(kind: str) -> None:
    class Payer:
        def handle_402_response(self, headers: dict[str, str], body: bytes | None, request_url: str) -> Any:
            paid = {"PAYMENT-SIGNATURE": headers["payment-required"]}, None
            if kind == "synchronous":
                return paid

            async def later() -> Any:
                return paid

            return later()

    client, sent, _ = mocked(kind, lambda _: problem(402, **{"PAYMENT-REQUIRED": "asked"}), payer=Payer())
    with pytest.raises(mneme.PaymentRequired):
        client.search_offer("an-offer", "a")
    assert ["PAYMENT-SIGNATURE" in request.headers for request in sent] == [False, True]
    assert sent[0].headers["Idempotency-Key"] == sent[1].headers["Idempotency-Key"]


def test_an_answer_that_cannot_be_read(kind: str) -> None:
    client, _, _ = mocked(kind, lambda _: httpx.Response(200, text="<html>secret"))
    with pytest.raises(mneme.UnreadableAnswer) as unreadable:
        client.account()
    assert "secret" not in str(unreadable.value)


def test_an_address_is_checked_and_not_shown(kind: str) -> None:
    for url in ("server", "ftp://server", "http://user:secret@server", "http://server?token=secret", "http://"):
        with pytest.raises(ValueError) as refused:
            mneme.Mneme(url, "t")
        assert "secret" not in str(refused.value)
