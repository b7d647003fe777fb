from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.issued_key_kind import check_issued_key_kind
from ..models.issued_key_kind import IssuedKeyKind
from ..models.issued_key_state import check_issued_key_state
from ..models.issued_key_state import IssuedKeyState
from ..models.label import check_label
from ..models.label import Label
from ..models.scope import check_scope
from ..models.scope import Scope
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="IssuedKey")



@_without_unset
@_attrs_define
class IssuedKey:
    """ An API key or a token, without its secret.

        Attributes:
            id (str):
            kind (IssuedKeyKind):
            agent (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            taint (Label): A classification, lowest first.
            scopes (list[Scope]):
            state (IssuedKeyState):
            issued_at (datetime.datetime):
            name (str | Unset): What it is for.
            chat (str | Unset): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            user (str | Unset): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            expires_at (datetime.datetime | Unset): Omitted if it does not expire.
            last_used_at (datetime.datetime | Unset): To about a minute. Omitted if no use is known.
     """

    id: str
    kind: IssuedKeyKind
    agent: str
    taint: Label
    scopes: list[Scope]
    state: IssuedKeyState
    issued_at: datetime.datetime
    name: str | Unset = UNSET
    chat: str | Unset = UNSET
    user: str | Unset = UNSET
    expires_at: datetime.datetime | Unset = UNSET
    last_used_at: datetime.datetime | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        kind: str = self.kind

        agent = self.agent

        taint: str = self.taint

        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item: str = scopes_item_data
            scopes.append(scopes_item)



        state: str = self.state

        issued_at = self.issued_at.isoformat()

        name = self.name

        chat = self.chat

        user = self.user

        expires_at: str | Unset = UNSET
        if not isinstance(self.expires_at, Unset):
            expires_at = self.expires_at.isoformat()

        last_used_at: str | Unset = UNSET
        if not isinstance(self.last_used_at, Unset):
            last_used_at = self.last_used_at.isoformat()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "id": id,
            "kind": kind,
            "agent": agent,
            "taint": taint,
            "scopes": scopes,
            "state": state,
            "issued_at": issued_at,
        })
        if name is not UNSET:
            field_dict["name"] = name
        if chat is not UNSET:
            field_dict["chat"] = chat
        if user is not UNSET:
            field_dict["user"] = user
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if last_used_at is not UNSET:
            field_dict["last_used_at"] = last_used_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        kind = check_issued_key_kind(d.pop("kind"))




        agent = d.pop("agent")

        taint = check_label(d.pop("taint"))




        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in (_scopes):
            scopes_item = check_scope(scopes_item_data)



            scopes.append(scopes_item)


        state = check_issued_key_state(d.pop("state"))




        issued_at = datetime.datetime.fromisoformat(d.pop("issued_at").replace("Z", "+00:00"))




        name = d.pop("name", UNSET)

        chat = d.pop("chat", UNSET)

        user = d.pop("user", UNSET)

        _expires_at = d.pop("expires_at", UNSET)
        expires_at: datetime.datetime | Unset
        if isinstance(_expires_at,  Unset):
            expires_at = UNSET
        else:
            expires_at = datetime.datetime.fromisoformat(_expires_at.replace("Z", "+00:00"))




        _last_used_at = d.pop("last_used_at", UNSET)
        last_used_at: datetime.datetime | Unset
        if isinstance(_last_used_at,  Unset):
            last_used_at = UNSET
        else:
            last_used_at = datetime.datetime.fromisoformat(_last_used_at.replace("Z", "+00:00"))




        issued_key = cls(
            id=id,
            kind=kind,
            agent=agent,
            taint=taint,
            scopes=scopes,
            state=state,
            issued_at=issued_at,
            name=name,
            chat=chat,
            user=user,
            expires_at=expires_at,
            last_used_at=last_used_at,
        )

        return issued_key

