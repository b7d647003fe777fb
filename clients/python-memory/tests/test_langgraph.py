"""What LangGraph's own tests ask of a BaseStore. What cannot apply is in the package's README."""

import asyncio
import uuid

import pytest
from conftest import eventually
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from mneme.generated.models import BatchOutcome, BatchProblem, BatchResult
from mneme_memory import ItemRefused
from mneme_memory.langgraph import MnemeStore


@pytest.fixture
def store(client):
    return MnemeStore(client=client)


def keys(items):
    return sorted(item.key for item in items)


def namespaces(store, *prefix, **more):
    return {item.namespace for item in store.search(prefix, limit=100, **more)}


# Items


def test_an_item_is_read_as_it_was_put(store):
    value = {"title": "Notes", "nested": {"list": [1, 2.5, None, True]}, "text": "Grüße, 東京 🍵"}
    store.put(("docs", "ada"), "notes", value)
    item = store.get(("docs", "ada"), "notes")
    assert (item.value, item.key, item.namespace) == (value, "notes", ("docs", "ada"))
    assert item.created_at == item.updated_at


def test_a_second_put_replaces_the_value_and_keeps_when_it_was_created(store):
    store.put(("a",), "k", {"v": 1, "old": True})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"v": 2})
    second = store.get(("a",), "k")
    assert second.value == {"v": 2} and second.created_at == first.created_at and second.updated_at > first.updated_at


def test_what_is_not_there_is_none_and_may_be_deleted(store):
    assert store.get(("a",), "k") is None
    store.delete(("a",), "k")
    store.put(("a",), "k", {})
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None and store.search(("a",)) == []


def test_a_key_is_one_of_its_namespace(store):
    store.put(("a",), "k", {"v": 1})
    store.put(("a", "b"), "k", {"v": 2})
    assert store.get(("a",), "k").value == {"v": 1} and store.get(("a", "b"), "k").value == {"v": 2} and store.get(("b",), "k") is None


def test_a_value_with_a_time_to_live_ends(store):
    store.put(("a",), "k", {"v": 1}, ttl=1 / 60)
    assert store.get(("a",), "k") is not None
    eventually(lambda: store.get(("a",), "k"), lambda item: item is None)


def test_a_put_without_a_time_to_live_ends_that_of_the_item(store, client, requests):
    expires = lambda: client.get("k", namespace="a")[0].expires_at
    store.put(("a",), "k", {"v": 1}, ttl=1)
    assert expires()
    store.put(("a",), "k", {"v": 2})
    assert not expires() and store.get(("a",), "k").value == {"v": 2}
    store.put(("a",), "k", {"v": 3}, ttl=1)
    store.batch([PutOp(("a",), "other", {}), PutOp(("a",), "k", {"v": 4}, index=False)])
    entry, _ = client.get("k", namespace="a")
    assert not entry.expires_at and entry.value == {"v": 4} and entry.tags == ["langgraph:index=false"]
    del requests[:]
    store.put(("a",), "k", {"v": 5})
    assert len(requests) == 1


def test_a_put_without_a_time_to_live_has_that_of_the_agents_new_entries(store, client):
    agent = client.put("agent", 1).updated_by
    settings = f"/v1/agents/{agent}/settings"
    before = client._json("GET", settings)
    client._json("PUT", settings, json=before | {"default_ttl": 3600})
    try:
        lifetime = lambda entry: (entry.expires_at - entry.updated_at).total_seconds()
        store.put(("a",), "k", {"v": 1}, ttl=1)
        store.put(("a",), "k", {"v": 2})
        assert lifetime(client.get("k", namespace="a")[0]) == 3600
    finally:
        client._json("PUT", settings, json=before)


# Batches


def test_a_batch_takes_one_request(store, requests):
    store.batch([PutOp(("a",), f"k{i}", {"i": i}) for i in range(500)])
    read = store.batch([GetOp(("a",), f"k{i}") for i in range(500)] + [GetOp(("a",), "none")])
    assert [item.value["i"] for item in read[:-1]] == list(range(500)) and read[-1] is None
    assert len(requests) == 2


