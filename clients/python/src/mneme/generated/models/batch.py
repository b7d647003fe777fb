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
  from ..models.batch_item import BatchItem





T = TypeVar("T", bound="Batch")



@_without_unset
@_attrs_define
class Batch:
    """ 
        Attributes:
            items (list[BatchItem]):
            atomic (bool | Unset): Default false. If true, all items succeed or none is done.
     """

    items: list[BatchItem]
    atomic: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.batch_item import BatchItem # noqa: PLC0415
        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)



        atomic = self.atomic


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "items": items,
        })
        if atomic is not UNSET:
            field_dict["atomic"] = atomic

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.batch_item import BatchItem # noqa: PLC0415
        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in (_items):
            items_item = BatchItem.from_dict(items_item_data)



            items.append(items_item)


        atomic = d.pop("atomic", UNSET)

        batch = cls(
            items=items,
            atomic=atomic,
        )

        return batch

