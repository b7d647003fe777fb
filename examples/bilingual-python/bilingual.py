"""The memory of an agent that works in German and English: one store, and questions in either language."""

from dataclasses import dataclass

from mneme import UNSET, Mneme


@dataclass
class Found:
    key: str
    text: str
    model: str  # that scored it: english or multilingual; "" if none did
    language: str  # of the text, as detected by the service; "" if unknown


def note(memory: Mneme, namespace: str, key: str, text: str) -> None:
    """Stores a note in any language, which the service detects."""
    memory.put(key, text, namespace=namespace, wait=True)


def ask(memory: Mneme, namespace: str, question: str, limit: int = 3) -> list[Found]:
    """The answers to a question, best first, with each hit's model and language."""
    answer = memory.search(question, namespace=namespace, limit=limit, explain=True)
    return [Found(str(hit.key), str(hit.value), told(hit.explain.model), told(hit.explain.language)) for hit in answer.hits]


def told(value: object) -> str:
    return "" if value is UNSET else str(value)


def reads(memory: Mneme) -> str:
    """The models that read the agent's own store, and the reason."""
    store = next(each for each in memory.stores() if each.kind == "self")
    return f"{', '.join(store.models)}: {store.why}"
