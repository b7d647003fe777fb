from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="LegRank")



@_attrs_define
class LegRank:
    """ The hit's rank in one leg of the search. Omitted if that leg did not find it.

        Attributes:
            rank (int):
            score (float):
     """

    rank: int
    score: float





    def to_dict(self) -> dict[str, Any]:
        rank = self.rank

        score = self.score


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "rank": rank,
            "score": score,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rank = d.pop("rank")

        score = d.pop("score")

        leg_rank = cls(
            rank=rank,
            score=score,
        )

        return leg_rank

