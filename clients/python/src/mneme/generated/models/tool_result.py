from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="ToolResult")



@_without_unset
@_attrs_define
class ToolResult:
    """ 
        Attributes:
            content (str): Text for the model.
            is_error (bool): The tool refused; `content` says what and why.
     """

    content: str
    is_error: bool





    def to_dict(self) -> dict[str, Any]:
        content = self.content

        is_error = self.is_error


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "content": content,
            "is_error": is_error,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content = d.pop("content")

        is_error = d.pop("is_error")

        tool_result = cls(
            content=content,
            is_error=is_error,
        )

        return tool_result

