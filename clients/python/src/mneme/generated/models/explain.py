from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.explain_via import check_explain_via
from ..models.explain_via import ExplainVia
from ..models.label import check_label
from ..models.label import Label
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.judgement import Judgement
  from ..models.leg_rank import LegRank
  from ..models.summand import Summand





T = TypeVar("T", bound="Explain")



@_without_unset
@_attrs_define
class Explain:
    """ 
        Attributes:
            summands (list[Summand]): The numbers whose sum is the score with ranking `relevance`. A part that is not known
                counts as its usual value.
            wording (int): Which of `queries` the parts and summands are for, and the ranks that name no other, from 0, the
                one to which the hit is most relevant.
            via (ExplainVia): Why the caller may see the hit.
            label (Label): A classification, lowest first.
            lexical (LegRank | Unset): The hit's rank and score in one leg of the search. Omitted if that leg did not find
                it or did not search, and on a page after the first.
            vector (LegRank | Unset): The hit's rank and score in one leg of the search. Omitted if that leg did not find it
                or did not search, and on a page after the first.
            dates (LegRank | Unset): The hit's rank and score in one leg of the search. Omitted if that leg did not find it
                or did not search, and on a page after the first.
            fused (float | Unset): The sum of 1 / (60 + rank) over both legs, and over all wordings. On a page after the
                first it is omitted, as lexical and vector are: its candidates come from the cursor.
            cosine (float | Unset): The cosine of the query's vector and the entry's nearest chunk's. Omitted if it is not
                known, as when the vector leg failed or the entry waits for its vectors.
            maxsim (float | Unset): The mean, weighted by rarity, of the largest cosine of each of the query's tokens with a
                token of the nearest chunk. Omitted if it is not known, as when the embedder makes no vectors of tokens.
            coverage (float | Unset): The entry's BM25 score over the sum of the weights of the query's terms. Omitted if it
                is not known, as when the lexical leg failed.
            rerank (Judgement | Unset): What the reranking service said of the hit, if the server is configured with one.
                Omitted if it was not asked about the hit. The summand `rerank` is what the score gained or lost by it.
            recency (float | Unset): With `recency`, the factor by which the relevance counts.
            similarity (float | Unset): With `diversity`, the greatest similarity to a hit before this one. Omitted if it
                was not compared, as beyond the first hundred candidates.
            model (str | Unset): The model that `cosine` and `maxsim` are of: `english` or `multilingual`, or the
                fingerprint of an embedder that reads every language. Omitted where `cosine` is.
            language (str | Unset): The language of the entry's text, as its words and letters suggest, by its code in ISO
                639-1. Omitted if they suggest none. Example: de.
     """

    summands: list[Summand]
    wording: int
    via: ExplainVia
    label: Label
    lexical: LegRank | Unset = UNSET
    vector: LegRank | Unset = UNSET
    dates: LegRank | Unset = UNSET
    fused: float | Unset = UNSET
    cosine: float | Unset = UNSET
    maxsim: float | Unset = UNSET
    coverage: float | Unset = UNSET
    rerank: Judgement | Unset = UNSET
    recency: float | Unset = UNSET
    similarity: float | Unset = UNSET
    model: str | Unset = UNSET
    language: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.judgement import Judgement # noqa: PLC0415
        from ..models.leg_rank import LegRank # noqa: PLC0415
        from ..models.summand import Summand # noqa: PLC0415
        summands = []
        for summands_item_data in self.summands:
            summands_item = summands_item_data.to_dict()
            summands.append(summands_item)



        wording = self.wording

        via: str = self.via

        label: str = self.label

        lexical: dict[str, Any] | Unset = UNSET
        if not isinstance(self.lexical, Unset):
            lexical = self.lexical.to_dict()

        vector: dict[str, Any] | Unset = UNSET
        if not isinstance(self.vector, Unset):
            vector = self.vector.to_dict()

        dates: dict[str, Any] | Unset = UNSET
        if not isinstance(self.dates, Unset):
            dates = self.dates.to_dict()

        fused = self.fused

        cosine = self.cosine

        maxsim = self.maxsim

        coverage = self.coverage

        rerank: dict[str, Any] | Unset = UNSET
        if not isinstance(self.rerank, Unset):
            rerank = self.rerank.to_dict()

        recency = self.recency

        similarity = self.similarity

        model = self.model

        language = self.language


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "summands": summands,
            "wording": wording,
            "via": via,
            "label": label,
        })
        if lexical is not UNSET:
            field_dict["lexical"] = lexical
        if vector is not UNSET:
            field_dict["vector"] = vector
        if dates is not UNSET:
            field_dict["dates"] = dates
        if fused is not UNSET:
            field_dict["fused"] = fused
        if cosine is not UNSET:
            field_dict["cosine"] = cosine
        if maxsim is not UNSET:
            field_dict["maxsim"] = maxsim
        if coverage is not UNSET:
            field_dict["coverage"] = coverage
        if rerank is not UNSET:
            field_dict["rerank"] = rerank
        if recency is not UNSET:
            field_dict["recency"] = recency
        if similarity is not UNSET:
            field_dict["similarity"] = similarity
        if model is not UNSET:
            field_dict["model"] = model
        if language is not UNSET:
            field_dict["language"] = language

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.judgement import Judgement # noqa: PLC0415
        from ..models.leg_rank import LegRank # noqa: PLC0415
        from ..models.summand import Summand # noqa: PLC0415
        d = dict(src_dict)
        summands = []
        _summands = d.pop("summands")
        for summands_item_data in (_summands):
            summands_item = Summand.from_dict(summands_item_data)



            summands.append(summands_item)


        wording = d.pop("wording")

        via = check_explain_via(d.pop("via"))




        label = check_label(d.pop("label"))




        _lexical = d.pop("lexical", UNSET)
        lexical: LegRank | Unset
        if isinstance(_lexical,  Unset):
            lexical = UNSET
        else:
            lexical = LegRank.from_dict(_lexical)




        _vector = d.pop("vector", UNSET)
        vector: LegRank | Unset
        if isinstance(_vector,  Unset):
            vector = UNSET
        else:
            vector = LegRank.from_dict(_vector)




        _dates = d.pop("dates", UNSET)
        dates: LegRank | Unset
        if isinstance(_dates,  Unset):
            dates = UNSET
        else:
            dates = LegRank.from_dict(_dates)




        fused = d.pop("fused", UNSET)

        cosine = d.pop("cosine", UNSET)

        maxsim = d.pop("maxsim", UNSET)

        coverage = d.pop("coverage", UNSET)

        _rerank = d.pop("rerank", UNSET)
        rerank: Judgement | Unset
        if isinstance(_rerank,  Unset):
            rerank = UNSET
        else:
            rerank = Judgement.from_dict(_rerank)




        recency = d.pop("recency", UNSET)

        similarity = d.pop("similarity", UNSET)

        model = d.pop("model", UNSET)

        language = d.pop("language", UNSET)

        explain = cls(
            summands=summands,
            wording=wording,
            via=via,
            label=label,
            lexical=lexical,
            vector=vector,
            dates=dates,
            fused=fused,
            cosine=cosine,
            maxsim=maxsim,
            coverage=coverage,
            rerank=rerank,
            recency=recency,
            similarity=similarity,
            model=model,
            language=language,
        )

        return explain

