from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..models.type_ import check_type
from ..models.type_ import Type
from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.explain import Explain
  from ..models.passage import Passage





T = TypeVar("T", bound="Hit")



@_without_unset
@_attrs_define
class Hit:
    """ A found entry. If the caller may search the store but not read it, it has only `store_id`,
    `key`, `label`, `value` or `passages`, `score` and `relevance`.

        Attributes:
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            key (str): 1–512 bytes of UTF-8 in NFC, without control, format or line-separator characters, without
                a leading or trailing `/`, and without empty, `.` or `..` segments.
                 Example: diet/anna.
            label (Label): A classification, lowest first.
            score (float): What orders the hits, greater first. With ranking `relevance`: the sum from which the relevance
                is computed, on no fixed scale. With `rrf`: the sum of 1 / (60 + rank) over both legs. With `recency`: the
                relevance times the factor of the age. With `diversity`: the marginal relevance. Of two statements that change
                places (`superseded_by`) the second may have the greater score. If the caller may search the store but not read
                it, the same number as `relevance`, whatever the order.
            relevance (float): How likely the entry answers the query. It has the same meaning for every query, store and
                ranking, and depends on no other hit. Of two digits if the caller may search the store but not read it.
            id (UUID | Unset):
            owner_id (str | Unset):
            namespace (str | Unset): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator
                characters; empty by default.
            value (Any | Unset): The entry's value. Omitted if there are `passages`.
            passages (list[Passage] | Unset): The stretches of the value's text that answer the query best, best first and
                apart, in place of a value that is too long.
            truncated (bool | Unset): There are `passages` in place of the value. Omitted if the caller may search the store
                but not read it.
            highlights (list[list[int]] | Unset): Where a text has words of the query, as the search compares them, so that
                a word counts for its inflections: pairs of start and end, in bytes of UTF-8, in order and apart.
            type_ (Type | Unset): What kind of memory it is; may be empty.
            description (str | Unset): One line without control characters.
            tags (list[str] | Unset):
            occurred_at (str | Unset): When what the entry tells of happened, according to its writer: a day (`2023-05-08`),
                a month
                (`2023-05`), a year (`2023`), or a time in RFC 3339, which is kept in UTC to the microsecond. A
                time may be written without zone (`2023-05-08T13:56`): it is in `timezone`, or else in UTC. The
                year is 0001 to 9999 in UTC. A day, month or year comes back as it is, and compares as its first
                instant.
                 Example: 2023-05-08.
            updated_at (datetime.datetime | Unset):
            updated_by (str | Unset): The agent that wrote this text, maybe not the caller.
            superseded_by (str | Unset): The key of a newer entry of the same store and namespace that says nearly the same.
                The newer one comes first, unless the query asks for the past, or answers much less. Omitted if none was found,
                or if the caller may search the store but not read it.
            explain (Explain | Unset):
     """

    store_id: str
    key: str
    label: Label
    score: float
    relevance: float
    id: UUID | Unset = UNSET
    owner_id: str | Unset = UNSET
    namespace: str | Unset = UNSET
    value: Any | Unset = UNSET
    passages: list[Passage] | Unset = UNSET
    truncated: bool | Unset = UNSET
    highlights: list[list[int]] | Unset = UNSET
    type_: Type | Unset = UNSET
    description: str | Unset = UNSET
    tags: list[str] | Unset = UNSET
    occurred_at: str | Unset = UNSET
    updated_at: datetime.datetime | Unset = UNSET
    updated_by: str | Unset = UNSET
    superseded_by: str | Unset = UNSET
    explain: Explain | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.explain import Explain # noqa: PLC0415
        from ..models.passage import Passage # noqa: PLC0415
        store_id = self.store_id

        key = self.key

        label: str = self.label

        score = self.score

        relevance = self.relevance

        id: str | Unset = UNSET
        if not isinstance(self.id, Unset):
            id = str(self.id)

        owner_id = self.owner_id

        namespace = self.namespace

        value = self.value

        passages: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.passages, Unset):
            passages = []
            for passages_item_data in self.passages:
                passages_item = passages_item_data.to_dict()
                passages.append(passages_item)



        truncated = self.truncated

        highlights: list[list[int]] | Unset = UNSET
        if not isinstance(self.highlights, Unset):
            highlights = []
            for componentsschemas_ranges_item_data in self.highlights:
                componentsschemas_ranges_item = componentsschemas_ranges_item_data


                highlights.append(componentsschemas_ranges_item)



        type_: str | Unset = UNSET
        if not isinstance(self.type_, Unset):
            type_ = self.type_


        description = self.description

        tags: list[str] | Unset = UNSET
        if not isinstance(self.tags, Unset):
            tags = self.tags



        occurred_at = self.occurred_at

        updated_at: str | Unset = UNSET
        if not isinstance(self.updated_at, Unset):
            updated_at = self.updated_at.isoformat()

        updated_by = self.updated_by

        superseded_by = self.superseded_by

        explain: dict[str, Any] | Unset = UNSET
        if not isinstance(self.explain, Unset):
            explain = self.explain.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "store_id": store_id,
            "key": key,
            "label": label,
            "score": score,
            "relevance": relevance,
        })
        if id is not UNSET:
            field_dict["id"] = id
        if owner_id is not UNSET:
            field_dict["owner_id"] = owner_id
        if namespace is not UNSET:
            field_dict["namespace"] = namespace
        if value is not UNSET:
            field_dict["value"] = value
        if passages is not UNSET:
            field_dict["passages"] = passages
        if truncated is not UNSET:
            field_dict["truncated"] = truncated
        if highlights is not UNSET:
            field_dict["highlights"] = highlights
        if type_ is not UNSET:
            field_dict["type"] = type_
        if description is not UNSET:
            field_dict["description"] = description
        if tags is not UNSET:
            field_dict["tags"] = tags
        if occurred_at is not UNSET:
            field_dict["occurred_at"] = occurred_at
        if updated_at is not UNSET:
            field_dict["updated_at"] = updated_at
        if updated_by is not UNSET:
            field_dict["updated_by"] = updated_by
        if superseded_by is not UNSET:
            field_dict["superseded_by"] = superseded_by
        if explain is not UNSET:
            field_dict["explain"] = explain

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explain import Explain # noqa: PLC0415
        from ..models.passage import Passage # noqa: PLC0415
        d = dict(src_dict)
        store_id = d.pop("store_id")

        key = d.pop("key")

        label = check_label(d.pop("label"))




        score = d.pop("score")

        relevance = d.pop("relevance")

        _id = d.pop("id", UNSET)
        id: UUID | Unset
        if isinstance(_id,  Unset):
            id = UNSET
        else:
            id = UUID(_id)




        owner_id = d.pop("owner_id", UNSET)

        namespace = d.pop("namespace", UNSET)

        value = d.pop("value", UNSET)

        _passages = d.pop("passages", UNSET)
        passages: list[Passage] | Unset = UNSET
        if _passages is not UNSET:
            passages = []
            for passages_item_data in _passages:
                passages_item = Passage.from_dict(passages_item_data)



                passages.append(passages_item)


        truncated = d.pop("truncated", UNSET)

        _highlights = d.pop("highlights", UNSET)
        highlights: list[list[int]] | Unset = UNSET
        if _highlights is not UNSET:
            highlights = []
            for componentsschemas_ranges_item_data in _highlights:
                componentsschemas_ranges_item = cast(list[int], componentsschemas_ranges_item_data)

                highlights.append(componentsschemas_ranges_item)


        _type_ = d.pop("type", UNSET)
        type_: Type | Unset
        if isinstance(_type_,  Unset):
            type_ = UNSET
        else:
            type_ = check_type(_type_)




        description = d.pop("description", UNSET)

        tags = cast(list[str], d.pop("tags", UNSET))


        occurred_at = d.pop("occurred_at", UNSET)

        _updated_at = d.pop("updated_at", UNSET)
        updated_at: datetime.datetime | Unset
        if isinstance(_updated_at,  Unset):
            updated_at = UNSET
        else:
            updated_at = datetime.datetime.fromisoformat(_updated_at.replace("Z", "+00:00"))




        updated_by = d.pop("updated_by", UNSET)

        superseded_by = d.pop("superseded_by", UNSET)

        _explain = d.pop("explain", UNSET)
        explain: Explain | Unset
        if isinstance(_explain,  Unset):
            explain = UNSET
        else:
            explain = Explain.from_dict(_explain)




        hit = cls(
            store_id=store_id,
            key=key,
            label=label,
            score=score,
            relevance=relevance,
            id=id,
            owner_id=owner_id,
            namespace=namespace,
            value=value,
            passages=passages,
            truncated=truncated,
            highlights=highlights,
            type_=type_,
            description=description,
            tags=tags,
            occurred_at=occurred_at,
            updated_at=updated_at,
            updated_by=updated_by,
            superseded_by=superseded_by,
            explain=explain,
        )

        return hit

