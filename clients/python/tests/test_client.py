"""Against a real server: MNEME_URL and MNEME_TOKEN name it."""

import os
import uuid
from collections.abc import Iterator

import httpx
import pytest

import mneme


@pytest.fixture
def client() -> Iterator[mneme.Mneme]:
    if "MNEME_URL" not in os.environ:
        if os.environ.get("CI"):
            pytest.fail("MNEME_URL is not set")
        pytest.skip("MNEME_URL is not set")
    with mneme.Mneme(os.environ["MNEME_URL"], os.environ["MNEME_TOKEN"]) as c:
        yield c


def test_what_is_put_is_read_found_and_deleted(client: mneme.Mneme) -> None:
    namespace = uuid.uuid4().hex
    client.put("diet/anna", "Anna eats no nuts.", namespace=namespace, wait=True, tags=["food"])
    entry, etag = client.get("diet/anna", namespace=namespace)
    assert entry.value == "Anna eats no nuts." and etag
    assert client.search("What does Anna not eat?", namespace=namespace).hits[0].key == "diet/anna"
    client.delete("diet/anna", namespace=namespace, if_match=etag)
    with pytest.raises(mneme.NotFound) as refused:
        client.get("diet/anna", namespace=namespace)
    assert "anna" not in str(refused.value)


def test_a_write_whose_condition_fails_is_refused(client: mneme.Mneme) -> None:
    namespace = uuid.uuid4().hex
    client.put("a", 1, namespace=namespace, if_none_match="*")
    with pytest.raises(mneme.PreconditionFailed):
        client.put("a", 2, namespace=namespace, if_none_match="*")


def test_a_listing_has_the_entries_of_all_pages(client: mneme.Mneme) -> None:
    namespace = uuid.uuid4().hex
    client.batch([{"op": "put", "key": f"k{n:03}", "namespace": namespace, "value": n} for n in range(150)])
    assert [e.value for e in client.list(namespace=namespace)] == list(range(150))


def test_a_write_is_not_repeated_when_the_connection_fails() -> None:
    sent = []

    def fail(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        raise httpx.ReadError("")

    with mneme.Mneme("http://server", "t", transport=httpx.MockTransport(fail), pause=lambda _: None) as c:
        with pytest.raises(httpx.ReadError):
            c.put("a", 1)
        assert len(sent) == 1
        with pytest.raises(httpx.ReadError):
            c.search("a")
        assert len(sent) == 5
