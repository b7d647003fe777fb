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
  from ..models.health_encoder import HealthEncoder
  from ..models.health_limit import HealthLimit
  from ..models.health_minute import HealthMinute
  from ..models.health_queue import HealthQueue
  from ..models.health_searches import HealthSearches
  from ..models.health_step import HealthStep
  from ..models.health_storage import HealthStorage
  from ..models.health_vector import HealthVector
  from ..models.health_versions import HealthVersions
  from ..models.slow_searches import SlowSearches





T = TypeVar("T", bound="Health")



@_without_unset
@_attrs_define
class Health:
    """ 
        Attributes:
            now (datetime.datetime):
            started (datetime.datetime): When this process started.
            storage (HealthStorage):
            vector (HealthVector):
            encoder (HealthEncoder):
            versions (HealthVersions):
            limits (list[HealthLimit]): The limits in force, by their keys in the configuration.
            queue (HealthQueue | Unset): With the scope `platform`. Entries whose vectors are out of date.
            searches (HealthSearches | Unset): With the scope `platform`. Searches in this process now.
            minutes (list[HealthMinute] | Unset): With the scope `platform`. What happened in each minute, oldest first. The
                last one goes on.
            steps (list[HealthStep] | Unset): With the scope `platform`. How long the steps of the searches of all these
                minutes took.
            slow (list[SlowSearches] | Unset): With the scope `platform`. The slow searches of the last hour by what they
                had in common, the
                slowest first.
            slow_from_ms (float | Unset): From when on a search is slow, beside `slow`.
     """

    now: datetime.datetime
    started: datetime.datetime
    storage: HealthStorage
    vector: HealthVector
    encoder: HealthEncoder
    versions: HealthVersions
    limits: list[HealthLimit]
    queue: HealthQueue | Unset = UNSET
    searches: HealthSearches | Unset = UNSET
    minutes: list[HealthMinute] | Unset = UNSET
    steps: list[HealthStep] | Unset = UNSET
    slow: list[SlowSearches] | Unset = UNSET
    slow_from_ms: float | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.health_encoder import HealthEncoder # noqa: PLC0415
        from ..models.health_limit import HealthLimit # noqa: PLC0415
        from ..models.health_minute import HealthMinute # noqa: PLC0415
        from ..models.health_queue import HealthQueue # noqa: PLC0415
        from ..models.health_searches import HealthSearches # noqa: PLC0415
        from ..models.health_step import HealthStep # noqa: PLC0415
        from ..models.health_storage import HealthStorage # noqa: PLC0415
        from ..models.health_vector import HealthVector # noqa: PLC0415
        from ..models.health_versions import HealthVersions # noqa: PLC0415
        from ..models.slow_searches import SlowSearches # noqa: PLC0415
        now = self.now.isoformat()

        started = self.started.isoformat()

        storage = self.storage.to_dict()

        vector = self.vector.to_dict()

        encoder = self.encoder.to_dict()

        versions = self.versions.to_dict()

        limits = []
        for limits_item_data in self.limits:
            limits_item = limits_item_data.to_dict()
            limits.append(limits_item)



        queue: dict[str, Any] | Unset = UNSET
        if not isinstance(self.queue, Unset):
            queue = self.queue.to_dict()

        searches: dict[str, Any] | Unset = UNSET
        if not isinstance(self.searches, Unset):
            searches = self.searches.to_dict()

        minutes: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.minutes, Unset):
            minutes = []
            for minutes_item_data in self.minutes:
                minutes_item = minutes_item_data.to_dict()
                minutes.append(minutes_item)



        steps: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.steps, Unset):
            steps = []
            for steps_item_data in self.steps:
                steps_item = steps_item_data.to_dict()
                steps.append(steps_item)



        slow: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.slow, Unset):
            slow = []
            for slow_item_data in self.slow:
                slow_item = slow_item_data.to_dict()
                slow.append(slow_item)



        slow_from_ms = self.slow_from_ms


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "now": now,
            "started": started,
            "storage": storage,
            "vector": vector,
            "encoder": encoder,
            "versions": versions,
            "limits": limits,
        })
        if queue is not UNSET:
            field_dict["queue"] = queue
        if searches is not UNSET:
            field_dict["searches"] = searches
        if minutes is not UNSET:
            field_dict["minutes"] = minutes
        if steps is not UNSET:
            field_dict["steps"] = steps
        if slow is not UNSET:
            field_dict["slow"] = slow
        if slow_from_ms is not UNSET:
            field_dict["slow_from_ms"] = slow_from_ms

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.health_encoder import HealthEncoder # noqa: PLC0415
        from ..models.health_limit import HealthLimit # noqa: PLC0415
        from ..models.health_minute import HealthMinute # noqa: PLC0415
        from ..models.health_queue import HealthQueue # noqa: PLC0415
        from ..models.health_searches import HealthSearches # noqa: PLC0415
        from ..models.health_step import HealthStep # noqa: PLC0415
        from ..models.health_storage import HealthStorage # noqa: PLC0415
        from ..models.health_vector import HealthVector # noqa: PLC0415
        from ..models.health_versions import HealthVersions # noqa: PLC0415
        from ..models.slow_searches import SlowSearches # noqa: PLC0415
        d = dict(src_dict)
        now = datetime.datetime.fromisoformat(d.pop("now").replace("Z", "+00:00"))




        started = datetime.datetime.fromisoformat(d.pop("started").replace("Z", "+00:00"))




        storage = HealthStorage.from_dict(d.pop("storage"))




        vector = HealthVector.from_dict(d.pop("vector"))




        encoder = HealthEncoder.from_dict(d.pop("encoder"))




        versions = HealthVersions.from_dict(d.pop("versions"))




        limits = []
        _limits = d.pop("limits")
        for limits_item_data in (_limits):
            limits_item = HealthLimit.from_dict(limits_item_data)



            limits.append(limits_item)


        _queue = d.pop("queue", UNSET)
        queue: HealthQueue | Unset
        if isinstance(_queue,  Unset):
            queue = UNSET
        else:
            queue = HealthQueue.from_dict(_queue)




        _searches = d.pop("searches", UNSET)
        searches: HealthSearches | Unset
        if isinstance(_searches,  Unset):
            searches = UNSET
        else:
            searches = HealthSearches.from_dict(_searches)




        _minutes = d.pop("minutes", UNSET)
        minutes: list[HealthMinute] | Unset = UNSET
        if _minutes is not UNSET:
            minutes = []
            for minutes_item_data in _minutes:
                minutes_item = HealthMinute.from_dict(minutes_item_data)



                minutes.append(minutes_item)


        _steps = d.pop("steps", UNSET)
        steps: list[HealthStep] | Unset = UNSET
        if _steps is not UNSET:
            steps = []
            for steps_item_data in _steps:
                steps_item = HealthStep.from_dict(steps_item_data)



                steps.append(steps_item)


        _slow = d.pop("slow", UNSET)
        slow: list[SlowSearches] | Unset = UNSET
        if _slow is not UNSET:
            slow = []
            for slow_item_data in _slow:
                slow_item = SlowSearches.from_dict(slow_item_data)



                slow.append(slow_item)


        slow_from_ms = d.pop("slow_from_ms", UNSET)

        health = cls(
            now=now,
            started=started,
            storage=storage,
            vector=vector,
            encoder=encoder,
            versions=versions,
            limits=limits,
            queue=queue,
            searches=searches,
            minutes=minutes,
            steps=steps,
            slow=slow,
            slow_from_ms=slow_from_ms,
        )

        return health

