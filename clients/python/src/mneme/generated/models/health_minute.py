from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.health_step import HealthStep





T = TypeVar("T", bound="HealthMinute")



@_without_unset
@_attrs_define
class HealthMinute:
    """ 
        Attributes:
            start (datetime.datetime):
            searches (int): Answered searches.
            degraded (int): Of them without one of their legs or behind.
            incomplete (int): Of them those that may lack hits.
            requests (int): Answered requests of any kind.
            limited (int): Refused by a limit: requests with 429, and calls of tools.
            failed (int): Failed: requests with 5xx, and calls of tools.
            written (int): Entries written, renamed, deleted or restored.
            indexed (int): Entries whose vectors were brought up to date.
            index_failed (int): Entries that were returned to the queue.
            steps (list[HealthStep]):
            queue_depth (int | Unset): The largest sample; absent if there is none.
            oldest_wait_s (float | Unset): The largest sample; absent if there is none.
     """

    start: datetime.datetime
    searches: int
    degraded: int
    incomplete: int
    requests: int
    limited: int
    failed: int
    written: int
    indexed: int
    index_failed: int
    steps: list[HealthStep]
    queue_depth: int | Unset = UNSET
    oldest_wait_s: float | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.health_step import HealthStep # noqa: PLC0415
        start = self.start.isoformat()

        searches = self.searches

        degraded = self.degraded

        incomplete = self.incomplete

        requests = self.requests

        limited = self.limited

        failed = self.failed

        written = self.written

        indexed = self.indexed

        index_failed = self.index_failed

        steps = []
        for steps_item_data in self.steps:
            steps_item = steps_item_data.to_dict()
            steps.append(steps_item)



        queue_depth = self.queue_depth

        oldest_wait_s = self.oldest_wait_s


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "start": start,
            "searches": searches,
            "degraded": degraded,
            "incomplete": incomplete,
            "requests": requests,
            "limited": limited,
            "failed": failed,
            "written": written,
            "indexed": indexed,
            "index_failed": index_failed,
            "steps": steps,
        })
        if queue_depth is not UNSET:
            field_dict["queue_depth"] = queue_depth
        if oldest_wait_s is not UNSET:
            field_dict["oldest_wait_s"] = oldest_wait_s

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.health_step import HealthStep # noqa: PLC0415
        d = dict(src_dict)
        start = datetime.datetime.fromisoformat(d.pop("start").replace("Z", "+00:00"))




        searches = d.pop("searches")

        degraded = d.pop("degraded")

        incomplete = d.pop("incomplete")

        requests = d.pop("requests")

        limited = d.pop("limited")

        failed = d.pop("failed")

        written = d.pop("written")

        indexed = d.pop("indexed")

        index_failed = d.pop("index_failed")

        steps = []
        _steps = d.pop("steps")
        for steps_item_data in (_steps):
            steps_item = HealthStep.from_dict(steps_item_data)



            steps.append(steps_item)


        queue_depth = d.pop("queue_depth", UNSET)

        oldest_wait_s = d.pop("oldest_wait_s", UNSET)

        health_minute = cls(
            start=start,
            searches=searches,
            degraded=degraded,
            incomplete=incomplete,
            requests=requests,
            limited=limited,
            failed=failed,
            written=written,
            indexed=indexed,
            index_failed=index_failed,
            steps=steps,
            queue_depth=queue_depth,
            oldest_wait_s=oldest_wait_s,
        )

        return health_minute

