from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="LegRank")



@_without_unset
@_attrs_define
class LegRank:
    """ The hit's rank and score in one leg of the search. Omitted if that leg did not find it or did not search, and on a
    page after the first.

        Attributes:
            rank (int):
            score (float):
            wording (int | Unset): If the leg found the hit by other wordings alone than the one to which it is most
                relevant, which of `queries` rank and score are for: the one by which the leg ranked it best. With the same
                number as the explanation's `wording`, it is another part of a question of more than 400 bytes.
     """

    rank: int
    score: float
    wording: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        rank = self.rank

        score = self.score

        wording = self.wording


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "rank": rank,
            "score": score,
        })
        if wording is not UNSET:
            field_dict["wording"] = wording

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rank = d.pop("rank")

        score = d.pop("score")

        wording = d.pop("wording", UNSET)

        leg_rank = cls(
            rank=rank,
            score=score,
            wording=wording,
        )

        return leg_rank

