from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.grant import Grant





T = TypeVar("T", bound="Grants")



@_without_unset
@_attrs_define
class Grants:
    """ 
        Attributes:
            grants (list[Grant]):
     """

    grants: list[Grant]





    def to_dict(self) -> dict[str, Any]:
        from ..models.grant import Grant # noqa: PLC0415
        grants = []
        for grants_item_data in self.grants:
            grants_item = grants_item_data.to_dict()
            grants.append(grants_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "grants": grants,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.grant import Grant # noqa: PLC0415
        d = dict(src_dict)
        grants = []
        _grants = d.pop("grants")
        for grants_item_data in (_grants):
            grants_item = Grant.from_dict(grants_item_data)



            grants.append(grants_item)


        grants = cls(
            grants=grants,
        )

        return grants

