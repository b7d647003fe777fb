from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="HealthStorage")



@_without_unset
@_attrs_define
class HealthStorage:
    """ 
        Attributes:
            kind (str): `sqlite` or `postgres`.
            up (bool): The storage answers.
     """

    kind: str
    up: bool





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        up = self.up


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "up": up,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = d.pop("kind")

        up = d.pop("up")

        health_storage = cls(
            kind=kind,
            up=up,
        )

        return health_storage

