from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.charge_state import ChargeState
from ..models.charge_state import check_charge_state
from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.used_charge_keys import UsedChargeKeys





T = TypeVar("T", bound="UsedCharge")



@_without_unset
@_attrs_define
class UsedCharge:
    """ 
        Attributes:
            id (UUID):
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            offer (UUID):
            seller (str):
            amount (int): The whole, in micros.
            search (int): The part of it for the search itself, in micros.
            hits (int): How many were shown.
            entries (list[UUID]): The ids of the entries that were charged for.
            keys (UsedChargeKeys): The keys of those entries that the session may see, by their ids.
            receipt (str): A JWS (EdDSA, `typ` mneme-receipt) over the charge, the SHA-256 of the hits as first answered,
                and
                its line of the ledger. The keys are at `/.well-known/jwks.json`; `mneme receipt verify` checks it.
            at (datetime.datetime):
            state (ChargeState): - `pending`: its payment is not settled yet.
                - `done`: the seller has the money.
                - `reversed`: its payment was refused.
                - `refunded`: the seller gave the money back.
     """

    id: UUID
    store_id: str
    offer: UUID
    seller: str
    amount: int
    search: int
    hits: int
    entries: list[UUID]
    keys: UsedChargeKeys
    receipt: str
    at: datetime.datetime
    state: ChargeState





    def to_dict(self) -> dict[str, Any]:
        from ..models.used_charge_keys import UsedChargeKeys # noqa: PLC0415
        id = str(self.id)

        store_id = self.store_id

        offer = str(self.offer)

        seller = self.seller

        amount = self.amount

        search = self.search

        hits = self.hits

        entries = []
        for entries_item_data in self.entries:
            entries_item = str(entries_item_data)
            entries.append(entries_item)



        keys = self.keys.to_dict()

        receipt = self.receipt

        at = self.at.isoformat()

        state: str = self.state


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "id": id,
            "store_id": store_id,
            "offer": offer,
            "seller": seller,
            "amount": amount,
            "search": search,
            "hits": hits,
            "entries": entries,
            "keys": keys,
            "receipt": receipt,
            "at": at,
            "state": state,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.used_charge_keys import UsedChargeKeys # noqa: PLC0415
        d = dict(src_dict)
        id = UUID(d.pop("id"))




        store_id = d.pop("store_id")

        offer = UUID(d.pop("offer"))




        seller = d.pop("seller")

        amount = d.pop("amount")

        search = d.pop("search")

        hits = d.pop("hits")

        entries = []
        _entries = d.pop("entries")
        for entries_item_data in (_entries):
            entries_item = UUID(entries_item_data)



            entries.append(entries_item)


        keys = UsedChargeKeys.from_dict(d.pop("keys"))




        receipt = d.pop("receipt")

        at = datetime.datetime.fromisoformat(d.pop("at").replace("Z", "+00:00"))




        state = check_charge_state(d.pop("state"))




        used_charge = cls(
            id=id,
            store_id=store_id,
            offer=offer,
            seller=seller,
            amount=amount,
            search=search,
            hits=hits,
            entries=entries,
            keys=keys,
            receipt=receipt,
            at=at,
            state=state,
        )

        return used_charge

