from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.language import check_language
from ..models.language import Language
from typing import cast






T = TypeVar("T", bound="LanguageChoice")



@_without_unset
@_attrs_define
class LanguageChoice:
    """ 
        Example:
            {'language': 'auto'}

        Attributes:
            language (Language): What was chosen for the store. With `auto` the English model reads what it can, and the
                multilingual one the rest; once somebody who may write to the store asks it in another language, or one in
                twenty of its entries is in another one, the multilingual model reads every entry, too.
     """

    language: Language





    def to_dict(self) -> dict[str, Any]:
        language: str = self.language


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "language": language,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        language = check_language(d.pop("language"))




        language_choice = cls(
            language=language,
        )

        return language_choice

