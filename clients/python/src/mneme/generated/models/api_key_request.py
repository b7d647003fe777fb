from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..models.scope import check_scope
from ..models.scope import Scope
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="APIKeyRequest")



@_without_unset
@_attrs_define
class APIKeyRequest:
    """ 
        Example:
            {'agent': 'support-bot', 'name': 'the shop', 'scopes': ['share'], 'ttl': 2592000}

        Attributes:
            agent (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            name (str | Unset): What the key is for: printable, at most 100 bytes.
            taint (Label | Unset): A classification, lowest first. Default: 'PUBLIC'.
            scopes (list[Scope] | Unset): None if it is left out.
            chat (str | Unset): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            user (str | Unset): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            ttl (int | Unset): Seconds until it expires; 0 means never.
     """

    agent: str
    name: str | Unset = UNSET
    taint: Label | Unset = 'PUBLIC'
    scopes: list[Scope] | Unset = UNSET
    chat: str | Unset = UNSET
    user: str | Unset = UNSET
    ttl: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        agent = self.agent

        name = self.name

        taint: str | Unset = UNSET
        if not isinstance(self.taint, Unset):
            taint = self.taint


        scopes: list[str] | Unset = UNSET
        if not isinstance(self.scopes, Unset):
            scopes = []
            for scopes_item_data in self.scopes:
                scopes_item: str = scopes_item_data
                scopes.append(scopes_item)



        chat = self.chat

        user = self.user

        ttl = self.ttl


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "agent": agent,
        })
        if name is not UNSET:
            field_dict["name"] = name
        if taint is not UNSET:
            field_dict["taint"] = taint
        if scopes is not UNSET:
            field_dict["scopes"] = scopes
        if chat is not UNSET:
            field_dict["chat"] = chat
        if user is not UNSET:
            field_dict["user"] = user
        if ttl is not UNSET:
            field_dict["ttl"] = ttl

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent = d.pop("agent")

        name = d.pop("name", UNSET)

        _taint = d.pop("taint", UNSET)
        taint: Label | Unset
        if isinstance(_taint,  Unset):
            taint = UNSET
        else:
            taint = check_label(_taint)




        _scopes = d.pop("scopes", UNSET)
        scopes: list[Scope] | Unset = UNSET
        if _scopes is not UNSET:
            scopes = []
            for scopes_item_data in _scopes:
                scopes_item = check_scope(scopes_item_data)



                scopes.append(scopes_item)


        chat = d.pop("chat", UNSET)

        user = d.pop("user", UNSET)

        ttl = d.pop("ttl", UNSET)

        api_key_request = cls(
            agent=agent,
            name=name,
            taint=taint,
            scopes=scopes,
            chat=chat,
            user=user,
            ttl=ttl,
        )

        return api_key_request

