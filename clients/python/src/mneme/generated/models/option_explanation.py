from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.filter_option import check_filter_option
from ..models.filter_option import FilterOption
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="OptionExplanation")



@_without_unset
@_attrs_define
class OptionExplanation:
    """ 
        Attributes:
            name (FilterOption):
            dropped (int | Unset): How many of the entries that a leg found before its last candidate, at most its 200th, do
                not pass this option, whether or not they pass the others. On a page after the first: of the candidates that are
                left.
     """

    name: FilterOption
    dropped: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        name: str = self.name

        dropped = self.dropped


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
        })
        if dropped is not UNSET:
            field_dict["dropped"] = dropped

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = check_filter_option(d.pop("name"))




        dropped = d.pop("dropped", UNSET)

        option_explanation = cls(
            name=name,
            dropped=dropped,
        )

        return option_explanation

