from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="Recency")



@_without_unset
@_attrs_define
class Recency:
    """ Order hits by relevance · (1 − weight + weight · 2^(−age ÷ half_life)). It leaves none out, and `min_relevance`
    still judges the relevance itself. The age is counted from `occurred_at`, or else from `updated_at`, and is never
    negative. Not with ranking `rrf` (422). Leaves out stores that the caller may search but not read.

        Example:
            {'half_life': '30d', 'weight': 0.5}

        Attributes:
            half_life (str): A whole number of seconds, minutes, hours, days or weeks, at most 36,500 days.
            weight (float | Unset):  Default: 0.5.
     """

    half_life: str
    weight: float | Unset = 0.5





    def to_dict(self) -> dict[str, Any]:
        half_life = self.half_life

        weight = self.weight


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "half_life": half_life,
        })
        if weight is not UNSET:
            field_dict["weight"] = weight

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        half_life = d.pop("half_life")

        weight = d.pop("weight", UNSET)

        recency = cls(
            half_life=half_life,
            weight=weight,
        )

        return recency

