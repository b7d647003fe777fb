from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="HealthLimit")



@_without_unset
@_attrs_define
class HealthLimit:
    """ 
        Attributes:
            name (str):  Example: limits.value_bytes.
            value (int): 0 may be no limit.
            unit (str | Unset): `bytes`, `s`, `ms` or `per_second`; absent for a count.
     """

    name: str
    value: int
    unit: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        value = self.value

        unit = self.unit


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
            "value": value,
        })
        if unit is not UNSET:
            field_dict["unit"] = unit

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        value = d.pop("value")

        unit = d.pop("unit", UNSET)

        health_limit = cls(
            name=name,
            value=value,
            unit=unit,
        )

        return health_limit

