from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="HealthVersions")



@_without_unset
@_attrs_define
class HealthVersions:
    """ 
        Attributes:
            build (str):
            revision (str):
            schema (int): Of the storage.
            analysis (str): Of the analysis of texts.
     """

    build: str
    revision: str
    schema: int
    analysis: str





    def to_dict(self) -> dict[str, Any]:
        build = self.build

        revision = self.revision

        schema = self.schema

        analysis = self.analysis


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "build": build,
            "revision": revision,
            "schema": schema,
            "analysis": analysis,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        build = d.pop("build")

        revision = d.pop("revision")

        schema = d.pop("schema")

        analysis = d.pop("analysis")

        health_versions = cls(
            build=build,
            revision=revision,
            schema=schema,
            analysis=analysis,
        )

        return health_versions

