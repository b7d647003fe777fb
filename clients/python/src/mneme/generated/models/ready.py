from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.ready_status import check_ready_status
from ..models.ready_status import ReadyStatus
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.ready_queue_waits_s import ReadyQueueWaitsS





T = TypeVar("T", bound="Ready")



@_without_unset
@_attrs_define
class Ready:
    """ 
        Attributes:
            status (ReadyStatus):
            storage (bool): The storage answers.
            vector (bool): A model serves vector searches.
            serving (str): The fingerprint of the serving vectors.
            configured (str): The fingerprint of the configured model. If it differs, run `mneme reindex`.
            queue_depth (int | Unset): To operators. Entries whose vectors are out of date.
            queue_lag_s (float | Unset): To operators. How long the oldest of them has waited.
            queue_waits_s (ReadyQueueWaitsS | Unset): To operators. Percentiles of how long they have waited.
     """

    status: ReadyStatus
    storage: bool
    vector: bool
    serving: str
    configured: str
    queue_depth: int | Unset = UNSET
    queue_lag_s: float | Unset = UNSET
    queue_waits_s: ReadyQueueWaitsS | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.ready_queue_waits_s import ReadyQueueWaitsS # noqa: PLC0415
        status: str = self.status

        storage = self.storage

        vector = self.vector

        serving = self.serving

        configured = self.configured

        queue_depth = self.queue_depth

        queue_lag_s = self.queue_lag_s

        queue_waits_s: dict[str, Any] | Unset = UNSET
        if not isinstance(self.queue_waits_s, Unset):
            queue_waits_s = self.queue_waits_s.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "status": status,
            "storage": storage,
            "vector": vector,
            "serving": serving,
            "configured": configured,
        })
        if queue_depth is not UNSET:
            field_dict["queue_depth"] = queue_depth
        if queue_lag_s is not UNSET:
            field_dict["queue_lag_s"] = queue_lag_s
        if queue_waits_s is not UNSET:
            field_dict["queue_waits_s"] = queue_waits_s

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ready_queue_waits_s import ReadyQueueWaitsS # noqa: PLC0415
        d = dict(src_dict)
        status = check_ready_status(d.pop("status"))




        storage = d.pop("storage")

        vector = d.pop("vector")

        serving = d.pop("serving")

        configured = d.pop("configured")

        queue_depth = d.pop("queue_depth", UNSET)

        queue_lag_s = d.pop("queue_lag_s", UNSET)

        _queue_waits_s = d.pop("queue_waits_s", UNSET)
        queue_waits_s: ReadyQueueWaitsS | Unset
        if isinstance(_queue_waits_s,  Unset):
            queue_waits_s = UNSET
        else:
            queue_waits_s = ReadyQueueWaitsS.from_dict(_queue_waits_s)




        ready = cls(
            status=status,
            storage=storage,
            vector=vector,
            serving=serving,
            configured=configured,
            queue_depth=queue_depth,
            queue_lag_s=queue_lag_s,
            queue_waits_s=queue_waits_s,
        )

        return ready

