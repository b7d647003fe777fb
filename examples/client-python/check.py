"""Checks the functions against a running server. MNEME_URL and MNEME_TOKEN name the server and the caller."""

import os
import uuid
from concurrent.futures import ThreadPoolExecutor

from mneme import Mneme
from recall import forget, known, learn

url, token = os.environ.get("MNEME_URL", "http://127.0.0.1:7077"), os.environ["MNEME_TOKEN"]
space = "check-" + uuid.uuid4().hex[:12]
checks = 0


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


with Mneme(url, token) as memory:
    expect("at first nothing is known", known(memory, space, "Where does Anna like to sit?") == "")
    learn(memory, space, "travel", "Anna prefers the window seat on trains.")
    expect("what was learned is known", "window seat" in known(memory, space, "Where does Anna like to sit?"))
    with ThreadPoolExecutor(4) as several:
        facts = [f"Anna has been to {place}." for place in ("Lisbon", "Ghent", "Turku", "Porto")]
        list(several.map(lambda fact: learn(memory, space, "travel", fact), facts))
    entry, _ = memory.get("travel", namespace=space)
    expect("no fact of several writers is lost", all(fact in entry.value for fact in facts))
    learn(memory, space, "diet", "Anna eats no nuts.")
    expect("what answers comes first", known(memory, space, "What must I not cook for Anna?").startswith("- Anna eats no nuts."))
    expect("all is forgotten", forget(memory, space) == 2 and known(memory, space, "What must I not cook for Anna?") == "")
print(f"{checks} checks hold")
