from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="Purge")



@_without_unset
@_attrs_define
class Purge:
    """ 
        Example:
            {'before': '2026-01-01T00:00:00Z'}

        Attributes:
            before (datetime.datetime): Erase entries that were deleted or had expired before this.
            wait (bool | Unset): On SQLite the call answers once no file of the database holds what was erased, and other
                writes wait, about a minute per GB. Default: False.
     """

    before: datetime.datetime
    wait: bool | Unset = False





    def to_dict(self) -> dict[str, Any]:
        before = self.before.isoformat()

        wait = self.wait


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "before": before,
        })
        if wait is not UNSET:
            field_dict["wait"] = wait

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        before = datetime.datetime.fromisoformat(d.pop("before").replace("Z", "+00:00"))




        wait = d.pop("wait", UNSET)

        purge = cls(
            before=before,
            wait=wait,
        )

        return purge

