"""Checks the store against a running server. MNEME_URL and MNEME_TOKEN name the server and the caller."""

import asyncio
import time
import uuid

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore
from mneme_memory.langgraph import MnemeStore

store = MnemeStore()
run = "check-" + uuid.uuid4().hex[:12]
ada, ben, notes = (run, "ada"), (run, "ben"), (run, "ada", "notes")
checks = 0


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


def keys(items: list) -> list[str]:
    return [item.key for item in items]


store.put(ada, "drink", {"text": "Ada takes her tea without milk.", "cups": 3})
store.put(ada, "pet", {"text": "Ada has a cat named Turing.", "cups": 0})
store.put(ben, "drink", {"text": "Ben takes his coffee black.", "cups": 5})
store.put(notes, "trip/1", {"text": "The train to Lisbon leaves on Thursday."})

item = store.get(ada, "drink")
expect("an item is read as it was put", item is not None and item.value["cups"] == 3 and item.namespace == ada)
expect("what is not there is None", store.get(ada, "nothing") is None)
expect("a search without a question lists", keys(store.search((run,), limit=100)) == ["drink", "pet", "trip/1", "drink"])
expect("in pages", keys(store.search((run,), limit=2, offset=1)) == ["pet", "trip/1"])
expect("a filter compares", keys(store.search((run,), filter={"cups": {"$gte": 3}})) == ["drink", "drink"])
expect("or matches", keys(store.search(ada, filter={"cups": 0})) == ["pet"])

deadline = time.monotonic() + 180
while True:  # the vector leg finds a text about a second after it was written
    found = store.search(ada, query="which hot beverage does she like?", limit=1)
    if keys(found) == ["drink"] or time.monotonic() > deadline:
        break
    time.sleep(0.1)
expect("a question finds by meaning", keys(found) == ["drink"] and found[0].namespace == ada)
expect("with score and times", bool(found[0].score) and abs((found[0].created_at - item.created_at).total_seconds()) < 1)
expect("in the namespaces below, too", "trip/1" in keys(store.search((run,), query="train to Lisbon")))
expect("and not beside", "drink" not in keys(store.search(notes, query="coffee or tea")))

expect("namespaces are listed", store.list_namespaces(prefix=(run,)) == [ada, notes, ben])
expect("cut at a depth", store.list_namespaces(prefix=(run,), max_depth=1) == [(run,)])
expect("by their end", store.list_namespaces(prefix=(run,), suffix=("*", "notes")) == [notes])

store.put(ada, "moment", {"text": "soon gone"}, ttl=1)
expect("what has a time to live is there at first", store.get(ada, "moment") is not None)


def answer(state: MessagesState, *, store: BaseStore) -> dict:
    """A node that searches, in place of a model."""
    hits = store.search(ada, query=state["messages"][-1].content, limit=1)
    return {"messages": [("ai", hits[0].value["text"])]}


graph = StateGraph(MessagesState)
graph.add_node("answer", answer)
graph.add_edge(START, "answer")
said = graph.compile(store=store).invoke({"messages": [("user", "Does Ada have a cat?")]})["messages"][-1].content
expect("a graph recalls", said == "Ada has a cat named Turing.")


async def without_waiting() -> list:
    await store.aput(ben, "drink", {"text": "Ben gave up coffee."})
    return [await store.aget(ben, "drink"), await store.asearch(ben, query="coffee")]


written, searched = asyncio.run(without_waiting())
expect("async calls do the same", written.value["text"] == "Ben gave up coffee." and keys(searched) == ["drink"])

for namespace, key in ((ada, "drink"), (ada, "pet"), (ada, "moment"), (ben, "drink"), (notes, "trip/1")):
    store.delete(namespace, key)
store.delete(ada, "drink")  # deleting again is not an error
expect("deleted items are gone", store.search((run,)) == [])
print(f"{checks} checks hold")
