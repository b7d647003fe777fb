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
  from ..models.option_explanation import OptionExplanation





T = TypeVar("T", bound="FilterExplanation")



@_without_unset
@_attrs_define
class FilterExplanation:
    """ What the options that restrict the search cost. If at most a thousand entries pass them, both legs look among these
    alone, and `passing` says how many there are. Otherwise the legs look among all, and what they find is judged:
    `dropped` says how many entries each option leaves out. The time is `filter` of `Server-Timing`.

        Attributes:
            options (list[OptionExplanation]):
            passing (int | Unset):
     """

    options: list[OptionExplanation]
    passing: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.option_explanation import OptionExplanation # noqa: PLC0415
        options = []
        for options_item_data in self.options:
            options_item = options_item_data.to_dict()
            options.append(options_item)



        passing = self.passing


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "options": options,
        })
        if passing is not UNSET:
            field_dict["passing"] = passing

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.option_explanation import OptionExplanation # noqa: PLC0415
        d = dict(src_dict)
        options = []
        _options = d.pop("options")
        for options_item_data in (_options):
            options_item = OptionExplanation.from_dict(options_item_data)



            options.append(options_item)


        passing = d.pop("passing", UNSET)

        filter_explanation = cls(
            options=options,
            passing=passing,
        )

        return filter_explanation

