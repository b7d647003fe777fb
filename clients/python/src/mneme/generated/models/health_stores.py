from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="HealthStores")



@_without_unset
@_attrs_define
class HealthStores:
    """ With the scope `platform`. How many stores each model reads. Omitted with an embedder that reads every language.

        Attributes:
            english (int):
            multilingual (int):
     """

    english: int
    multilingual: int





    def to_dict(self) -> dict[str, Any]:
        english = self.english

        multilingual = self.multilingual


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "english": english,
            "multilingual": multilingual,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        english = d.pop("english")

        multilingual = d.pop("multilingual")

        health_stores = cls(
            english=english,
            multilingual=multilingual,
        )

        return health_stores

