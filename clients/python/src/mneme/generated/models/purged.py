from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID






T = TypeVar("T", bound="Purged")



@_attrs_define
class Purged:
    """ 
        Attributes:
            erased (int):
            ids (list[UUID]):
     """

    erased: int
    ids: list[UUID]





    def to_dict(self) -> dict[str, Any]:
        erased = self.erased

        ids = []
        for ids_item_data in self.ids:
            ids_item = str(ids_item_data)
            ids.append(ids_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "erased": erased,
            "ids": ids,
        })

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


        purged = cls(
            erased=erased,
            ids=ids,
        )

        return purged

