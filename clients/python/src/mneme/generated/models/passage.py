from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Passage")



@_without_unset
@_attrs_define
class Passage:
    """ A stretch of the text of a value. The text of a string is the string; that of another value has a line for each
    string and number in it, with the name of its member before it, as in `listen port: 9443` (that of `true`, `false`
    and `null` is their JSON). It begins and ends with a sentence or line, if none is too long. Without `start` and
    `end` if the caller may search the store but not read it.

        Example:
            {'text': 'Anna carries an adrenaline pen in the blue bag.', 'start': 2310, 'end': 2357, 'highlights': [[16,
                30]]}

        Attributes:
            text (str):
            start (int | Unset): Where it begins in the text, in bytes of UTF-8.
            end (int | Unset): Where it ends.
            highlights (list[list[int]] | Unset): Where a text has words of the query, as the search compares them, so that
                a word counts for its inflections: pairs of start and end, in bytes of UTF-8, in order and apart.
     """

    text: str
    start: int | Unset = UNSET
    end: int | Unset = UNSET
    highlights: list[list[int]] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        text = self.text

        start = self.start

        end = self.end

        highlights: list[list[int]] | Unset = UNSET
        if not isinstance(self.highlights, Unset):
            highlights = []
            for componentsschemas_ranges_item_data in self.highlights:
                componentsschemas_ranges_item = componentsschemas_ranges_item_data


                highlights.append(componentsschemas_ranges_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "text": text,
        })
        if start is not UNSET:
            field_dict["start"] = start
        if end is not UNSET:
            field_dict["end"] = end
        if highlights is not UNSET:
            field_dict["highlights"] = highlights

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        text = d.pop("text")

        start = d.pop("start", UNSET)

        end = d.pop("end", UNSET)

        _highlights = d.pop("highlights", UNSET)
        highlights: list[list[int]] | Unset = UNSET
        if _highlights is not UNSET:
            highlights = []
            for componentsschemas_ranges_item_data in _highlights:
                componentsschemas_ranges_item = cast(list[int], componentsschemas_ranges_item_data)

                highlights.append(componentsschemas_ranges_item)


        passage = cls(
            text=text,
            start=start,
            end=end,
            highlights=highlights,
        )

        return passage

