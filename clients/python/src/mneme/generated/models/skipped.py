from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.skipped_reason import check_skipped_reason
from ..models.skipped_reason import SkippedReason
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Skipped")



@_without_unset
@_attrs_define
class Skipped:
    """ 
        Attributes:
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            reason (SkippedReason): - `not_named`: `stores` does not name it.
                - `max_charge`: it is missing, or what is left of it is less than the price of a search.
                - `cap`: a cap is spent.
                - `balance`: the balance is less than the price of a search.
                - `spend`: the caller's token may not spend through this tool.
                - `prefix`: one of `match` stands for too many words there.
                - `budget`: a condition would read more of its values than its part of what a call may read.
            offer (str | Unset): The offer under which the caller searches the store. Omitted if there is none.
     """

    store_id: str
    reason: SkippedReason
    offer: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        store_id = self.store_id

        reason: str = self.reason

        offer = self.offer


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "store_id": store_id,
            "reason": reason,
        })
        if offer is not UNSET:
            field_dict["offer"] = offer

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        store_id = d.pop("store_id")

        reason = check_skipped_reason(d.pop("reason"))




        offer = d.pop("offer", UNSET)

        skipped = cls(
            store_id=store_id,
            reason=reason,
            offer=offer,
        )

        return skipped

