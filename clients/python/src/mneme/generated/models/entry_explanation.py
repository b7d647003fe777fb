from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.entry_explanation_outcome import check_entry_explanation_outcome
from ..models.entry_explanation_outcome import EntryExplanationOutcome
from ..models.filter_option import check_filter_option
from ..models.filter_option import FilterOption
from ..models.label import check_label
from ..models.label import Label
from ..types import UNSET, Unset
from typing import cast
from uuid import UUID

if TYPE_CHECKING:
  from ..models.explain import Explain





T = TypeVar("T", bound="EntryExplanation")



@_without_unset
@_attrs_define
class EntryExplanation:
    """ What became of the entry that the path in `explain` resolves to. An entry that the caller may not read is
    `not_found`, like one that does not exist.

        Example:
            {'outcome': 'beyond_limit', 'id': '01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a01', 'label': 'PUBLIC', 'rank': 14,
                'score': 2.1034, 'relevance': 0.3127}

        Attributes:
            outcome (EntryExplanationOutcome): - `hit`: it is the hit of this `rank`.
                - `beyond_limit`: it comes after the hits, at this `rank`.
                - `beyond_max_tokens`: `max_tokens` has no room for it.
                - `below_min_relevance`: its `relevance` is less than `min_relevance`.
                - `beyond_depth`: a leg found it, but it is not among the first 400 of both, or with `min_relevance` the
                  first 100.
                - `not_retrieved`: it is not among the first 200 of a leg that looks for hits. `rank` is what its score would
                  have given.
                - `not_in_cursor`: an earlier page showed it, or it was no candidate of the first page.
                - `filtered`: it does not pass `options`.
                - `encrypted`, `not_in_context`: no search finds it.
                - `store_not_searched`: its store is not among those searched.
                - `not_found`: there is no entry at the path that the caller may read.
            id (UUID | Unset):
            label (Label | Unset): A classification, lowest first.
            rank (int | Unset): Among the candidates that could be hits. On a page after the first, from its first hit.
            options (list[FilterOption] | Unset): The options of the question that the entry does not pass.
            score (float | Unset): As a hit's. Omitted if it depends on other candidates and was not computed.
            relevance (float | Unset):
            vectors_wait (bool | Unset): The entry waits for its vectors, without which the vector leg cannot find it.
            explain (Explain | Unset):
     """

    outcome: EntryExplanationOutcome
    id: UUID | Unset = UNSET
    label: Label | Unset = UNSET
    rank: int | Unset = UNSET
    options: list[FilterOption] | Unset = UNSET
    score: float | Unset = UNSET
    relevance: float | Unset = UNSET
    vectors_wait: bool | Unset = UNSET
    explain: Explain | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.explain import Explain # noqa: PLC0415
        outcome: str = self.outcome

        id: str | Unset = UNSET
        if not isinstance(self.id, Unset):
            id = str(self.id)

        label: str | Unset = UNSET
        if not isinstance(self.label, Unset):
            label = self.label


        rank = self.rank

        options: list[str] | Unset = UNSET
        if not isinstance(self.options, Unset):
            options = []
            for options_item_data in self.options:
                options_item: str = options_item_data
                options.append(options_item)



        score = self.score

        relevance = self.relevance

        vectors_wait = self.vectors_wait

        explain: dict[str, Any] | Unset = UNSET
        if not isinstance(self.explain, Unset):
            explain = self.explain.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "outcome": outcome,
        })
        if id is not UNSET:
            field_dict["id"] = id
        if label is not UNSET:
            field_dict["label"] = label
        if rank is not UNSET:
            field_dict["rank"] = rank
        if options is not UNSET:
            field_dict["options"] = options
        if score is not UNSET:
            field_dict["score"] = score
        if relevance is not UNSET:
            field_dict["relevance"] = relevance
        if vectors_wait is not UNSET:
            field_dict["vectors_wait"] = vectors_wait
        if explain is not UNSET:
            field_dict["explain"] = explain

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explain import Explain # noqa: PLC0415
        d = dict(src_dict)
        outcome = check_entry_explanation_outcome(d.pop("outcome"))




        _id = d.pop("id", UNSET)
        id: UUID | Unset
        if isinstance(_id,  Unset):
            id = UNSET
        else:
            id = UUID(_id)




        _label = d.pop("label", UNSET)
        label: Label | Unset
        if isinstance(_label,  Unset):
            label = UNSET
        else:
            label = check_label(_label)




        rank = d.pop("rank", UNSET)

        _options = d.pop("options", UNSET)
        options: list[FilterOption] | Unset = UNSET
        if _options is not UNSET:
            options = []
            for options_item_data in _options:
                options_item = check_filter_option(options_item_data)



                options.append(options_item)


        score = d.pop("score", UNSET)

        relevance = d.pop("relevance", UNSET)

        vectors_wait = d.pop("vectors_wait", UNSET)

        _explain = d.pop("explain", UNSET)
        explain: Explain | Unset
        if isinstance(_explain,  Unset):
            explain = UNSET
        else:
            explain = Explain.from_dict(_explain)




        entry_explanation = cls(
            outcome=outcome,
            id=id,
            label=label,
            rank=rank,
            options=options,
            score=score,
            relevance=relevance,
            vectors_wait=vectors_wait,
            explain=explain,
        )

        return entry_explanation

