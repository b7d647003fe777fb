from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.refusal import Refusal





T = TypeVar("T", bound="ImportResult")



@_without_unset
@_attrs_define
class ImportResult:
    """ 
        Attributes:
            created (int):
            updated (int):
            unchanged (int): Lines equal to the existing entry.
            refused (int):
            refusals (list[Refusal]): The first 1,000 refused lines, in order. A repeated call with the same Idempotency-Key
                returns only the counts.
            refusals_cut (bool): More lines were refused than are listed.
     """

    created: int
    updated: int
    unchanged: int
    refused: int
    refusals: list[Refusal]
    refusals_cut: bool





    def to_dict(self) -> dict[str, Any]:
        from ..models.refusal import Refusal # noqa: PLC0415
        created = self.created

        updated = self.updated

        unchanged = self.unchanged

        refused = self.refused

        refusals = []
        for refusals_item_data in self.refusals:
            refusals_item = refusals_item_data.to_dict()
            refusals.append(refusals_item)



        refusals_cut = self.refusals_cut


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "created": created,
            "updated": updated,
            "unchanged": unchanged,
            "refused": refused,
            "refusals": refusals,
            "refusals_cut": refusals_cut,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.refusal import Refusal # noqa: PLC0415
        d = dict(src_dict)
        created = d.pop("created")

        updated = d.pop("updated")

        unchanged = d.pop("unchanged")

        refused = d.pop("refused")

        refusals = []
        _refusals = d.pop("refusals")
        for refusals_item_data in (_refusals):
            refusals_item = Refusal.from_dict(refusals_item_data)



            refusals.append(refusals_item)


        refusals_cut = d.pop("refusals_cut")

        import_result = cls(
            created=created,
            updated=updated,
            unchanged=unchanged,
            refused=refused,
            refusals=refusals,
            refusals_cut=refusals_cut,
        )

        return import_result

