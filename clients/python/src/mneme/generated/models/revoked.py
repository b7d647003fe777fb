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





T = TypeVar("T", bound="Revoked")



@_without_unset
@_attrs_define
class Revoked:
    """ 
        Attributes:
            dependents (list[Grant]): The grants that were in effect and depended on the revoked one, by grantee.
            ended (bool): Whether they were revoked with it, as `cascade` asks for.
     """

    dependents: list[Grant]
    ended: bool





    def to_dict(self) -> dict[str, Any]:
        from ..models.grant import Grant # noqa: PLC0415
        dependents = []
        for dependents_item_data in self.dependents:
            dependents_item = dependents_item_data.to_dict()
            dependents.append(dependents_item)



        ended = self.ended


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "dependents": dependents,
            "ended": ended,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.grant import Grant # noqa: PLC0415
        d = dict(src_dict)
        dependents = []
        _dependents = d.pop("dependents")
        for dependents_item_data in (_dependents):
            dependents_item = Grant.from_dict(dependents_item_data)



            dependents.append(dependents_item)


        ended = d.pop("ended")

        revoked = cls(
            dependents=dependents,
            ended=ended,
        )

        return revoked

