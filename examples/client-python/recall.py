"""The memory of a program around a model: facts about a question go into the prompt, and new facts are stored."""

from mneme import Mneme, NotFound, PreconditionFailed

LEAST = 0.03  # the relevance below which the service's own tools drop a hit


def known(memory: Mneme, namespace: str, question: str, max_tokens: int = 400) -> str:
    """Returns the known facts about a question for a prompt, best first; empty if there are none."""
    answer = memory.search(question, namespace=namespace, max_tokens=max_tokens, passages=True, min_relevance=LEAST)
    texts = [[passage.text for passage in hit.passages] if hit.passages else [str(hit.value)] for hit in answer.hits]
    return "\n".join(f"- {text}" for each in texts for text in each)


def learn(memory: Mneme, namespace: str, topic: str, fact: str) -> None:
    """Adds a fact to a topic. Concurrent programs lose none of their facts."""
    while True:
        try:
            entry, etag = memory.get(topic, namespace=namespace)
            memory.put(topic, f"{entry.value}\n{fact}", namespace=namespace, if_match=etag, wait=True)
            return
        except NotFound:
            try:
                memory.put(topic, fact, namespace=namespace, if_none_match="*", wait=True)
                return
            except PreconditionFailed:
                continue  # another program created the topic
        except PreconditionFailed:
            continue  # another program added to it


def forget(memory: Mneme, namespace: str) -> int:
    """Moves all entries of a namespace to the trash, and returns their number."""
    items = [{"op": "delete", "key": entry.key, "namespace": namespace} for entry in memory.list(namespace=namespace)]
    for start in range(0, len(items), 1000):
        memory.batch(items[start : start + 1000])
    return len(items)
