from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="HealthStep")



@_without_unset
@_attrs_define
class HealthStep:
    """ 
        Attributes:
            step (str): A step of a search, one of `search`, `queue`, `filter`, `embed`, `lexical`, `vector`, `rerank`,
                `fetch` and `rank`: `search` is the whole, `queue` the wait for a turn, `rerank` asks a reranking service,
                `fetch` reads the rows, and
                `rank` is a part of it. `embed` goes before `vector`, and both run beside `lexical`.
            count (int): Searches that had the step.
            p50_ms (float): Within a tenth.
            p99_ms (float): Within a tenth.
     """

    step: str
    count: int
    p50_ms: float
    p99_ms: float





    def to_dict(self) -> dict[str, Any]:
        step = self.step

        count = self.count

        p50_ms = self.p50_ms

        p99_ms = self.p99_ms


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "step": step,
            "count": count,
            "p50_ms": p50_ms,
            "p99_ms": p99_ms,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        step = d.pop("step")

        count = d.pop("count")

        p50_ms = d.pop("p50_ms")

        p99_ms = d.pop("p99_ms")

        health_step = cls(
            step=step,
            count=count,
            p50_ms=p50_ms,
            p99_ms=p99_ms,
        )

        return health_step

