"""The memory of an agent that works in German and English: one store, and questions in either language."""

from dataclasses import dataclass

from mneme import UNSET, Mneme


@dataclass
class Found:
    key: str
    text: str
    model: str  # that compared it with the question: english or multilingual; "" if none did
    language: str  # of the text, as the service guesses it; "" if it does not know


def note(memory: Mneme, namespace: str, key: str, text: str) -> None:
    """Keeps a note in whatever language it is written. Nothing says which: the service sees it."""
    memory.put(key, text, namespace=namespace, wait=True)


def ask(memory: Mneme, namespace: str, question: str, limit: int = 3) -> list[Found]:
    """What answers a question, best first, with what the explanations say of each hit."""
    answer = memory.search(question, namespace=namespace, limit=limit, explain=True)
    return [Found(str(hit.key), str(hit.value), told(hit.explain.model), told(hit.explain.language)) for hit in answer.hits]


def told(value: object) -> str:
    return "" if value is UNSET else str(value)


def reads(memory: Mneme) -> str:
    """Which models read the agent's own store, and why."""
    store = next(each for each in memory.stores() if each.kind == "self")
    return f"{', '.join(store.models)}: {store.why}"
