"""Checks the functions against a running server. MNEME_URL and MNEME_TOKEN name the server and the caller."""

import os
import time
import uuid
from collections.abc import Callable

from bilingual import Found, ask, note, reads
from mneme import Mneme

url, token = os.environ.get("MNEME_URL", "http://127.0.0.1:7077"), os.environ["MNEME_TOKEN"]
space = "check-" + uuid.uuid4().hex[:12]
checks = 0

NOTES = {
    "seat": "Anna prefers the window seat on trains, facing forward.",
    "garten": "Die Tomaten im Gewächshaus brauchen jeden Abend Wasser.",
    "rent": "The rent is due on the third working day of each month.",
    "brot": "Samstags backen wir Roggenbrot, solange der Ofen noch warm ist.",
}
QUESTIONS = {  # in each language, about notes in each language
    "Where does Anna like to sit?": "seat",
    "Wann müssen die Tomaten gegossen werden?": "garten",
    "Wann muss die Miete bezahlt werden?": "rent",
    "On which day do we bake bread?": "brot",
}


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


def eventually(what: str, holds: Callable[[], bool]) -> None:
    """After the first question in German the English notes get vectors of the other model, in the background."""
    deadline = time.monotonic() + 180
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"not so: {what}")
        time.sleep(0.2)
    expect(what, True)


def first(memory: Mneme, question: str) -> Found | None:
    return next(iter(ask(memory, space, question)), None)


with Mneme(url, token) as memory:
    for key, text in NOTES.items():
        note(memory, space, key, text)
    for question, key in QUESTIONS.items():
        eventually(f"{question} finds {key}", lambda question=question, key=key: (hit := first(memory, question)) is not None and hit.key == key)
    eventually(
        "a question in German is judged by the multilingual model",
        lambda: first(memory, "Wo sitzt Anna gern?") == Found("seat", NOTES["seat"], "multilingual", "en"),
    )
    expect("a note in German is known as such", [hit.language for hit in ask(memory, space, "Roggenbrot") if hit.key == "brot"] == ["de"])
    expect("both models read the store", reads(memory).startswith("english, multilingual: "))
    memory.batch([{"op": "delete", "key": key, "namespace": space} for key in NOTES])
print(f"{checks} checks hold")
