from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="Rename")



@_without_unset
@_attrs_define
class Rename:
    """ 
        Attributes:
            to (str): 1–512 bytes of UTF-8 in NFC, without control, format or line-separator characters, without
                a leading or trailing `/`, and without empty, `.` or `..` segments.
                 Example: diet/anna.
            to_namespace (str | Unset): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator
                characters; empty by default.
            to_store (str | Unset): A store's id, or `self` for the caller's own store.
     """

    to: str
    to_namespace: str | Unset = UNSET
    to_store: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        to = self.to

        to_namespace = self.to_namespace

        to_store = self.to_store


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "to": to,
        })
        if to_namespace is not UNSET:
            field_dict["to_namespace"] = to_namespace
        if to_store is not UNSET:
            field_dict["to_store"] = to_store

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        to = d.pop("to")

        to_namespace = d.pop("to_namespace", UNSET)

        to_store = d.pop("to_store", UNSET)

        rename = cls(
            to=to,
            to_namespace=to_namespace,
            to_store=to_store,
        )

        return rename

