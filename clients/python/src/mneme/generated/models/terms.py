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






T = TypeVar("T", bound="Terms")



@_without_unset
@_attrs_define
class Terms:
    """ 
        Attributes:
            price_search (int): Millionths of a credit; at most a million credits.
            price_entry (int): Millionths of a credit; at most a million credits.
            free_searches_per_day (int):
            novelty_percent (int):
            max_hits (int):
            searches_per_minute (int):
            searches_per_day (int):
            entries_per_day (int):
            entries_total (int):
            max_label (Label): A classification, lowest first.
            grant_ttl (int | Unset): Seconds. Omitted if grants do not expire.
     """

    price_search: int
    price_entry: int
    free_searches_per_day: int
    novelty_percent: int
    max_hits: int
    searches_per_minute: int
    searches_per_day: int
    entries_per_day: int
    entries_total: int
    max_label: Label
    grant_ttl: int | Unset = UNSET





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

        max_label: str = self.max_label

        grant_ttl = self.grant_ttl


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "price_search": price_search,
            "price_entry": price_entry,
            "free_searches_per_day": free_searches_per_day,
            "novelty_percent": novelty_percent,
            "max_hits": max_hits,
            "searches_per_minute": searches_per_minute,
            "searches_per_day": searches_per_day,
            "entries_per_day": entries_per_day,
            "entries_total": entries_total,
            "max_label": max_label,
        })
        if grant_ttl is not UNSET:
            field_dict["grant_ttl"] = grant_ttl

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        price_search = d.pop("price_search")

        price_entry = d.pop("price_entry")

        free_searches_per_day = d.pop("free_searches_per_day")

        novelty_percent = d.pop("novelty_percent")

        max_hits = d.pop("max_hits")

        searches_per_minute = d.pop("searches_per_minute")

        searches_per_day = d.pop("searches_per_day")

        entries_per_day = d.pop("entries_per_day")

        entries_total = d.pop("entries_total")

        max_label = check_label(d.pop("max_label"))




        grant_ttl = d.pop("grant_ttl", UNSET)

        terms = cls(
            price_search=price_search,
            price_entry=price_entry,
            free_searches_per_day=free_searches_per_day,
            novelty_percent=novelty_percent,
            max_hits=max_hits,
            searches_per_minute=searches_per_minute,
            searches_per_day=searches_per_day,
            entries_per_day=entries_per_day,
            entries_total=entries_total,
            max_label=max_label,
            grant_ttl=grant_ttl,
        )

        return terms

