from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="HealthEncoder")



@_attrs_define
class HealthEncoder:
    """ 
        Attributes:
            kind (str): `e5` or `openai`.
            serving (str): The fingerprint of the serving vectors.
            configured (str): The fingerprint of the configured model. If it differs, run `mneme reindex`.
     """

    kind: str
    serving: str
    configured: str





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        serving = self.serving

        configured = self.configured


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "serving": serving,
            "configured": configured,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = d.pop("kind")

        serving = d.pop("serving")

        configured = d.pop("configured")

        health_encoder = cls(
            kind=kind,
            serving=serving,
            configured=configured,
        )

        return health_encoder

