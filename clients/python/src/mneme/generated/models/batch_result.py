from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.batch_outcome import BatchOutcome





T = TypeVar("T", bound="BatchResult")



@_without_unset
@_attrs_define
class BatchResult:
    """ 
        Attributes:
            outcomes (list[BatchOutcome]): Of each item, in their order.
     """

    outcomes: list[BatchOutcome]





    def to_dict(self) -> dict[str, Any]:
        from ..models.batch_outcome import BatchOutcome # noqa: PLC0415
        outcomes = []
        for outcomes_item_data in self.outcomes:
            outcomes_item = outcomes_item_data.to_dict()
            outcomes.append(outcomes_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "outcomes": outcomes,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.batch_outcome import BatchOutcome # noqa: PLC0415
        d = dict(src_dict)
        outcomes = []
        _outcomes = d.pop("outcomes")
        for outcomes_item_data in (_outcomes):
            outcomes_item = BatchOutcome.from_dict(outcomes_item_data)



            outcomes.append(outcomes_item)


        batch_result = cls(
            outcomes=outcomes,
        )

        return batch_result

