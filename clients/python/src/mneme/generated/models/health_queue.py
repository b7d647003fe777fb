from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="HealthQueue")



@_without_unset
@_attrs_define
class HealthQueue:
    """ With the scope `platform`. Entries whose vectors are out of date.

        Attributes:
            depth (int):
            oldest_s (float): How long the oldest of them has waited.
     """

    depth: int
    oldest_s: float





    def to_dict(self) -> dict[str, Any]:
        depth = self.depth

        oldest_s = self.oldest_s


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "depth": depth,
            "oldest_s": oldest_s,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        depth = d.pop("depth")

        oldest_s = d.pop("oldest_s")

        health_queue = cls(
            depth=depth,
            oldest_s=oldest_s,
        )

        return health_queue

