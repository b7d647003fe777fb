from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.answer_degraded_item import AnswerDegradedItem
from ..models.answer_degraded_item import check_answer_degraded_item
from ..models.answer_reason import AnswerReason
from ..models.answer_reason import check_answer_reason
from ..models.label import check_label
from ..models.label import Label
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.charge import Charge
  from ..models.explanation import Explanation
  from ..models.hit import Hit
  from ..models.nearest import Nearest
  from ..models.skipped import Skipped





T = TypeVar("T", bound="Answer")



@_without_unset
@_attrs_define
class Answer:
    """ 
        Example:
            {'hits': [{'id': '01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a01', 'store_id': 'agent-7', 'owner_id': 'agent-7',
                'namespace': '', 'key': 'seat', 'label': 'PUBLIC', 'value': 'Anna prefers the window seat on trains.', 'type':
                '', 'description': '', 'tags': ['travel'], 'updated_at': '2026-01-05T09:00:00Z', 'updated_by': 'agent-7',
                'score': 6.2174, 'relevance': 0.8731}], 'label': 'PUBLIC', 'degraded': [], 'incomplete': False}

        Attributes:
            hits (list[Hit]):
            degraded (list[AnswerDegradedItem]): What the answer lacks: the legs of the search that failed, timed out, or
                are not asked for a session of this label (`openai.max_label`), so that the hits are from the other;
                `vector_lag`: entries that the caller may read wait for their vectors for more than 5 seconds, and only the
                lexical leg finds their current text; or `rerank`: the reranking service that the server is configured with
                failed or timed out, so that the hits are in the order that they have without it.
            incomplete (bool): The answer may lack hits.
            label (Label | Unset): A classification, lowest first.
            reason (AnswerReason | Unset): Why there are no hits: the question has no words (`no_words`), as one of
                punctuation alone, or asks for a time alone of which there is no entry (`nothing_then`). Omitted otherwise.
            nearest_day (str | Unset): With `nothing_then`, the day, month or year nearest to that time of which there is an
                entry, as 2026-07-09. `label` counts that entry too. Omitted if there is none.
            nearest (list[Nearest] | Unset): With `nearest`, where nothing reaches `min_relevance`: the entries that come
                closest, best first. They may have nothing to do with the question. `label` counts them too.
            tokens (int | Unset): How many tokens the hits take, if the question has `max_tokens`. Only a first hit whose
                key alone has more exceeds it.
            next_cursor (str | Unset): There are more hits: `cursor` of the next page. At most 13,800 characters. Omitted
                without `cursor` in the question, on the last page, and where `stores` names one that the caller may search but
                not read.
            explain (Explanation | Unset): With `explain`, what no hit shows. Omitted if the question has none of
                `namespace`, `tags`, `type`, `where` and `match`, names no entry, has no word that was looked for as another,
                and one model has read the entries. It depends on nothing that the caller may not read.
            charges (list[Charge] | Unset): What the search cost in each store with an offer. Omitted if it was of none.
            receipt (str | Unset): A JWS (EdDSA, `typ` mneme-receipt) over the charge, the SHA-256 of the hits as first
                answered, and
                its line of the ledger. The keys are at `/.well-known/jwks.json`; `mneme receipt verify` checks it.
            balance (int | Unset): Of the caller's account after the charges, in micros.
            skipped (list[Skipped] | Unset): The stores with an accepted offer that were not searched, and why.
     """

    hits: list[Hit]
    degraded: list[AnswerDegradedItem]
    incomplete: bool
    label: Label | Unset = UNSET
    reason: AnswerReason | Unset = UNSET
    nearest_day: str | Unset = UNSET
    nearest: list[Nearest] | Unset = UNSET
    tokens: int | Unset = UNSET
    next_cursor: str | Unset = UNSET
    explain: Explanation | Unset = UNSET
    charges: list[Charge] | Unset = UNSET
    receipt: str | Unset = UNSET
    balance: int | Unset = UNSET
    skipped: list[Skipped] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.charge import Charge # noqa: PLC0415
        from ..models.explanation import Explanation # noqa: PLC0415
        from ..models.hit import Hit # noqa: PLC0415
        from ..models.nearest import Nearest # noqa: PLC0415
        from ..models.skipped import Skipped # noqa: PLC0415
        hits = []
        for hits_item_data in self.hits:
            hits_item = hits_item_data.to_dict()
            hits.append(hits_item)



        degraded = []
        for degraded_item_data in self.degraded:
            degraded_item: str = degraded_item_data
            degraded.append(degraded_item)



        incomplete = self.incomplete

        label: str | Unset = UNSET
        if not isinstance(self.label, Unset):
            label = self.label


        reason: str | Unset = UNSET
        if not isinstance(self.reason, Unset):
            reason = self.reason


        nearest_day = self.nearest_day

        nearest: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.nearest, Unset):
            nearest = []
            for nearest_item_data in self.nearest:
                nearest_item = nearest_item_data.to_dict()
                nearest.append(nearest_item)



        tokens = self.tokens

        next_cursor = self.next_cursor

        explain: dict[str, Any] | Unset = UNSET
        if not isinstance(self.explain, Unset):
            explain = self.explain.to_dict()

        charges: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.charges, Unset):
            charges = []
            for charges_item_data in self.charges:
                charges_item = charges_item_data.to_dict()
                charges.append(charges_item)



        receipt = self.receipt

        balance = self.balance

        skipped: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.skipped, Unset):
            skipped = []
            for skipped_item_data in self.skipped:
                skipped_item = skipped_item_data.to_dict()
                skipped.append(skipped_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "hits": hits,
            "degraded": degraded,
            "incomplete": incomplete,
        })
        if label is not UNSET:
            field_dict["label"] = label
        if reason is not UNSET:
            field_dict["reason"] = reason
        if nearest_day is not UNSET:
            field_dict["nearest_day"] = nearest_day
        if nearest is not UNSET:
            field_dict["nearest"] = nearest
        if tokens is not UNSET:
            field_dict["tokens"] = tokens
        if next_cursor is not UNSET:
            field_dict["next_cursor"] = next_cursor
        if explain is not UNSET:
            field_dict["explain"] = explain
        if charges is not UNSET:
            field_dict["charges"] = charges
        if receipt is not UNSET:
            field_dict["receipt"] = receipt
        if balance is not UNSET:
            field_dict["balance"] = balance
        if skipped is not UNSET:
            field_dict["skipped"] = skipped

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.charge import Charge # noqa: PLC0415
        from ..models.explanation import Explanation # noqa: PLC0415
        from ..models.hit import Hit # noqa: PLC0415
        from ..models.nearest import Nearest # noqa: PLC0415
        from ..models.skipped import Skipped # noqa: PLC0415
        d = dict(src_dict)
        hits = []
        _hits = d.pop("hits")
        for hits_item_data in (_hits):
            hits_item = Hit.from_dict(hits_item_data)



            hits.append(hits_item)


        degraded = []
        _degraded = d.pop("degraded")
        for degraded_item_data in (_degraded):
            degraded_item = check_answer_degraded_item(degraded_item_data)



            degraded.append(degraded_item)


        incomplete = d.pop("incomplete")

        _label = d.pop("label", UNSET)
        label: Label | Unset
        if isinstance(_label,  Unset):
            label = UNSET
        else:
            label = check_label(_label)




        _reason = d.pop("reason", UNSET)
        reason: AnswerReason | Unset
        if isinstance(_reason,  Unset):
            reason = UNSET
        else:
            reason = check_answer_reason(_reason)




        nearest_day = d.pop("nearest_day", UNSET)

        _nearest = d.pop("nearest", UNSET)
        nearest: list[Nearest] | Unset = UNSET
        if _nearest is not UNSET:
            nearest = []
            for nearest_item_data in _nearest:
                nearest_item = Nearest.from_dict(nearest_item_data)



                nearest.append(nearest_item)


        tokens = d.pop("tokens", UNSET)

        next_cursor = d.pop("next_cursor", UNSET)

        _explain = d.pop("explain", UNSET)
        explain: Explanation | Unset
        if isinstance(_explain,  Unset):
            explain = UNSET
        else:
            explain = Explanation.from_dict(_explain)




        _charges = d.pop("charges", UNSET)
        charges: list[Charge] | Unset = UNSET
        if _charges is not UNSET:
            charges = []
            for charges_item_data in _charges:
                charges_item = Charge.from_dict(charges_item_data)



                charges.append(charges_item)


        receipt = d.pop("receipt", UNSET)

        balance = d.pop("balance", UNSET)

        _skipped = d.pop("skipped", UNSET)
        skipped: list[Skipped] | Unset = UNSET
        if _skipped is not UNSET:
            skipped = []
            for skipped_item_data in _skipped:
                skipped_item = Skipped.from_dict(skipped_item_data)



                skipped.append(skipped_item)


        answer = cls(
            hits=hits,
            degraded=degraded,
            incomplete=incomplete,
            label=label,
            reason=reason,
            nearest_day=nearest_day,
            nearest=nearest,
            tokens=tokens,
            next_cursor=next_cursor,
            explain=explain,
            charges=charges,
            receipt=receipt,
            balance=balance,
            skipped=skipped,
        )

        return answer

