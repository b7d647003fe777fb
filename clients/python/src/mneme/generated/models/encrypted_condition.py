from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="EncryptedCondition")



@_without_unset
@_attrs_define
class EncryptedCondition:
    """ 
        Attributes:
            eq (bool | Unset):
            ne (bool | Unset):
     """

    eq: bool | Unset = UNSET
    ne: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        eq = self.eq

        ne = self.ne


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if eq is not UNSET:
            field_dict["eq"] = eq
        if ne is not UNSET:
            field_dict["ne"] = ne

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        eq = d.pop("eq", UNSET)

        ne = d.pop("ne", UNSET)

        encrypted_condition = cls(
            eq=eq,
            ne=ne,
        )

        return encrypted_condition

