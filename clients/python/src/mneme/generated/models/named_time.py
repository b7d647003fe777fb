from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="NamedTime")



@_without_unset
@_attrs_define
class NamedTime:
    """ 
        Attributes:
            wording (int): Which of `queries` names it, from 0.
            text (str): The words that name it.
            from_ (datetime.datetime | Unset): Its first instant. Omitted if it has no beginning.
            until (datetime.datetime | Unset): The first instant after it. Omitted if it has no end.
            any_year (bool | Unset): No year was named. The time is the latest that has begun, and the same of former years
                may be meant.
     """

    wording: int
    text: str
    from_: datetime.datetime | Unset = UNSET
    until: datetime.datetime | Unset = UNSET
    any_year: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        wording = self.wording

        text = self.text

        from_: str | Unset = UNSET
        if not isinstance(self.from_, Unset):
            from_ = self.from_.isoformat()

        until: str | Unset = UNSET
        if not isinstance(self.until, Unset):
            until = self.until.isoformat()

        any_year = self.any_year


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "wording": wording,
            "text": text,
        })
        if from_ is not UNSET:
            field_dict["from"] = from_
        if until is not UNSET:
            field_dict["until"] = until
        if any_year is not UNSET:
            field_dict["any_year"] = any_year

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        wording = d.pop("wording")

        text = d.pop("text")

        _from_ = d.pop("from", UNSET)
        from_: datetime.datetime | Unset
        if isinstance(_from_,  Unset):
            from_ = UNSET
        else:
            from_ = datetime.datetime.fromisoformat(_from_.replace("Z", "+00:00"))




        _until = d.pop("until", UNSET)
        until: datetime.datetime | Unset
        if isinstance(_until,  Unset):
            until = UNSET
        else:
            until = datetime.datetime.fromisoformat(_until.replace("Z", "+00:00"))




        any_year = d.pop("any_year", UNSET)

        named_time = cls(
            wording=wording,
            text=text,
            from_=from_,
            until=until,
            any_year=any_year,
        )

        return named_time

