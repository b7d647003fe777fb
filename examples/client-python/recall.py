"""The memory of a program around a model: what fits a question goes into the prompt, and what is learned is kept."""

from mneme import Mneme, NotFound, PreconditionFailed

LEAST = 0.03  # the relevance below which the service's own tools take a hit for none


def known(memory: Mneme, namespace: str, question: str, max_tokens: int = 400) -> str:
    """What is known about a question, for a prompt: best first, and empty if nothing is."""
    answer = memory.search(question, namespace=namespace, max_tokens=max_tokens, passages=True, min_relevance=LEAST)
    texts = [[passage.text for passage in hit.passages] if hit.passages else [str(hit.value)] for hit in answer.hits]
    return "\n".join(f"- {text}" for each in texts for text in each)


def learn(memory: Mneme, namespace: str, topic: str, fact: str) -> None:
    """Adds a fact to a topic. Programs that do so at once lose none of their facts."""
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
                continue  # another one began the topic
        except PreconditionFailed:
            continue  # another one added to it


def forget(memory: Mneme, namespace: str) -> int:
    """Moves everything of a namespace to the trash, and returns how much that was."""
    items = [{"op": "delete", "key": entry.key, "namespace": namespace} for entry in memory.list(namespace=namespace)]
    for start in range(0, len(items), 1000):
        memory.batch(items[start : start + 1000])
    return len(items)
