from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="HealthSearches")



@_without_unset
@_attrs_define
class HealthSearches:
    """ With the scope `platform`. Searches in this process now.

        Attributes:
            running (int):
            waiting (int):
     """

    running: int
    waiting: int





    def to_dict(self) -> dict[str, Any]:
        running = self.running

        waiting = self.waiting


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "running": running,
            "waiting": waiting,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        running = d.pop("running")

        waiting = d.pop("waiting")

        health_searches = cls(
            running=running,
            waiting=waiting,
        )

        return health_searches

