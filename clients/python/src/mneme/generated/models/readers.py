from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Readers")



@_without_unset
@_attrs_define
class Readers:
    """ 
        Attributes:
            wording (int): The index among `queries`; 0 of `query`.
            models (list[str]):  Example: ['english', 'multilingual'].
            language (str | Unset): The language that its words suggest, by its code in ISO 639-1. Omitted if they suggest
                none. Example: de.
     """

    wording: int
    models: list[str]
    language: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        wording = self.wording

        models = self.models



        language = self.language


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "wording": wording,
            "models": models,
        })
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        wording = d.pop("wording")

        models = cast(list[str], d.pop("models"))


        language = d.pop("language", UNSET)

        readers = cls(
            wording=wording,
            models=models,
            language=language,
        )

        return readers

