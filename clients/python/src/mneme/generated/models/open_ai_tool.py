from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.open_ai_tool_type import check_open_ai_tool_type
from ..models.open_ai_tool_type import OpenAIToolType
from typing import cast

if TYPE_CHECKING:
  from ..models.open_ai_tool_function import OpenAIToolFunction





T = TypeVar("T", bound="OpenAITool")



@_without_unset
@_attrs_define
class OpenAITool:
    """ 
        Attributes:
            type_ (OpenAIToolType):
            function (OpenAIToolFunction):
     """

    type_: OpenAIToolType
    function: OpenAIToolFunction





    def to_dict(self) -> dict[str, Any]:
        from ..models.open_ai_tool_function import OpenAIToolFunction # noqa: PLC0415
        type_: str = self.type_

        function = self.function.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "type": type_,
            "function": function,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.open_ai_tool_function import OpenAIToolFunction # noqa: PLC0415
        d = dict(src_dict)
        type_ = check_open_ai_tool_type(d.pop("type"))




        function = OpenAIToolFunction.from_dict(d.pop("function"))




        open_ai_tool = cls(
            type_=type_,
            function=function,
        )

        return open_ai_tool

