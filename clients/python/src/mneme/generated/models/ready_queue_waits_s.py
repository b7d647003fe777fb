from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="ReadyQueueWaitsS")



@_without_unset
@_attrs_define
class ReadyQueueWaitsS:
    """ To operators. Percentiles of how long they have waited.

        Attributes:
            p50 (float):
            p90 (float):
            p99 (float):
     """

    p50: float
    p90: float
    p99: float





    def to_dict(self) -> dict[str, Any]:
        p50 = self.p50

        p90 = self.p90

        p99 = self.p99


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "p50": p50,
            "p90": p90,
            "p99": p99,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        p50 = d.pop("p50")

        p90 = d.pop("p90")

        p99 = d.pop("p99")

        ready_queue_waits_s = cls(
            p50=p50,
            p90=p90,
            p99=p99,
        )

        return ready_queue_waits_s

