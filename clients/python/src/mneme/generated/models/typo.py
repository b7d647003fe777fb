from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast






T = TypeVar("T", bound="Typo")



@_without_unset
@_attrs_define
class Typo:
    """ 
        Attributes:
            word (str): The word, in lower case and without accents. Example: termostat.
            found (list[str]): The stems of words that entries have. Example: ['thermostat'].
     """

    word: str
    found: list[str]





    def to_dict(self) -> dict[str, Any]:
        word = self.word

        found = self.found




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "word": word,
            "found": found,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        word = d.pop("word")

        found = cast(list[str], d.pop("found"))


        typo = cls(
            word=word,
            found=found,
        )

        return typo

