from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TextCondition")



@_without_unset
@_attrs_define
class TextCondition:
    """ 
        Attributes:
            eq (str | Unset):
            ne (str | Unset):
            in_ (list[str] | Unset):
            nin (list[str] | Unset):
            gt (str | Unset):
            gte (str | Unset):
            lt (str | Unset):
            lte (str | Unset):
            prefix (str | Unset):
            contains (str | Unset):
     """

    eq: str | Unset = UNSET
    ne: str | Unset = UNSET
    in_: list[str] | Unset = UNSET
    nin: list[str] | Unset = UNSET
    gt: str | Unset = UNSET
    gte: str | Unset = UNSET
    lt: str | Unset = UNSET
    lte: str | Unset = UNSET
    prefix: str | Unset = UNSET
    contains: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        eq = self.eq

        ne = self.ne

        in_: list[str] | Unset = UNSET
        if not isinstance(self.in_, Unset):
            in_ = self.in_



        nin: list[str] | Unset = UNSET
        if not isinstance(self.nin, Unset):
            nin = self.nin



        gt = self.gt

        gte = self.gte

        lt = self.lt

        lte = self.lte

        prefix = self.prefix

        contains = self.contains


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
        if prefix is not UNSET:
            field_dict["prefix"] = prefix
        if contains is not UNSET:
            field_dict["contains"] = contains

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        eq = d.pop("eq", UNSET)

        ne = d.pop("ne", UNSET)

        in_ = cast(list[str], d.pop("in", UNSET))


        nin = cast(list[str], d.pop("nin", UNSET))


        gt = d.pop("gt", UNSET)

        gte = d.pop("gte", UNSET)

        lt = d.pop("lt", UNSET)

        lte = d.pop("lte", UNSET)

        prefix = d.pop("prefix", UNSET)

        contains = d.pop("contains", UNSET)

        text_condition = cls(
            eq=eq,
            ne=ne,
            in_=in_,
            nin=nin,
            gt=gt,
            gte=gte,
            lt=lt,
            lte=lte,
            prefix=prefix,
            contains=contains,
        )

        return text_condition

