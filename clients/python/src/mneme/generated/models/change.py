from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="Change")



@_without_unset
@_attrs_define
class Change:
    """ The present state of a path that has changed.

        Attributes:
            namespace (str): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator characters; empty
                by default.
            key (str): 1–512 bytes of UTF-8 in NFC, without control, format or line-separator characters, without
                a leading or trailing `/`, and without empty, `.` or `..` segments.
                 Example: diet/anna.
            deleted (bool): There is no entry.
            at (datetime.datetime): When the path changed last.
            version (int | Unset): Of the entry that a GET returns. Omitted if there is none.
     """

    namespace: str
    key: str
    deleted: bool
    at: datetime.datetime
    version: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        namespace = self.namespace

        key = self.key

        deleted = self.deleted

        at = self.at.isoformat()

        version = self.version


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "namespace": namespace,
            "key": key,
            "deleted": deleted,
            "at": at,
        })
        if version is not UNSET:
            field_dict["version"] = version

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        namespace = d.pop("namespace")

        key = d.pop("key")

        deleted = d.pop("deleted")

        at = datetime.datetime.fromisoformat(d.pop("at").replace("Z", "+00:00"))




        version = d.pop("version", UNSET)

        change = cls(
            namespace=namespace,
            key=key,
            deleted=deleted,
            at=at,
            version=version,
        )

        return change

