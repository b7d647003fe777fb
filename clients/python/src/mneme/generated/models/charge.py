from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast
from uuid import UUID






T = TypeVar("T", bound="Charge")



@_without_unset
@_attrs_define
class Charge:
    """ What a search of one store cost.

        Example:
            {'id': '01982f6e-7c1a-7d3e-9b55-2f4f6f3c8b01', 'store_id': 'hiker', 'offer':
                '01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77', 'amount': 2500, 'search': 2000, 'entries':
                ['01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a01'], 'receipt': 'eyJhbGciOiJFZERTQSJ9.eyJ9.c2ln'}

        Attributes:
            id (UUID): A UUID of version 7.
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            offer (UUID):
            amount (int): The whole, in micros.
            search (int): The part of it for the search itself, in micros.
            entries (list[UUID]): The ids of the entries that were charged for.
            receipt (str): A JWS (EdDSA, `typ` mneme-receipt) over the charge, the SHA-256 of the hits as first answered,
                and
                its line of the ledger. The keys are at `/.well-known/jwks.json`; `mneme receipt verify` checks it.
     """

    id: UUID
    store_id: str
    offer: UUID
    amount: int
    search: int
    entries: list[UUID]
    receipt: str





    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        store_id = self.store_id

        offer = str(self.offer)

        amount = self.amount

        search = self.search

        entries = []
        for entries_item_data in self.entries:
            entries_item = str(entries_item_data)
            entries.append(entries_item)



        receipt = self.receipt


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "id": id,
            "store_id": store_id,
            "offer": offer,
            "amount": amount,
            "search": search,
            "entries": entries,
            "receipt": receipt,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = UUID(d.pop("id"))




        store_id = d.pop("store_id")

        offer = UUID(d.pop("offer"))




        amount = d.pop("amount")

        search = d.pop("search")

        entries = []
        _entries = d.pop("entries")
        for entries_item_data in (_entries):
            entries_item = UUID(entries_item_data)



            entries.append(entries_item)


        receipt = d.pop("receipt")

        charge = cls(
            id=id,
            store_id=store_id,
            offer=offer,
            amount=amount,
            search=search,
            entries=entries,
            receipt=receipt,
        )

        return charge

