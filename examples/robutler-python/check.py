"""Checks the skill against a running server. MNEME_URL and MNEME_TOKEN name the server and the caller."""

import os
import time
import uuid
from collections.abc import Callable

import httpx
from memory_skill import MemorySkill, Refused

url, token = os.environ["MNEME_URL"], os.environ["MNEME_TOKEN"]
run = "check-" + uuid.uuid4().hex[:12]
checks = 0


def expect(what: str, holds: bool) -> None:
    global checks
    checks += 1
    if not holds:
        raise SystemExit(f"not so: {what}")


def status(call: Callable[[], object]) -> int:
    try:
        call()
    except Refused as refused:
        return refused.status
    return 200


known = httpx.get(url + "/api/storage/memory", params={"action": "stores"}, headers={"X-API-Key": token}, timeout=60).json()
me = next(store["storeId"] for store in known["stores"] if store["kind"] == "self")
skill = MemorySkill(url, token, me, chat_id="no-such-chat", user_id="no-such-user")
tea, coffee, folder = f"/memories/{run}/tea time", f"/memories/{run}/coffee", f"/memories/{run}/"

expect("there is nothing at first", status(lambda: skill.view(tea)) == 404)
skill.create(tea, "Ada drinks green tea, green as grass, at four.")
expect("what was created is seen", skill.view(tea) == "Ada drinks green tea, green as grass, at four.")
skill.edit(tea, "green", "black")
expect("an edit replaces the first occurrence", skill.view(tea) == "Ada drinks black tea, green as grass, at four.")
expect("a folder lists its keys", skill.view(folder) == [f"{run}/tea time"])
skill.rename(tea, coffee)
expect("a renamed entry is at its new place", skill.view(coffee).startswith("Ada drinks black tea"))
expect("and not at its old one", status(lambda: skill.view(tea)) == 404)

deadline = time.monotonic() + 180
while True:  # the vector leg finds a text about a second after it was written
    found = [hit for hit in skill.search("which hot beverage does Ada have in the afternoon?") if hit["key"] == f"{run}/coffee"]
    if found or time.monotonic() > deadline:
        break
    time.sleep(0.1)
expect("a question finds it", bool(found) and found[0]["storeId"] == me and "black tea" in found[0]["value"])

skill.share("check-friend", "search")
skill.unshare("check-friend")
expect("the own store is among the stores", me in [store["storeId"] for store in skill.stores()])
expect("another's store is closed", status(lambda: skill.view("/memories/shared/check-stranger/")) == 403)
expect("another agent's name is refused", status(lambda: MemorySkill(url, token, me + "x").view(coffee)) == 403)

skill.set_internal(me, f"{run}/secret", {"key": "k-123"})
expect("a skill reads what it keeps", skill.get_internal(me, f"{run}/secret") == {"key": "k-123"})
expect("a list does not show it", skill.view(folder) == [f"{run}/coffee"])
expect("the tool does not delete it", status(lambda: skill.delete(f"/memories/{run}/secret")) == 404)
skill.set_internal(me, f"{run}/secret", None, ttl=1)

expect("a value above 100 kB is too large", status(lambda: skill.create(coffee, "x" * 200_000)) == 413)
skill.delete(coffee)
expect("a deleted entry is gone", status(lambda: skill.view(coffee)) == 404)
print(f"{checks} checks hold")
