from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="OfferQuestion")



@_without_unset
@_attrs_define
class OfferQuestion:
    """ 
        Attributes:
            query (str): Any text that is not blank, at most 16,000 bytes by default.
            limit (int | Unset): The offer's `max_hits` bounds the hits too. Default: 10.
            min_relevance (float | Unset): Leave out hits of less relevance, at no charge. It is rounded to two digits, as
                the hits' is. Default: 0.0.
            max_tokens (int | Unset): As in a search. Example: 2000.
            passages (bool | Unset): As in a search. Default: False.
            max_charge (int | Unset): Millionths of a credit; at most a million credits.
     """

    query: str
    limit: int | Unset = 10
    min_relevance: float | Unset = 0.0
    max_tokens: int | Unset = UNSET
    passages: bool | Unset = False
    max_charge: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        query = self.query

        limit = self.limit

        min_relevance = self.min_relevance

        max_tokens = self.max_tokens

        passages = self.passages

        max_charge = self.max_charge


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "query": query,
        })
        if limit is not UNSET:
            field_dict["limit"] = limit
        if min_relevance is not UNSET:
            field_dict["min_relevance"] = min_relevance
        if max_tokens is not UNSET:
            field_dict["max_tokens"] = max_tokens
        if passages is not UNSET:
            field_dict["passages"] = passages
        if max_charge is not UNSET:
            field_dict["max_charge"] = max_charge

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        query = d.pop("query")

        limit = d.pop("limit", UNSET)

        min_relevance = d.pop("min_relevance", UNSET)

        max_tokens = d.pop("max_tokens", UNSET)

        passages = d.pop("passages", UNSET)

        max_charge = d.pop("max_charge", UNSET)

        offer_question = cls(
            query=query,
            limit=limit,
            min_relevance=min_relevance,
            max_tokens=max_tokens,
            passages=passages,
            max_charge=max_charge,
        )

        return offer_question

