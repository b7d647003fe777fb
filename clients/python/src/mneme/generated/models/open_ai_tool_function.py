from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.open_ai_tool_function_parameters import OpenAIToolFunctionParameters





T = TypeVar("T", bound="OpenAIToolFunction")



@_without_unset
@_attrs_define
class OpenAIToolFunction:
    """ 
        Attributes:
            name (str):
            description (str):
            parameters (OpenAIToolFunctionParameters): A JSON Schema.
     """

    name: str
    description: str
    parameters: OpenAIToolFunctionParameters





    def to_dict(self) -> dict[str, Any]:
        from ..models.open_ai_tool_function_parameters import OpenAIToolFunctionParameters # noqa: PLC0415
        name = self.name

        description = self.description

        parameters = self.parameters.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
            "description": description,
            "parameters": parameters,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.open_ai_tool_function_parameters import OpenAIToolFunctionParameters # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

        description = d.pop("description")

        parameters = OpenAIToolFunctionParameters.from_dict(d.pop("parameters"))




        open_ai_tool_function = cls(
            name=name,
            description=description,
            parameters=parameters,
        )

        return open_ai_tool_function

