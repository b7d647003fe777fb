from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..models.level import check_level
from ..models.level import Level
from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.caps import Caps
  from ..models.terms import Terms





T = TypeVar("T", bound="Grant")



@_without_unset
@_attrs_define
class Grant:
    """ 
        Attributes:
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            grantee (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            level (Level): What an agent may do with a store. Each level includes the one before it.
            max_label (Label): A classification, lowest first.
            label (Label): A classification, lowest first.
            in_effect (bool): Whether it gives its grantee a level now. If not, its maker has lost its own, or an offer
                sells searches of the store; it is back when that ends.
            maker (str): The agent that made the grant.
            by_platform (bool): Made with a platform token.
            created_at (datetime.datetime):
            accepted (bool | Unset): Whether the grantee has accepted it, in a session up to the label of this one. Omitted
                in answers to others than the grantee.
            expires_at (datetime.datetime | Unset): Omitted if it never expires.
            caps (Caps | Unset): What a grant of level search shows, at most. An omitted one is the default: 600 searches an
                hour, and 500 entries a day that were not shown before.
            offer (UUID | Unset): The offer under which searches are charged for. Omitted if there is none.
            terms (Terms | Unset):
     """

    store_id: str
    grantee: str
    level: Level
    max_label: Label
    label: Label
    in_effect: bool
    maker: str
    by_platform: bool
    created_at: datetime.datetime
    accepted: bool | Unset = UNSET
    expires_at: datetime.datetime | Unset = UNSET
    caps: Caps | Unset = UNSET
    offer: UUID | Unset = UNSET
    terms: Terms | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.caps import Caps # noqa: PLC0415
        from ..models.terms import Terms # noqa: PLC0415
        store_id = self.store_id

        grantee = self.grantee

        level: str = self.level

        max_label: str = self.max_label

        label: str = self.label

        in_effect = self.in_effect

        maker = self.maker

        by_platform = self.by_platform

        created_at = self.created_at.isoformat()

        accepted = self.accepted

        expires_at: str | Unset = UNSET
        if not isinstance(self.expires_at, Unset):
            expires_at = self.expires_at.isoformat()

        caps: dict[str, Any] | Unset = UNSET
        if not isinstance(self.caps, Unset):
            caps = self.caps.to_dict()

        offer: str | Unset = UNSET
        if not isinstance(self.offer, Unset):
            offer = str(self.offer)

        terms: dict[str, Any] | Unset = UNSET
        if not isinstance(self.terms, Unset):
            terms = self.terms.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "store_id": store_id,
            "grantee": grantee,
            "level": level,
            "max_label": max_label,
            "label": label,
            "in_effect": in_effect,
            "maker": maker,
            "by_platform": by_platform,
            "created_at": created_at,
        })
        if accepted is not UNSET:
            field_dict["accepted"] = accepted
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if caps is not UNSET:
            field_dict["caps"] = caps
        if offer is not UNSET:
            field_dict["offer"] = offer
        if terms is not UNSET:
            field_dict["terms"] = terms

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.caps import Caps # noqa: PLC0415
        from ..models.terms import Terms # noqa: PLC0415
        d = dict(src_dict)
        store_id = d.pop("store_id")

        grantee = d.pop("grantee")

        level = check_level(d.pop("level"))




        max_label = check_label(d.pop("max_label"))




        label = check_label(d.pop("label"))




        in_effect = d.pop("in_effect")

        maker = d.pop("maker")

        by_platform = d.pop("by_platform")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at").replace("Z", "+00:00"))




        accepted = d.pop("accepted", UNSET)

        _expires_at = d.pop("expires_at", UNSET)
        expires_at: datetime.datetime | Unset
        if isinstance(_expires_at,  Unset):
            expires_at = UNSET
        else:
            expires_at = datetime.datetime.fromisoformat(_expires_at.replace("Z", "+00:00"))




        _caps = d.pop("caps", UNSET)
        caps: Caps | Unset
        if isinstance(_caps,  Unset):
            caps = UNSET
        else:
            caps = Caps.from_dict(_caps)




        _offer = d.pop("offer", UNSET)
        offer: UUID | Unset
        if isinstance(_offer,  Unset):
            offer = UNSET
        else:
            offer = UUID(_offer)




        _terms = d.pop("terms", UNSET)
        terms: Terms | Unset
        if isinstance(_terms,  Unset):
            terms = UNSET
        else:
            terms = Terms.from_dict(_terms)




        grant = cls(
            store_id=store_id,
            grantee=grantee,
            level=level,
            max_label=max_label,
            label=label,
            in_effect=in_effect,
            maker=maker,
            by_platform=by_platform,
            created_at=created_at,
            accepted=accepted,
            expires_at=expires_at,
            caps=caps,
            offer=offer,
            terms=terms,
        )

        return grant

