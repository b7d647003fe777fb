from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="MemberCondition")



@_without_unset
@_attrs_define
class MemberCondition:
    """ Operators of `value.a.b`. A member of another type than the operand fits only `exists`. Numbers are compared
    exactly, whatever their size; an operand has at most 400 digits and an exponent from -9,999 to 9,999. `prefix` takes
    a string, the operators of order a string or a number; `contains` finds a part of a string, or an element of an
    array.

        Attributes:
            eq (Any | Unset): A string, a number, true or false.
            ne (Any | Unset): A string, a number, true or false.
            in_ (list[Any] | Unset): All of one type.
            nin (list[Any] | Unset): All of one type.
            gt (Any | Unset): A string, a number, true or false.
            gte (Any | Unset): A string, a number, true or false.
            lt (Any | Unset): A string, a number, true or false.
            lte (Any | Unset): A string, a number, true or false.
            prefix (str | Unset):
            contains (Any | Unset): A string, a number, true or false.
            exists (bool | Unset):
     """

    eq: Any | Unset = UNSET
    ne: Any | Unset = UNSET
    in_: list[Any] | Unset = UNSET
    nin: list[Any] | Unset = UNSET
    gt: Any | Unset = UNSET
    gte: Any | Unset = UNSET
    lt: Any | Unset = UNSET
    lte: Any | Unset = UNSET
    prefix: str | Unset = UNSET
    contains: Any | Unset = UNSET
    exists: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        eq = self.eq

        ne = self.ne

        in_: list[Any] | Unset = UNSET
        if not isinstance(self.in_, Unset):
            in_ = self.in_



        nin: list[Any] | Unset = UNSET
        if not isinstance(self.nin, Unset):
            nin = self.nin



        gt = self.gt

        gte = self.gte

        lt = self.lt

        lte = self.lte

        prefix = self.prefix

        contains = self.contains

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
        if exists is not UNSET:
            field_dict["exists"] = exists

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        eq = d.pop("eq", UNSET)

        ne = d.pop("ne", UNSET)

        in_ = cast(list[Any], d.pop("in", UNSET))


        nin = cast(list[Any], d.pop("nin", UNSET))


        gt = d.pop("gt", UNSET)

        gte = d.pop("gte", UNSET)

        lt = d.pop("lt", UNSET)

        lte = d.pop("lte", UNSET)

        prefix = d.pop("prefix", UNSET)

        contains = d.pop("contains", UNSET)

        exists = d.pop("exists", UNSET)

        member_condition = cls(
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
            exists=exists,
        )

        return member_condition

