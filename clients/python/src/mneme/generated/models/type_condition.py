from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.type_condition_eq import check_type_condition_eq
from ..models.type_condition_eq import TypeConditionEq
from ..models.type_condition_in_item import check_type_condition_in_item
from ..models.type_condition_in_item import TypeConditionInItem
from ..models.type_condition_ne import check_type_condition_ne
from ..models.type_condition_ne import TypeConditionNe
from ..models.type_condition_nin_item import check_type_condition_nin_item
from ..models.type_condition_nin_item import TypeConditionNinItem
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TypeCondition")



@_without_unset
@_attrs_define
class TypeCondition:
    """ 
        Attributes:
            eq (TypeConditionEq | Unset):
            ne (TypeConditionNe | Unset):
            in_ (list[TypeConditionInItem] | Unset):
            nin (list[TypeConditionNinItem] | Unset):
            exists (bool | Unset):
     """

    eq: TypeConditionEq | Unset = UNSET
    ne: TypeConditionNe | Unset = UNSET
    in_: list[TypeConditionInItem] | Unset = UNSET
    nin: list[TypeConditionNinItem] | Unset = UNSET
    exists: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        eq: str | Unset = UNSET
        if not isinstance(self.eq, Unset):
            eq = self.eq


        ne: str | Unset = UNSET
        if not isinstance(self.ne, Unset):
            ne = self.ne


        in_: list[str] | Unset = UNSET
        if not isinstance(self.in_, Unset):
            in_ = []
            for in_item_data in self.in_:
                in_item: str = in_item_data
                in_.append(in_item)



        nin: list[str] | Unset = UNSET
        if not isinstance(self.nin, Unset):
            nin = []
            for nin_item_data in self.nin:
                nin_item: str = nin_item_data
                nin.append(nin_item)



        exists = self.exists


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if eq is not UNSET:
            field_dict["eq"] = eq
        if ne is not UNSET:
            field_dict["ne"] = ne
        if in_ is not UNSET:
            field_dict["in"] = in_
        if nin is not UNSET:
            field_dict["nin"] = nin
        if exists is not UNSET:
            field_dict["exists"] = exists

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        _eq = d.pop("eq", UNSET)
        eq: TypeConditionEq | Unset
        if isinstance(_eq,  Unset):
            eq = UNSET
        else:
            eq = check_type_condition_eq(_eq)




        _ne = d.pop("ne", UNSET)
        ne: TypeConditionNe | Unset
        if isinstance(_ne,  Unset):
            ne = UNSET
        else:
            ne = check_type_condition_ne(_ne)




        _in_ = d.pop("in", UNSET)
        in_: list[TypeConditionInItem] | Unset = UNSET
        if _in_ is not UNSET:
            in_ = []
            for in_item_data in _in_:
                in_item = check_type_condition_in_item(in_item_data)



                in_.append(in_item)


        _nin = d.pop("nin", UNSET)
        nin: list[TypeConditionNinItem] | Unset = UNSET
        if _nin is not UNSET:
            nin = []
            for nin_item_data in _nin:
                nin_item = check_type_condition_nin_item(nin_item_data)



                nin.append(nin_item)


        exists = d.pop("exists", UNSET)

        type_condition = cls(
            eq=eq,
            ne=ne,
            in_=in_,
            nin=nin,
            exists=exists,
        )

        return type_condition

