from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Settings")



@_without_unset
@_attrs_define
class Settings:
    """ 
        Example:
            {'enabled': True, 'self': True, 'chat': True, 'user': False}

        Attributes:
            enabled (bool): The master toggle.
            self_ (bool): The agent's own store.
            chat (bool): Stores of chats.
            user (bool): Stores of users.
            default_ttl (int | Unset): Seconds until it expires; 0 means never.
            locked (list[str] | Unset): The switches that a platform token turned off, and that take one to be turned on.
                Ignored when written.
     """

    enabled: bool
    self_: bool
    chat: bool
    user: bool
    default_ttl: int | Unset = UNSET
    locked: list[str] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        enabled = self.enabled

        self_ = self.self_

        chat = self.chat

        user = self.user

        default_ttl = self.default_ttl

        locked: list[str] | Unset = UNSET
        if not isinstance(self.locked, Unset):
            locked = self.locked




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "enabled": enabled,
            "self": self_,
            "chat": chat,
            "user": user,
        })
        if default_ttl is not UNSET:
            field_dict["default_ttl"] = default_ttl
        if locked is not UNSET:
            field_dict["locked"] = locked

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        enabled = d.pop("enabled")

        self_ = d.pop("self")

        chat = d.pop("chat")

        user = d.pop("user")

        default_ttl = d.pop("default_ttl", UNSET)

        locked = cast(list[str], d.pop("locked", UNSET))


        settings = cls(
            enabled=enabled,
            self_=self_,
            chat=chat,
            user=user,
            default_ttl=default_ttl,
            locked=locked,
        )

        return settings

