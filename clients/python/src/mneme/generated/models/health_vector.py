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
  from ..models.health_vector_reconciled import HealthVectorReconciled





T = TypeVar("T", bound="HealthVector")



@_without_unset
@_attrs_define
class HealthVector:
    """ 
        Attributes:
            kind (str): `flat` or `milvus`.
            up (bool): A model serves vector searches, and its index is not known to be down.
            reconciled (HealthVectorReconciled | Unset): With the scope `platform`. The last reconciliation of the index
                with the rows. None yet, or an index in the process, which follows the rows, has none.
     """

    kind: str
    up: bool
    reconciled: HealthVectorReconciled | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.health_vector_reconciled import HealthVectorReconciled # noqa: PLC0415
        kind = self.kind

        up = self.up

        reconciled: dict[str, Any] | Unset = UNSET
        if not isinstance(self.reconciled, Unset):
            reconciled = self.reconciled.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "up": up,
        })
        if reconciled is not UNSET:
            field_dict["reconciled"] = reconciled

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.health_vector_reconciled import HealthVectorReconciled # noqa: PLC0415
        d = dict(src_dict)
        kind = d.pop("kind")

        up = d.pop("up")

        _reconciled = d.pop("reconciled", UNSET)
        reconciled: HealthVectorReconciled | Unset
        if isinstance(_reconciled,  Unset):
            reconciled = UNSET
        else:
            reconciled = HealthVectorReconciled.from_dict(_reconciled)




        health_vector = cls(
            kind=kind,
            up=up,
            reconciled=reconciled,
        )

        return health_vector