def test_a_large_batch_is_divided(store, requests):
    store.batch([PutOp(("a",), f"k{i}", {"text": "word " * 15_000}) for i in range(200)])  # 15 MB
    read = store.batch([GetOp(("a",), f"k{i}") for i in range(200)])
    assert all(item is not None for item in read) and len(requests) < 10


def test_reads_of_a_batch_see_what_was_there_before(store):
    store.put(("a",), "k", {"v": 1})
    got, _, found, _, listed = store.batch(
        [GetOp(("a",), "k"), PutOp(("a",), "k", {"v": 2}), SearchOp(("a",)), PutOp(("b",), "k", {"v": 3}), ListNamespacesOp()]
    )
    assert got.value == {"v": 1} and found[0].value == {"v": 1} and listed == [("a",)]
    assert store.get(("a",), "k").value == {"v": 2} and store.get(("b",), "k").value == {"v": 3}


def test_reads_of_a_divided_batch_see_what_was_there_before(store, client):
    text = "word " * 15_000
    store.batch([PutOp(("a",), f"k{i}", {"text": text}) for i in range(150)])  # 11 MB
    read = store.batch([*(GetOp(("a",), f"k{i}") for i in range(150)), PutOp(("a",), "k149", {"text": "new"})])
    assert all(item.value == {"text": text} for item in read[:-1])
    entry, _ = client.get("k149", namespace="a")
    assert (entry.value, entry.version) == ({"text": "new"}, 2)


def test_what_no_answer_has_room_for_is_refused():
    class Full:
        def batch(self, items, store, atomic):
            return BatchResult([BatchOutcome(413, problem=BatchProblem("about:blank", "Too large", 413)) for _ in items])

    with pytest.raises(ItemRefused, match="413"):
        MnemeStore(client=Full()).batch([GetOp(("a",), "k"), GetOp(("a",), "l")])


def test_of_several_puts_of_one_key_the_last_counts(store):
    store.batch(
        [PutOp(("a",), "k", {"v": 1}), PutOp(("a",), "k", None), PutOp(("a",), "k", {"v": 3}), PutOp(("a",), "gone", {}), PutOp(("a",), "gone", None)]
    )
    assert store.get(("a",), "k").value == {"v": 3} and store.get(("a",), "gone") is None


def test_results_are_in_the_order_of_the_operations(store):
    store.batch([PutOp(("a",), str(i), {"i": i}) for i in range(5)])
    ops = [GetOp(("a",), "3"), SearchOp(("a",), filter={"i": 1}), PutOp(("a",), "5", {}), GetOp(("a",), "0"), ListNamespacesOp(), GetOp(("a",), "9")]
    three, one, put, zero, listed, nine = store.batch(ops)
    assert three.key == "3" and keys(one) == ["1"] and put is None and zero.key == "0" and listed == [("a",)] and nine is None


def test_an_invalid_label_refuses_the_whole_batch(store):
    for namespace in [("foo.bar",), ("foo", ""), ("foo", 1), ("foo\0",)]:
        for op in [
            GetOp(namespace, "k"),
            PutOp(namespace, "k", {}),
            PutOp(namespace, "k", None),
            SearchOp(namespace),
            ListNamespacesOp((MatchCondition("prefix", namespace),)),
            ListNamespacesOp((MatchCondition("suffix", namespace),)),
        ]:
            with pytest.raises(InvalidNamespaceError):
                store.batch([PutOp(("valid",), "k", {}), op])
    assert store.get(("valid",), "k") is None


def test_what_is_refused_is_an_error_and_the_rest_is_done(store):
    with pytest.raises(ValueError, match="422"):
        store.batch([PutOp(("a",), "k", {"v": 1}), PutOp(("a",), "x" * 600, {})])
    assert store.get(("a",), "k").value == {"v": 1}


def test_calls_of_many_tasks_at_once(store):
    async def run():
        await asyncio.gather(*(store.aput(("a",), f"k{i}", {"i": i}) for i in range(40)))
        return await asyncio.gather(*(store.aget(("a",), f"k{i}") for i in range(40)))

    assert [item.value["i"] for item in asyncio.run(run())] == list(range(40))


# Namespaces


def test_a_namespace_of_several_uuids(store):
    namespace = ("memories", *(str(uuid.uuid4()) for _ in range(6)))
    store.put(namespace, "k", {"v": 1})
    assert store.get(namespace, "k").namespace == namespace and namespaces(store, *namespace[:3]) == {namespace}


