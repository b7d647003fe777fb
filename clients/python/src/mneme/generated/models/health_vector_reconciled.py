from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast
import datetime






T = TypeVar("T", bound="HealthVectorReconciled")



@_without_unset
@_attrs_define
class HealthVectorReconciled:
    """ With the scope `platform`. The last reconciliation of the index with the rows. None yet, or an index in the process,
    which follows the rows, has none.

        Attributes:
            at (datetime.datetime):
            removed (int): Entries that were in the index without a row.
            restored (int): Entries that the index lacked or held differently.
     """

    at: datetime.datetime
    removed: int
    restored: int





    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        removed = self.removed

        restored = self.restored


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "at": at,
            "removed": removed,
            "restored": restored,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at").replace("Z", "+00:00"))




        removed = d.pop("removed")

        restored = d.pop("restored")

        health_vector_reconciled = cls(
            at=at,
            removed=removed,
            restored=restored,
        )

        return health_vector_reconciled

