from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.entry_explanation import EntryExplanation
  from ..models.filter_explanation import FilterExplanation
  from ..models.named_time import NamedTime
  from ..models.readers import Readers
  from ..models.typo import Typo





T = TypeVar("T", bound="Explanation")



@_without_unset
@_attrs_define
class Explanation:
    """ With `explain`, what no hit shows. Omitted if the question has none of `namespace`, `tags`, `type`, `where` and
    `match`, names no entry, has no word that was looked for as another, and one model has read the entries. It depends
    on nothing that the caller may not read.

        Attributes:
            filter_ (FilterExplanation | Unset): What the options that restrict the search cost. If at most a thousand
                entries pass them, both legs look among these alone, and `passing` says how many there are. Otherwise the legs
                look among all, and what they find is judged: `dropped` says how many entries each option leaves out. The time
                is `filter` of `Server-Timing`.
            entry (EntryExplanation | Unset): What became of the entry that the path in `explain` resolves to. An entry that
                the caller may not read is `not_found`, like one that does not exist. Example: {'outcome': 'beyond_limit', 'id':
                '01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a01', 'label': 'PUBLIC', 'rank': 14, 'score': 2.1034, 'relevance': 0.3127}.
            typos (list[Typo] | Unset): Words of the question that no entry has, and what was looked for in their place.
            dates (list[NamedTime] | Unset): The times that the question names, as they were read.
            readers (list[Readers] | Unset): Where two models have read entries, which of them each wording was asked of.
                Words whose language is not sure are asked of both; an entry that both have read then has the greater relevance.
     """

    filter_: FilterExplanation | Unset = UNSET
    entry: EntryExplanation | Unset = UNSET
    typos: list[Typo] | Unset = UNSET
    dates: list[NamedTime] | Unset = UNSET
    readers: list[Readers] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.entry_explanation import EntryExplanation # noqa: PLC0415
        from ..models.filter_explanation import FilterExplanation # noqa: PLC0415
        from ..models.named_time import NamedTime # noqa: PLC0415
        from ..models.readers import Readers # noqa: PLC0415
        from ..models.typo import Typo # noqa: PLC0415
        filter_: dict[str, Any] | Unset = UNSET
        if not isinstance(self.filter_, Unset):
            filter_ = self.filter_.to_dict()

        entry: dict[str, Any] | Unset = UNSET
        if not isinstance(self.entry, Unset):
            entry = self.entry.to_dict()

        typos: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.typos, Unset):
            typos = []
            for typos_item_data in self.typos:
                typos_item = typos_item_data.to_dict()
                typos.append(typos_item)



        dates: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.dates, Unset):
            dates = []
            for dates_item_data in self.dates:
                dates_item = dates_item_data.to_dict()
                dates.append(dates_item)



        readers: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.readers, Unset):
            readers = []
            for readers_item_data in self.readers:
                readers_item = readers_item_data.to_dict()
                readers.append(readers_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if filter_ is not UNSET:
            field_dict["filter"] = filter_
        if entry is not UNSET:
            field_dict["entry"] = entry
        if typos is not UNSET:
            field_dict["typos"] = typos
        if dates is not UNSET:
            field_dict["dates"] = dates
        if readers is not UNSET:
            field_dict["readers"] = readers

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.entry_explanation import EntryExplanation # noqa: PLC0415
        from ..models.filter_explanation import FilterExplanation # noqa: PLC0415
        from ..models.named_time import NamedTime # noqa: PLC0415
        from ..models.readers import Readers # noqa: PLC0415
        from ..models.typo import Typo # noqa: PLC0415
        d = dict(src_dict)
        _filter_ = d.pop("filter", UNSET)
        filter_: FilterExplanation | Unset
        if isinstance(_filter_,  Unset):
            filter_ = UNSET
        else:
            filter_ = FilterExplanation.from_dict(_filter_)




        _entry = d.pop("entry", UNSET)
        entry: EntryExplanation | Unset
        if isinstance(_entry,  Unset):
            entry = UNSET
        else:
            entry = EntryExplanation.from_dict(_entry)




        _typos = d.pop("typos", UNSET)
        typos: list[Typo] | Unset = UNSET
        if _typos is not UNSET:
            typos = []
            for typos_item_data in _typos:
                typos_item = Typo.from_dict(typos_item_data)



                typos.append(typos_item)


        _dates = d.pop("dates", UNSET)
        dates: list[NamedTime] | Unset = UNSET
        if _dates is not UNSET:
            dates = []
            for dates_item_data in _dates:
                dates_item = NamedTime.from_dict(dates_item_data)



                dates.append(dates_item)


        _readers = d.pop("readers", UNSET)
        readers: list[Readers] | Unset = UNSET
        if _readers is not UNSET:
            readers = []
            for readers_item_data in _readers:
                readers_item = Readers.from_dict(readers_item_data)



                readers.append(readers_item)


        explanation = cls(
            filter_=filter_,
            entry=entry,
            typos=typos,
            dates=dates,
            readers=readers,
        )

        return explanation