def test_labels_are_literal_and_case_counts(store):
    pairs = [
        ("user_1", "userX1"),
        ("a%b", "axxb"),
        ("star*", "starX"),
        ("q?m", "qXm"),
        ("br[ack]et", "brXacXket"),
        ("plus+", "plusX"),
        ("Foo", "foo"),
        ("100%41", "100A"),
        ("alice\n", "alice"),
        ("e\u0301", "\u00e9"),
        ("a b/c\\d'e\"f", "a b"),
    ]
    for label, decoy in pairs:
        for namespace in [(label,), (label, "child"), (decoy,)]:
            store.put(namespace, "k", {"v": 1})
    for label, decoy in pairs:
        assert namespaces(store, label) == {(label,), (label, "child")}
        assert set(store.list_namespaces(prefix=(label,), limit=100)) == {(label,), (label, "child")}
        assert store.get((label,), "k").namespace == (label,)


def test_a_prefix_ends_at_a_label(store):
    for namespace in [("foo",), ("foo", "child"), ("foo", "child", "deep"), ("foobar",), ("foobar", "baz"), ("foo2",)]:
        store.put(namespace, "k", {"v": 1})
    assert namespaces(store, "foo") == {("foo",), ("foo", "child"), ("foo", "child", "deep")}
    assert namespaces(store, "foobar") == {("foobar",), ("foobar", "baz")}
    assert namespaces(store, "fo") == set() and len(namespaces(store)) == 6


