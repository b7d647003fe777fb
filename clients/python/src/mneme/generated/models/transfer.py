from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="Transfer")



@_without_unset
@_attrs_define
class Transfer:
    """ 
        Attributes:
            amount (int): In micros.
            reference (str): The platform's name of the payment, such as the number of an invoice. Visible ASCII.
     """

    amount: int
    reference: str





    def to_dict(self) -> dict[str, Any]:
        amount = self.amount

        reference = self.reference


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "amount": amount,
            "reference": reference,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        amount = d.pop("amount")

        reference = d.pop("reference")

        transfer = cls(
            amount=amount,
            reference=reference,
        )

        return transfer

