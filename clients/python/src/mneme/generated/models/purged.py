from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="Purged")



@_without_unset
@_attrs_define
class Purged:
    """ 
        Attributes:
            erased (int):
            ids (list[UUID]):
            erased_on_disk (datetime.datetime | Unset): When no file of the database held what was erased any more. Absent:
                not known. PostgreSQL
                erases by vacuum, at times of its own. On SQLite the call did not wait, or a program read an
                older state of the database; the service goes on with it, and the same call with its
                `Idempotency-Key` asks again.
     """

    erased: int
    ids: list[UUID]
    erased_on_disk: datetime.datetime | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        erased = self.erased

        ids = []
        for ids_item_data in self.ids:
            ids_item = str(ids_item_data)
            ids.append(ids_item)



        erased_on_disk: str | Unset = UNSET
        if not isinstance(self.erased_on_disk, Unset):
            erased_on_disk = self.erased_on_disk.isoformat()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "erased": erased,
            "ids": ids,
        })
        if erased_on_disk is not UNSET:
            field_dict["erased_on_disk"] = erased_on_disk

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        erased = d.pop("erased")

        ids = []
        _ids = d.pop("ids")
        for ids_item_data in (_ids):
            ids_item = UUID(ids_item_data)



            ids.append(ids_item)


        _erased_on_disk = d.pop("erased_on_disk", UNSET)
        erased_on_disk: datetime.datetime | Unset
        if isinstance(_erased_on_disk,  Unset):
            erased_on_disk = UNSET
        else:
            erased_on_disk = datetime.datetime.fromisoformat(_erased_on_disk.replace("Z", "+00:00"))




        purged = cls(
            erased=erased,
            ids=ids,
            erased_on_disk=erased_on_disk,
        )

        return purged

