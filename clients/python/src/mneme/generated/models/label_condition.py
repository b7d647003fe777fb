from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="LabelCondition")



@_without_unset
@_attrs_define
class LabelCondition:
    """ Labels are ordered as in Label.

        Attributes:
            eq (Label | Unset): A classification, lowest first.
            ne (Label | Unset): A classification, lowest first.
            in_ (list[Label] | Unset):
            nin (list[Label] | Unset):
            gt (Label | Unset): A classification, lowest first.
            gte (Label | Unset): A classification, lowest first.
            lt (Label | Unset): A classification, lowest first.
            lte (Label | Unset): A classification, lowest first.
     """

    eq: Label | Unset = UNSET
    ne: Label | Unset = UNSET
    in_: list[Label] | Unset = UNSET
    nin: list[Label] | Unset = UNSET
    gt: Label | Unset = UNSET
    gte: Label | Unset = UNSET
    lt: Label | Unset = UNSET
    lte: Label | Unset = UNSET





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



        gt: str | Unset = UNSET
        if not isinstance(self.gt, Unset):
            gt = self.gt


        gte: str | Unset = UNSET
        if not isinstance(self.gte, Unset):
            gte = self.gte


        lt: str | Unset = UNSET
        if not isinstance(self.lt, Unset):
            lt = self.lt


        lte: str | Unset = UNSET
        if not isinstance(self.lte, Unset):
            lte = self.lte



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
        if gt is not UNSET:
            field_dict["gt"] = gt
        if gte is not UNSET:
            field_dict["gte"] = gte
        if lt is not UNSET:
            field_dict["lt"] = lt
        if lte is not UNSET:
            field_dict["lte"] = lte

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        _eq = d.pop("eq", UNSET)
        eq: Label | Unset
        if isinstance(_eq,  Unset):
            eq = UNSET
        else:
            eq = check_label(_eq)




        _ne = d.pop("ne", UNSET)
        ne: Label | Unset
        if isinstance(_ne,  Unset):
            ne = UNSET
        else:
            ne = check_label(_ne)




        _in_ = d.pop("in", UNSET)
        in_: list[Label] | Unset = UNSET
        if _in_ is not UNSET:
            in_ = []
            for in_item_data in _in_:
                in_item = check_label(in_item_data)



                in_.append(in_item)


        _nin = d.pop("nin", UNSET)
        nin: list[Label] | Unset = UNSET
        if _nin is not UNSET:
            nin = []
            for nin_item_data in _nin:
                nin_item = check_label(nin_item_data)



                nin.append(nin_item)


        _gt = d.pop("gt", UNSET)
        gt: Label | Unset
        if isinstance(_gt,  Unset):
            gt = UNSET
        else:
            gt = check_label(_gt)




        _gte = d.pop("gte", UNSET)
        gte: Label | Unset
        if isinstance(_gte,  Unset):
            gte = UNSET
        else:
            gte = check_label(_gte)




        _lt = d.pop("lt", UNSET)
        lt: Label | Unset
        if isinstance(_lt,  Unset):
            lt = UNSET
        else:
            lt = check_label(_lt)




        _lte = d.pop("lte", UNSET)
        lte: Label | Unset
        if isinstance(_lte,  Unset):
            lte = UNSET
        else:
            lte = check_label(_lte)




        label_condition = cls(
            eq=eq,
            ne=ne,
            in_=in_,
            nin=nin,
            gt=gt,
            gte=gte,
            lt=lt,
            lte=lte,
        )

        return label_condition

