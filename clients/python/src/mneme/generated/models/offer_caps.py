from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="OfferCaps")



@_without_unset
@_attrs_define
class OfferCaps:
    """ Caps on all buyers of the offer together, against one buyer under many names. An omitted one is none.

        Example:
            {'entries_per_day': 1000}

        Attributes:
            searches_per_minute (int | Unset):
            searches_per_day (int | Unset):
            entries_per_day (int | Unset):
            entries_total (int | Unset):
     """

    searches_per_minute: int | Unset = UNSET
    searches_per_day: int | Unset = UNSET
    entries_per_day: int | Unset = UNSET
    entries_total: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        searches_per_minute = self.searches_per_minute

        searches_per_day = self.searches_per_day

        entries_per_day = self.entries_per_day

        entries_total = self.entries_total


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if searches_per_minute is not UNSET:
            field_dict["searches_per_minute"] = searches_per_minute
        if searches_per_day is not UNSET:
            field_dict["searches_per_day"] = searches_per_day
        if entries_per_day is not UNSET:
            field_dict["entries_per_day"] = entries_per_day
        if entries_total is not UNSET:
            field_dict["entries_total"] = entries_total

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        searches_per_minute = d.pop("searches_per_minute", UNSET)

        searches_per_day = d.pop("searches_per_day", UNSET)

        entries_per_day = d.pop("entries_per_day", UNSET)

        entries_total = d.pop("entries_total", UNSET)

        offer_caps = cls(
            searches_per_minute=searches_per_minute,
            searches_per_day=searches_per_day,
            entries_per_day=entries_per_day,
            entries_total=entries_total,
        )

        return offer_caps

