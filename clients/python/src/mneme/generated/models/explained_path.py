from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="ExplainedPath")



@_without_unset
@_attrs_define
class ExplainedPath:
    """ 
        Attributes:
            key (str): 1–512 bytes of UTF-8 in NFC, without control, format or line-separator characters, without
                a leading or trailing `/`, and without empty, `.` or `..` segments.
                 Example: diet/anna.
            namespace (str | Unset): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator
                characters; empty by default.
            store (str | Unset): A store's id, or `self` for the caller's own store.
     """

    key: str
    namespace: str | Unset = UNSET
    store: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        key = self.key

        namespace = self.namespace

        store = self.store


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "key": key,
        })
        if namespace is not UNSET:
            field_dict["namespace"] = namespace
        if store is not UNSET:
            field_dict["store"] = store

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        key = d.pop("key")

        namespace = d.pop("namespace", UNSET)

        store = d.pop("store", UNSET)

        explained_path = cls(
            key=key,
            namespace=namespace,
            store=store,
        )

        return explained_path

