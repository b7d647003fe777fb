from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="Refusal")



@_without_unset
@_attrs_define
class Refusal:
    """ 
        Attributes:
            line (int): Counted from 1, empty lines too.
            type_ (str): A problem's type.
            title (str):
            status (int): The status that a PUT of this line would have had.
            detail (str | Unset):
            field (str | Unset):
            limit (str | Unset):
     """

    line: int
    type_: str
    title: str
    status: int
    detail: str | Unset = UNSET
    field: str | Unset = UNSET
    limit: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        line = self.line

        type_ = self.type_

        title = self.title

        status = self.status

        detail = self.detail

        field = self.field

        limit = self.limit


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "line": line,
            "type": type_,
            "title": title,
            "status": status,
        })
        if detail is not UNSET:
            field_dict["detail"] = detail
        if field is not UNSET:
            field_dict["field"] = field
        if limit is not UNSET:
            field_dict["limit"] = limit

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        line = d.pop("line")

        type_ = d.pop("type")

        title = d.pop("title")

        status = d.pop("status")

        detail = d.pop("detail", UNSET)

        field = d.pop("field", UNSET)

        limit = d.pop("limit", UNSET)

        refusal = cls(
            line=line,
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            field=field,
            limit=limit,
        )

        return refusal

