from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Words")



@_without_unset
@_attrs_define
class Words:
    """ Exact words of the value's text, the key, the description and the tags: `all` of the items must be there, at
    least one of `any`, and none of `none`; at most 32 items. An item is a word or, with several words, a phrase:
    adjacent and in order, in one field. It stands for words with the same stem, whatever their case and accents;
    stop words count. `pea*` is a prefix, of two letters at least, of a word as written or of a stem. Compounds
    (`e-mail`, `build_status`, `buildStatus`) are found as a whole and by their parts, and scripts without spaces
    by any run of characters. Encrypted entries never match.

    422 names the place of what is wrong, such as `match.any[2]`; also if a prefix stands for more than 1,000 words
    of a store. Stores that the caller may search but not read are left out, or 403 if named.

        Example:
            {'all': ['adrenaline pen'], 'any': ['pea*', 'peanut'], 'none': ['draft']}

        Attributes:
            all_ (list[str] | Unset):
            any_ (list[str] | Unset):
            none (list[str] | Unset):
     """

    all_: list[str] | Unset = UNSET
    any_: list[str] | Unset = UNSET
    none: list[str] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        all_: list[str] | Unset = UNSET
        if not isinstance(self.all_, Unset):
            all_ = self.all_



        any_: list[str] | Unset = UNSET
        if not isinstance(self.any_, Unset):
            any_ = self.any_



        none: list[str] | Unset = UNSET
        if not isinstance(self.none, Unset):
            none = self.none




        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if all_ is not UNSET:
            field_dict["all"] = all_
        if any_ is not UNSET:
            field_dict["any"] = any_
        if none is not UNSET:
            field_dict["none"] = none

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        all_ = cast(list[str], d.pop("all", UNSET))


        any_ = cast(list[str], d.pop("any", UNSET))


        none = cast(list[str], d.pop("none", UNSET))


        words = cls(
            all_=all_,
            any_=any_,
            none=none,
        )

        return words

