from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.live_status import check_live_status
from ..models.live_status import LiveStatus
from typing import cast






T = TypeVar("T", bound="Live")



@_without_unset
@_attrs_define
class Live:
    """ 
        Attributes:
            status (LiveStatus):
     """

    status: LiveStatus





    def to_dict(self) -> dict[str, Any]:
        status: str = self.status


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "status": status,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = check_live_status(d.pop("status"))




        live = cls(
            status=status,
        )

        return live

