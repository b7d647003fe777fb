from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TermsRequest")



@_without_unset
@_attrs_define
class TermsRequest:
    """ 
        Attributes:
            price_search (int): Millionths of a credit; at most a million credits.
            price_entry (int): Millionths of a credit; at most a million credits.
            free_searches_per_day (int | Unset): The first searches of a buyer on a day, of which `price_search` is waived.
                Days are of UTC. Default: 0.
            novelty_percent (int | Unset): How much `price_entry` rises for each full hundred entries of the store that the
                buyer has been shown, in percent. Default: 20.
            max_hits (int | Unset): Of an answer. Default: 10.
            searches_per_minute (int | Unset): Of a buyer; likewise the following. Default: 60.
            searches_per_day (int | Unset):  Default: 1000.
            entries_per_day (int | Unset): That the buyer was not shown before. Default: 200.
            entries_total (int | Unset):  Default: 500.
            grant_ttl (int | Unset): Seconds after which a grant expires; 0 means never.
            max_label (Label | Unset): A classification, lowest first.
     """

    price_search: int
    price_entry: int
    free_searches_per_day: int | Unset = 0
    novelty_percent: int | Unset = 20
    max_hits: int | Unset = 10
    searches_per_minute: int | Unset = 60
    searches_per_day: int | Unset = 1000
    entries_per_day: int | Unset = 200
    entries_total: int | Unset = 500
    grant_ttl: int | Unset = UNSET
    max_label: Label | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        price_search = self.price_search

        price_entry = self.price_entry

        free_searches_per_day = self.free_searches_per_day

        novelty_percent = self.novelty_percent

        max_hits = self.max_hits

        searches_per_minute = self.searches_per_minute

        searches_per_day = self.searches_per_day

        entries_per_day = self.entries_per_day

        entries_total = self.entries_total

        grant_ttl = self.grant_ttl

        max_label: str | Unset = UNSET
        if not isinstance(self.max_label, Unset):
            max_label = self.max_label



        field_dict: dict[str, Any] = {}

        field_dict.update({
            "price_search": price_search,
            "price_entry": price_entry,
        })
        if free_searches_per_day is not UNSET:
            field_dict["free_searches_per_day"] = free_searches_per_day
        if novelty_percent is not UNSET:
            field_dict["novelty_percent"] = novelty_percent
        if max_hits is not UNSET:
            field_dict["max_hits"] = max_hits
        if searches_per_minute is not UNSET:
            field_dict["searches_per_minute"] = searches_per_minute
        if searches_per_day is not UNSET:
            field_dict["searches_per_day"] = searches_per_day
        if entries_per_day is not UNSET:
            field_dict["entries_per_day"] = entries_per_day
        if entries_total is not UNSET:
            field_dict["entries_total"] = entries_total
        if grant_ttl is not UNSET:
            field_dict["grant_ttl"] = grant_ttl
        if max_label is not UNSET:
            field_dict["max_label"] = max_label

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        price_search = d.pop("price_search")

        price_entry = d.pop("price_entry")

        free_searches_per_day = d.pop("free_searches_per_day", UNSET)

        novelty_percent = d.pop("novelty_percent", UNSET)

        max_hits = d.pop("max_hits", UNSET)

        searches_per_minute = d.pop("searches_per_minute", UNSET)

        searches_per_day = d.pop("searches_per_day", UNSET)

        entries_per_day = d.pop("entries_per_day", UNSET)

        entries_total = d.pop("entries_total", UNSET)

        grant_ttl = d.pop("grant_ttl", UNSET)

        _max_label = d.pop("max_label", UNSET)
        max_label: Label | Unset
        if isinstance(_max_label,  Unset):
            max_label = UNSET
        else:
            max_label = check_label(_max_label)




        terms_request = cls(
            price_search=price_search,
            price_entry=price_entry,
            free_searches_per_day=free_searches_per_day,
            novelty_percent=novelty_percent,
            max_hits=max_hits,
            searches_per_minute=searches_per_minute,
            searches_per_day=searches_per_day,
            entries_per_day=entries_per_day,
            entries_total=entries_total,
            grant_ttl=grant_ttl,
            max_label=max_label,
        )

        return terms_request

