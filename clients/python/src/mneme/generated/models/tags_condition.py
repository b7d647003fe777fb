from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="TagsCondition")



@_without_unset
@_attrs_define
class TagsCondition:
    """ 
        Attributes:
            contains (str | Unset): The whole of one of the tags.
            exists (bool | Unset):
     """

    contains: str | Unset = UNSET
    exists: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        contains = self.contains

        exists = self.exists


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if contains is not UNSET:
            field_dict["contains"] = contains
        if exists is not UNSET:
            field_dict["exists"] = exists

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        contains = d.pop("contains", UNSET)

        exists = d.pop("exists", UNSET)

        tags_condition = cls(
            contains=contains,
            exists=exists,
        )

        return tags_condition

