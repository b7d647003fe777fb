from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.change import Change





T = TypeVar("T", bound="ChangePage")



@_without_unset
@_attrs_define
class ChangePage:
    """ 
        Example:
            {'changes': [{'namespace': '', 'key': 'seat', 'version': 2, 'deleted': False, 'at': '2026-01-05T09:00:00Z'},
                {'namespace': '', 'key': 'old/plan', 'deleted': True, 'at': '2026-01-05T09:00:02Z'}], 'next_cursor': 'q83v'}

        Attributes:
            changes (list[Change]):
            next_cursor (str): For the next call, whether there were changes or not.
     """

    changes: list[Change]
    next_cursor: str





    def to_dict(self) -> dict[str, Any]:
        from ..models.change import Change # noqa: PLC0415
        changes = []
        for changes_item_data in self.changes:
            changes_item = changes_item_data.to_dict()
            changes.append(changes_item)



        next_cursor = self.next_cursor


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "changes": changes,
            "next_cursor": next_cursor,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change import Change # noqa: PLC0415
        d = dict(src_dict)
        changes = []
        _changes = d.pop("changes")
        for changes_item_data in (_changes):
            changes_item = Change.from_dict(changes_item_data)



            changes.append(changes_item)


        next_cursor = d.pop("next_cursor")

        change_page = cls(
            changes=changes,
            next_cursor=next_cursor,
        )

        return change_page

