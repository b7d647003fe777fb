from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="Membership")



@_without_unset
@_attrs_define
class Membership:
    """ 
        Attributes:
            ttl (int | Unset): Seconds until it expires; 0 means never.
     """

    ttl: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        ttl = self.ttl


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if ttl is not UNSET:
            field_dict["ttl"] = ttl

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ttl = d.pop("ttl", UNSET)

        membership = cls(
            ttl=ttl,
        )

        return membership

