from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..models.offer_state import check_offer_state
from ..models.offer_state import OfferState
from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.offer_caps import OfferCaps
  from ..models.terms import Terms





T = TypeVar("T", bound="Offer")



@_without_unset
@_attrs_define
class Offer:
    """ 
        Example:
            {'id': '01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77', 'store_id': 'hiker', 'seller': 'hiker', 'title': 'Trails of the
                Alps', 'description': '4,000 day hikes with their times, huts and water, walked since 2015.', 'terms':
                {'price_search': 2000, 'price_entry': 500, 'free_searches_per_day': 3, 'novelty_percent': 20, 'max_hits': 10,
                'searches_per_minute': 60, 'searches_per_day': 1000, 'entries_per_day': 200, 'entries_total': 500, 'max_label':
                'PUBLIC'}, 'label': 'PUBLIC', 'state': 'open', 'created_at': '2026-01-05T09:00:00Z'}

        Attributes:
            id (UUID): A UUID of version 7.
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            seller (str): The store's own agent, which is paid.
            title (str): One line, not blank, without control characters and marks that change the direction of text.
            description (str): What the store holds, for buyers. Line breaks are its only control characters.
            terms (Terms):
            label (Label): A classification, lowest first.
            state (OfferState):
            created_at (datetime.datetime):
            caps (OfferCaps | Unset): Caps on all buyers of the offer together, against one buyer under many names. An
                omitted one is none. Example: {'entries_per_day': 1000}.
     """

    id: UUID
    store_id: str
    seller: str
    title: str
    description: str
    terms: Terms
    label: Label
    state: OfferState
    created_at: datetime.datetime
    caps: OfferCaps | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.offer_caps import OfferCaps # noqa: PLC0415
        from ..models.terms import Terms # noqa: PLC0415
        id = str(self.id)

        store_id = self.store_id

        seller = self.seller

        title = self.title

        description = self.description

        terms = self.terms.to_dict()

        label: str = self.label

        state: str = self.state

        created_at = self.created_at.isoformat()

        caps: dict[str, Any] | Unset = UNSET
        if not isinstance(self.caps, Unset):
            caps = self.caps.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "id": id,
            "store_id": store_id,
            "seller": seller,
            "title": title,
            "description": description,
            "terms": terms,
            "label": label,
            "state": state,
            "created_at": created_at,
        })
        if caps is not UNSET:
            field_dict["caps"] = caps

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.offer_caps import OfferCaps # noqa: PLC0415
        from ..models.terms import Terms # noqa: PLC0415
        d = dict(src_dict)
        id = UUID(d.pop("id"))




        store_id = d.pop("store_id")

        seller = d.pop("seller")

        title = d.pop("title")

        description = d.pop("description")

        terms = Terms.from_dict(d.pop("terms"))




        label = check_label(d.pop("label"))




        state = check_offer_state(d.pop("state"))




        created_at = datetime.datetime.fromisoformat(d.pop("created_at").replace("Z", "+00:00"))




        _caps = d.pop("caps", UNSET)
        caps: OfferCaps | Unset
        if isinstance(_caps,  Unset):
            caps = UNSET
        else:
            caps = OfferCaps.from_dict(_caps)




        offer = cls(
            id=id,
            store_id=store_id,
            seller=seller,
            title=title,
            description=description,
            terms=terms,
            label=label,
            state=state,
            created_at=created_at,
            caps=caps,
        )

        return offer

