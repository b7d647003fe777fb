from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="Judgement")



@_without_unset
@_attrs_define
class Judgement:
    """ What the reranking service said of the hit, if the server is configured with one. Omitted if it was not asked about
    the hit. The summand `rerank` is what the score gained or lost by it.

        Attributes:
            score (float): The probability that the hit answers the query, by the service.
            rank (int | Unset): Among what it was asked about, from 1. Omitted on a page after the first.
     """

    score: float
    rank: int | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        score = self.score

        rank = self.rank


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "score": score,
        })
        if rank is not UNSET:
            field_dict["rank"] = rank

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        score = d.pop("score")

        rank = d.pop("rank", UNSET)

        judgement = cls(
            score=score,
            rank=rank,
        )

        return judgement

