from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="Caps")



@_without_unset
@_attrs_define
class Caps:
    """ What a grant of level search shows, at most. An omitted one is the default: 600 searches an hour, and 500 entries a
    day that were not shown before.

        Attributes:
            searches_per_hour (int | Unset):
            entries_per_day (int | Unset):
     """

    searches_per_hour: int | Unset = UNSET
    entries_per_day: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        searches_per_hour = self.searches_per_hour

        entries_per_day = self.entries_per_day


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if searches_per_hour is not UNSET:
            field_dict["searches_per_hour"] = searches_per_hour
        if entries_per_day is not UNSET:
            field_dict["entries_per_day"] = entries_per_day

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        searches_per_hour = d.pop("searches_per_hour", UNSET)

        entries_per_day = d.pop("entries_per_day", UNSET)

        caps = cls(
            searches_per_hour=searches_per_hour,
            entries_per_day=entries_per_day,
        )

        return caps

