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
  from ..models.health_stores import HealthStores





T = TypeVar("T", bound="HealthEncoder")



@_without_unset
@_attrs_define
class HealthEncoder:
    """ 
        Attributes:
            kind (str): The embedder, such as `e5`.
            serving (str): The fingerprint of the serving vectors.
            configured (str): The fingerprint of the configured model. If it differs, run `mneme reindex`.
            multilingual (str | Unset): With the scope `platform`. The fingerprint of the vectors of texts that the English
                model cannot read. Omitted if none has been needed yet.
            stores (HealthStores | Unset): With the scope `platform`. How many stores each model reads. Omitted with an
                embedder that reads every language.
     """

    kind: str
    serving: str
    configured: str
    multilingual: str | Unset = UNSET
    stores: HealthStores | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.health_stores import HealthStores # noqa: PLC0415
        kind = self.kind

        serving = self.serving

        configured = self.configured

        multilingual = self.multilingual

        stores: dict[str, Any] | Unset = UNSET
        if not isinstance(self.stores, Unset):
            stores = self.stores.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "serving": serving,
            "configured": configured,
        })
        if multilingual is not UNSET:
            field_dict["multilingual"] = multilingual
        if stores is not UNSET:
            field_dict["stores"] = stores

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.health_stores import HealthStores # noqa: PLC0415
        d = dict(src_dict)
        kind = d.pop("kind")

        serving = d.pop("serving")

        configured = d.pop("configured")

        multilingual = d.pop("multilingual", UNSET)

        _stores = d.pop("stores", UNSET)
        stores: HealthStores | Unset
        if isinstance(_stores,  Unset):
            stores = UNSET
        else:
            stores = HealthStores.from_dict(_stores)




        health_encoder = cls(
            kind=kind,
            serving=serving,
            configured=configured,
            multilingual=multilingual,
            stores=stores,
        )

        return health_encoder

