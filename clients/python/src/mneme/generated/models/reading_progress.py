from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="ReadingProgress")



@_without_unset
@_attrs_define
class ReadingProgress:
    """ How many of the entries that a model is to read again, because the store was asked in another language, has many
    entries in one, or had its language chosen, it has read, among those that the caller may read. Until it has read
    them all, searches judge entries by the vectors that were there before. Omitted when it has.

        Example:
            {'done': 120, 'total': 400}

        Attributes:
            done (int):
            total (int):
     """

    done: int
    total: int





    def to_dict(self) -> dict[str, Any]:
        done = self.done

        total = self.total


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "done": done,
            "total": total,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        done = d.pop("done")

        total = d.pop("total")

        reading_progress = cls(
            done=done,
            total=total,
        )

        return reading_progress

