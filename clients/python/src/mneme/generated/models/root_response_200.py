from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="RootResponse200")



@_without_unset
@_attrs_define
class RootResponse200:
    """ 
        Attributes:
            name (str):
            api (str): The path of this document.
            mcp (str): The path of the MCP server.
            health (str): The path that tells whether it is ready.
            console (str | Unset): The path of the console, where there is one.
     """

    name: str
    api: str
    mcp: str
    health: str
    console: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        api = self.api

        mcp = self.mcp

        health = self.health

        console = self.console


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "api": api,
            "mcp": mcp,
            "health": health,
        })
        if console is not UNSET:
            field_dict["console"] = console

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        api = d.pop("api")

        mcp = d.pop("mcp")

        health = d.pop("health")

        console = d.pop("console", UNSET)

        root_response_200 = cls(
            name=name,
            api=api,
            mcp=mcp,
            health=health,
            console=console,
        )


        root_response_200.additional_properties = d
        return root_response_200

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
