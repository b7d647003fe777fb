from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.anthropic_tool import AnthropicTool
  from ..models.open_ai_tool import OpenAITool





T = TypeVar("T", bound="ToolList")



@_without_unset
@_attrs_define
class ToolList:
    """ 
        Attributes:
            anthropic (list[AnthropicTool] | Unset):
            openai (list[OpenAITool] | Unset):
            tools (list[AnthropicTool | OpenAITool] | Unset): In the requested format.
     """

    anthropic: list[AnthropicTool] | Unset = UNSET
    openai: list[OpenAITool] | Unset = UNSET
    tools: list[AnthropicTool | OpenAITool] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.anthropic_tool import AnthropicTool # noqa: PLC0415
        from ..models.open_ai_tool import OpenAITool # noqa: PLC0415
        anthropic: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.anthropic, Unset):
            anthropic = []
            for anthropic_item_data in self.anthropic:
                anthropic_item = anthropic_item_data.to_dict()
                anthropic.append(anthropic_item)



        openai: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.openai, Unset):
            openai = []
            for openai_item_data in self.openai:
                openai_item = openai_item_data.to_dict()
                openai.append(openai_item)



        tools: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.tools, Unset):
            tools = []
            for tools_item_data in self.tools:
                tools_item: dict[str, Any]
                if isinstance(tools_item_data, AnthropicTool):
                    tools_item = tools_item_data.to_dict()
                else:
                    tools_item = tools_item_data.to_dict()

                tools.append(tools_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if anthropic is not UNSET:
            field_dict["anthropic"] = anthropic
        if openai is not UNSET:
            field_dict["openai"] = openai
        if tools is not UNSET:
            field_dict["tools"] = tools

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.anthropic_tool import AnthropicTool # noqa: PLC0415
        from ..models.open_ai_tool import OpenAITool # noqa: PLC0415
        d = dict(src_dict)
        _anthropic = d.pop("anthropic", UNSET)
        anthropic: list[AnthropicTool] | Unset = UNSET
        if _anthropic is not UNSET:
            anthropic = []
            for anthropic_item_data in _anthropic:
                anthropic_item = AnthropicTool.from_dict(anthropic_item_data)



                anthropic.append(anthropic_item)


        _openai = d.pop("openai", UNSET)
        openai: list[OpenAITool] | Unset = UNSET
        if _openai is not UNSET:
            openai = []
            for openai_item_data in _openai:
                openai_item = OpenAITool.from_dict(openai_item_data)



                openai.append(openai_item)


        _tools = d.pop("tools", UNSET)
        tools: list[AnthropicTool | OpenAITool] | Unset = UNSET
        if _tools is not UNSET:
            tools = []
            for tools_item_data in _tools:
                def _parse_tools_item(data: object) -> AnthropicTool | OpenAITool:
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        tools_item_type_0 = AnthropicTool.from_dict(data)



                        return tools_item_type_0
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    if not isinstance(data, dict):
                        raise TypeError()
                    tools_item_type_1 = OpenAITool.from_dict(data)



                    return tools_item_type_1

                tools_item = _parse_tools_item(tools_item_data)

                tools.append(tools_item)


        tool_list = cls(
            anthropic=anthropic,
            openai=openai,
            tools=tools,
        )

        return tool_list

