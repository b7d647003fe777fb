from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.anthropic_tool_input_schema import AnthropicToolInputSchema





T = TypeVar("T", bound="AnthropicTool")



@_without_unset
@_attrs_define
class AnthropicTool:
    """ 
        Attributes:
            name (str):
            description (str):
            input_schema (AnthropicToolInputSchema): A JSON Schema.
     """

    name: str
    description: str
    input_schema: AnthropicToolInputSchema





    def to_dict(self) -> dict[str, Any]:
        from ..models.anthropic_tool_input_schema import AnthropicToolInputSchema # noqa: PLC0415
        name = self.name

        description = self.description

        input_schema = self.input_schema.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
            "description": description,
            "input_schema": input_schema,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.anthropic_tool_input_schema import AnthropicToolInputSchema # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

        description = d.pop("description")

        input_schema = AnthropicToolInputSchema.from_dict(d.pop("input_schema"))




        anthropic_tool = cls(
            name=name,
            description=description,
            input_schema=input_schema,
        )

        return anthropic_tool