def test_namespaces_are_listed_by_prefix_suffix_wildcards_and_depth(store):
    every = [
        ("a", "b", "c"),
        ("a", "b", "d", "e"),
        ("a", "b", "d", "i"),
        ("a", "b", "f"),
        ("a", "c", "f"),
        ("b", "a", "f"),
        ("users", "123"),
        ("users", "456", "settings"),
    ]
    for namespace in every:
        store.put(namespace, "k", {"v": 1})
    listed = lambda **conditions: store.list_namespaces(**conditions)
    assert listed() == sorted(every)
    assert listed(prefix=("a", "b")) == sorted(n for n in every if n[:2] == ("a", "b"))
    assert listed(suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f"), ("b", "a", "f")]
    assert listed(prefix=("a",), suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert listed(prefix=("a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert listed(prefix=("*", "*", "d")) == [("a", "b", "d", "e"), ("a", "b", "d", "i")]
    assert listed(suffix=("*", "f")) == [("a", "b", "f"), ("a", "c", "f"), ("b", "a", "f")]
    assert listed(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert listed(max_depth=1) == [("a",), ("b",), ("users",)]
    assert listed(prefix=("nothing",)) == []


def test_a_list_of_namespaces_has_pages(store):
    for i in range(10):
        store.put(("a", f"n{i}"), "k", {"v": 1})
    pages = [store.list_namespaces(prefix=("a",), limit=4, offset=offset) for offset in (0, 4, 8, 12)]
    assert [len(page) for page in pages] == [4, 4, 2, 0] and sum(pages, []) == store.list_namespaces(prefix=("a",))


def test_an_empty_store(store):
    assert store.list_namespaces() == [] and store.search(()) == [] and store.search((), query="anything") == []


# Searches


def test_filters_compare(store):
    for i in range(6):
        store.put(
            ("a",),
            f"k{i}",
            {"n": i, "half": i / 2, "even": i % 2 == 0, "name": f"o'name {i}", "in": {"n": i, "x-y": i, "word": "w"}, "list": [i, {"n": i}]},
        )
    store.put(("a",), "other", {"n": None})
    for filter, want in [
        ({"n": 3}, "3"),
        ({"n": {"$gt": 3}}, "45"),
        ({"n": {"$gte": 3, "$lt": 5}}, "34"),
        ({"n": {"$lte": 1}, "even": True}, "0"),
        ({"n": {"$ne": 2}, "even": {"$eq": True}}, "04"),
        ({"half": 1.5}, "3"),
        ({"half": {"$gt": 1.9}}, "45"),
        ({"name": "o'name 2"}, "2"),
        ({"name": "x' OR '1'='1"}, ""),
        ({"name": "o'name 2\0"}, ""),
        ({"in": {"n": 4}}, "4"),
        ({"in": {"n": {"$gt": 3}}}, "45"),
        ({"in.n": 4}, "4"),
        ({"in.x-y": {"$gte": 5}}, "5"),
        ({"in.word": {"$gt": 1}}, ""),
        ({"list": [1, {"n": 1}]}, "1"),
        ({"n": {"$lt": float("inf")}}, "012345"),
        ({"n": {"$gt": float("-inf")}}, "012345"),
        ({"n": {"$eq": float("nan")}}, ""),
        ({"n": {"$lt": 10**100}}, "012345"),
        ({"missing": 1}, ""),
        ({"n": {"$gt": 1}, "name": {"$ne": "o'name 3"}}, "245"),
    ]:
        found = keys(store.search(("a",), filter=filter))
        assert found == [f"k{i}" for i in want], filter
    assert keys(store.search(("a",), filter={"n": None})) == ["other"]
    with pytest.raises(ValueError, match="operator"):
        store.search(("a",), filter={"n": {"$near": 1}})


def test_a_list_has_pages(store):
    store.batch([PutOp(("a",), f"k{i:03}", {"i": i}) for i in range(250)])
    assert len(store.search(("a",))) == 10
    pages = [store.search(("a",), limit=100, offset=offset) for offset in (0, 100, 200, 300)]
    assert [len(page) for page in pages] == [100, 100, 50, 0]
    assert keys(sum(pages, [])) == [f"k{i:03}" for i in range(250)]


def test_a_query_finds_by_words_and_meaning_best_first(store):
    store.put(("a", "ada"), "drink", {"text": "Ada takes her tea without milk."})
    store.put(("a", "ada"), "pet", {"text": "Ada has a cat named Turing."})
    store.put(("a", "ben"), "drink", {"text": "Ben takes his coffee black."})
    store.put(("other",), "tea", {"text": "Tea of another namespace."})
    found = eventually(
        lambda: store.search(("a",), query="which hot beverage does Ada like?", limit=3), lambda found: found and found[0].key == "drink"
    )
    assert found[0].namespace == ("a", "ada") and found[0].score >= found[-1].score > 0
    assert namespaces(store, "a", query="tea") <= {("a", "ada"), ("a", "ben")}
    assert keys(store.search(("a", "ben"), query="what does he drink?")) == ["drink"]


def test_a_query_with_a_filter(store):
    store.batch([PutOp(("a",), f"k{i}", {"text": f"A train to town {i}.", "price": i}) for i in range(150)])
    assert keys(store.search(("a",), query="train to town", filter={"price": {"$gte": 148}})) == ["k148", "k149"]
    assert keys(store.search(("a",), query="train to town", filter={"price": {"$ne": 3, "$lt": 5}})) == ["k0", "k1", "k2", "k4"]


def test_a_query_has_pages(store):
    store.batch([PutOp(("a",), f"k{i:03}", {"text": f"A train to town {i}."}) for i in range(150)])
    eventually(lambda: store.search(("a",), query="train", limit=150), lambda found: len(found) == 150)
    pages = [store.search(("a",), query="train", limit=60, offset=offset) for offset in (0, 60, 120)]
    assert [len(page) for page in pages] == [60, 60, 30]


def test_what_is_not_indexed_is_listed_and_not_found(store):
    store.put(("a",), "seen", {"text": "The train leaves at nine."})
    store.put(("a",), "unseen", {"text": "The train leaves at ten."}, index=False)
    assert keys(store.search(("a",), query="train")) == ["seen"] and keys(store.search(("a",))) == ["seen", "unseen"]
    assert store.get(("a",), "unseen").value == {"text": "The train leaves at ten."}
    store.put(("a",), "unseen", {"text": "The train leaves at ten."})
    assert keys(store.search(("a",), query="train")) == ["seen", "unseen"]


def test_queries_of_several_scripts(store):
    for i, text in enumerate(["这是中文", "これは日本語です", "이건 한국어야", "Это русский", "यह रूसी है"]):
        store.put(("a",), str(i), {"text": text})
    for i, text in enumerate(["这是中文", "これは日本語です", "이건 한국어야", "Это русский", "यह रूसी है"]):
        assert store.search(("a",), query=text)[0].key == str(i)
