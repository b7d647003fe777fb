"""Tests of the clients' address, proxy and error handling."""

import http.server
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import httpx
import mneme
import pytest
from mneme import route
from test_client import kind, make, mocked, problem  # noqa: F401

PROBLEM = {"Content-Type": "application/problem+json"}


class Proxy(http.server.BaseHTTPRequestHandler):
    """Answers every call with 502 and records the requests."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(502)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The host and port of a proxy in the environment."""
    Proxy.asked.clear()
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        where = f"127.0.0.1:{proxy.server_port}"
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://user:secret@{where}")
        yield where
        proxy.shutdown()


def test_no_proxy_gets_a_call_to_this_machine(kind: str, proxied: str) -> None:  # noqa: F811
    for url in ("http://127.0.0.1:1", "http://localhost:1", "http://127.9.9.9:1/mneme", "http://[::1]:1", "http://mneme.localhost:1"):
        with pytest.raises(mneme.TransportFailed) as failed:
            make(kind, url, "secret-token", retries=0).account()
        assert failed.value.proxy == "" and "proxy" not in str(failed.value)
    assert Proxy.asked == []


def test_a_proxy_of_socks_does_not_concern_this_machine(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    with pytest.raises(mneme.TransportFailed):
        make(kind, "http://127.0.0.1:1", "t", retries=0).account()


def test_an_error_names_the_proxy_without_its_password(kind: str, proxied: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    with pytest.raises(mneme.MnemeError):
        make(kind, "http://memory.example", "t", retries=0).account()
    assert Proxy.asked == ["http://memory.example/v1/account"]
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://user:secret@127.0.0.1:1")
    with pytest.raises(mneme.TransportFailed) as failed:
        make(kind, "http://memory.example", "t", retries=0).account()
    assert failed.value.proxy == "127.0.0.1:1" and "proxy 127.0.0.1:1" in str(failed.value) and "secret" not in str(failed.value)


def test_addresses_of_other_machines_are_not_this_one() -> None:
    for url in ("http://localhost.example", "http://10.0.0.1", "http://memory.example", "http://0.0.0.0", "http://128.0.0.1"):
        assert not route.is_direct(url)


def test_server_and_token_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return problem(404)

    monkeypatch.setenv("MNEME_URL", "https://host.example/mneme/")
    monkeypatch.setenv("MNEME_TOKEN", "of-the-environment")
    with mneme.Mneme(transport=httpx.MockTransport(answer)) as client, pytest.raises(mneme.NotFound):
        client.get("a")
    assert str(asked[0].url).startswith("https://host.example/mneme/v1/stores/self/memories/a")  # below a path
    assert asked[0].headers["Authorization"] == "Bearer of-the-environment"
    monkeypatch.delenv("MNEME_TOKEN")
    for client in (mneme.Mneme, mneme.AsyncMneme):
        with pytest.raises(ValueError, match="MNEME_TOKEN"):
            client()


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "<html>no such site"},
        {"headers": PROBLEM, "json": {"type": "about:blank", "status": 404}},
        {"headers": PROBLEM, "json": {"type": "urn:mneme:problem:no-such-call", "status": 404}},
    ],
)
def test_only_the_services_own_404_says_that_something_is_not_there(kind: str, answer: dict[str, Any]) -> None:  # noqa: F811
    client, _, _ = mocked(kind, lambda _: httpx.Response(404, **answer))
    with pytest.raises(mneme.MnemeError) as refused:
        client.get("a")
    assert refused.value.status == 404 and not isinstance(refused.value, mneme.NotFound)


def test_an_error_names_the_field(kind: str) -> None:  # noqa: F811
    kept = {"type": "urn:mneme:problem:rule", "title": "rule broken", "detail": "too many", "field": "tags[3]", "status": 422}
    client, _, _ = mocked(kind, lambda _: httpx.Response(422, headers=PROBLEM, json=kept))
    with pytest.raises(mneme.Invalid, match=r"tags\[3\]"):
        client.put("a", 1)


def test_what_an_answer_leaves_out_is_not_printed(kind: str) -> None:  # noqa: F811
    hit = {"key": "a", "value": "tea", "store_id": "s", "store": "s", "label": "PUBLIC", "score": 1.0, "relevance": 0.5}
    client, _, _ = mocked(kind, lambda _: httpx.Response(200, json={"hits": [hit], "degraded": [], "incomplete": False}))
    answer = client.search("a")
    assert "Unset" not in repr(answer) + f"{answer.hits[0].occurred_at} {answer.hits[0].tags!r}"
    assert "occurred_at" not in repr(answer.hits[0]) and "key='a'" in repr(answer.hits[0])
