"""How the memories reach their server: the client, and batches of any size."""

import json
from collections.abc import Iterator
from typing import Any

from mneme import Mneme, MnemeError
from mneme.generated.models import BatchOutcome, BatchProblem

MAX_ITEMS = 1000  # of one batch
MAX_BYTES = 8_000_000  # of the items of one batch, below the 10 MB of a request

Item = dict[str, Any]


class ItemRefused(ValueError):
    """The server refused an item of a batch, and did the others unless the batch was atomic.

    status is the HTTP status that the item would have had alone, and field the place in it that breaks a rule, "" if
    none is named. The text is the server's, and contains nothing that was written.
    """

    def __init__(self, problem: BatchProblem) -> None:
        self.status = problem.status
        self.field = problem.field or ""
        super().__init__(f"mneme: {problem.detail or problem.title} ({problem.status})")


def connect(url: str | None = None, token: str | None = None) -> Mneme:
    """Returns a client of a server: by default at MNEME_URL, else http://127.0.0.1:7077, with MNEME_TOKEN.

    ValueError tells that there is no token, or that url is no address of a server.
    """
    return Mneme(url, token)


def do(client: Mneme, store: str, items: list[Item], atomic: bool = False) -> list[BatchOutcome]:
    """Gets items, or puts and deletes items, in order, in as few batches as they fit in, and returns their outcomes.

    What is not there to be read or deleted is no error. ItemRefused, for the first item that was refused, is raised
    after all were done; with atomic, which is for puts, nothing of its batch and of those after it was.
    """
    try:
        outcomes = send(client, store, items, atomic)
    except MnemeError as error:
        if "item" not in error.problem:
            raise
        raise ItemRefused(BatchProblem.from_dict(error.problem)) from error
    check(items, outcomes)
    return outcomes


def send(client: Mneme, store: str, items: list[Item], atomic: bool = False) -> list[BatchOutcome]:
    """Is do, but for the items that are refused: check raises what they are refused for.

    Gets and writes are not mixed, since what follows a get without room is sent again.
    """
    outcomes: list[BatchOutcome] = []
    while len(outcomes) < len(items):
        part = list(first_batch(items[len(outcomes) : len(outcomes) + MAX_ITEMS]))
        for i, (item, outcome) in enumerate(zip(part, client.batch(part, store=store, atomic=atomic).outcomes)):
            if i > 0 and outcome.status == 413 and item["op"] == "get":  # this answer has no room for it: the next one may
                break
            outcomes.append(outcome)
    return outcomes


def check(items: list[Item], outcomes: list[BatchOutcome]) -> None:
    """Raises ItemRefused for the first item that was refused."""
    for item, outcome in zip(items, outcomes):
        if isinstance(outcome.problem, BatchProblem) and not (outcome.status == 404 and item["op"] != "put"):
            raise ItemRefused(outcome.problem)


def first_batch(items: list[Item]) -> Iterator[Item]:
    """Yields the first items that fit in one batch, at least one."""
    room = MAX_BYTES
    for i, item in enumerate(items):
        room -= len(json.dumps(item).encode())
        if i > 0 and room < 0:
            return
        yield item
