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






T = TypeVar("T", bound="RefundedCharge")



@_without_unset
@_attrs_define
class RefundedCharge:
    """ 
        Attributes:
            id (UUID):
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            offer (UUID):
            buyer (str):
            amount (int): In micros.
            at (datetime.datetime): When it was charged.
            state (ChargeState): - `pending`: its payment is not settled yet.
                - `done`: the seller has the money.
                - `reversed`: its payment was refused.
                - `refunded`: the seller gave the money back.
     """

    id: UUID
    store_id: str
    offer: UUID
    buyer: str
    amount: int
    at: datetime.datetime
    state: ChargeState





    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        store_id = self.store_id

        offer = str(self.offer)

        buyer = self.buyer

        amount = self.amount

        at = self.at.isoformat()

        state: str = self.state


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "id": id,
            "store_id": store_id,
            "offer": offer,
            "buyer": buyer,
            "amount": amount,
            "at": at,
            "state": state,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = UUID(d.pop("id"))




        store_id = d.pop("store_id")

        offer = UUID(d.pop("offer"))




        buyer = d.pop("buyer")

        amount = d.pop("amount")

        at = datetime.datetime.fromisoformat(d.pop("at").replace("Z", "+00:00"))




        state = check_charge_state(d.pop("state"))




        refunded_charge = cls(
            id=id,
            store_id=store_id,
            offer=offer,
            buyer=buyer,
            amount=amount,
            at=at,
            state=state,
        )

        return refunded_charge

