from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="SalesRow")



@_without_unset
@_attrs_define
class SalesRow:
    """ The charges of a day, buyer or offer. Of `day`, `buyer` and `offer` it has the one that was asked for.

        Example:
            {'day': '2026-01-05', 'searches': 12, 'hits': 88, 'entries': 40, 'share': 0.0102, 'income': 44000}

        Attributes:
            searches (int):
            hits (int):
            entries (int): That were charged for.
            share (float): The part of the store's entries that was shown.
            income (int): In micros.
            day (datetime.date | Unset): Of UTC.
            buyer (str | Unset):
            offer (UUID | Unset):
     """

    searches: int
    hits: int
    entries: int
    share: float
    income: int
    day: datetime.date | Unset = UNSET
    buyer: str | Unset = UNSET
    offer: UUID | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        searches = self.searches

        hits = self.hits

        entries = self.entries

        share = self.share

        income = self.income

        day: str | Unset = UNSET
        if not isinstance(self.day, Unset):
            day = self.day.isoformat()

        buyer = self.buyer

        offer: str | Unset = UNSET
        if not isinstance(self.offer, Unset):
            offer = str(self.offer)


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "searches": searches,
            "hits": hits,
            "entries": entries,
            "share": share,
            "income": income,
        })
        if day is not UNSET:
            field_dict["day"] = day
        if buyer is not UNSET:
            field_dict["buyer"] = buyer
        if offer is not UNSET:
            field_dict["offer"] = offer

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        searches = d.pop("searches")

        hits = d.pop("hits")

        entries = d.pop("entries")

        share = d.pop("share")

        income = d.pop("income")

        _day = d.pop("day", UNSET)
        day: datetime.date | Unset
        if isinstance(_day,  Unset):
            day = UNSET
        else:
            day = datetime.date.fromisoformat(_day.replace("Z", "+00:00"))




        buyer = d.pop("buyer", UNSET)

        _offer = d.pop("offer", UNSET)
        offer: UUID | Unset
        if isinstance(_offer,  Unset):
            offer = UNSET
        else:
            offer = UUID(_offer)




        sales_row = cls(
            searches=searches,
            hits=hits,
            entries=entries,
            share=share,
            income=income,
            day=day,
            buyer=buyer,
            offer=offer,
        )

        return sales_row

