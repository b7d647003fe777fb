from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.batch_item_op import BatchItemOp
from ..models.batch_item_op import check_batch_item_op
from ..models.type_ import check_type
from ..models.type_ import Type
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="BatchItem")



@_without_unset
@_attrs_define
class BatchItem:
    """ One put, get or delete.

        Attributes:
            op (BatchItemOp):
            key (str): 1–512 bytes of UTF-8 in NFC, without control, format or line-separator characters, without
                a leading or trailing `/`, and without empty, `.` or `..` segments.
                 Example: diet/anna.
            namespace (str | Unset): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator
                characters; empty by default.
            if_match (str | Unset): Of a put or delete: as the header If-Match. Example: "Mf0vVtW1".
            if_none_match (str | Unset): As the header If-None-Match. Example: *.
            value (Any | Unset): Of a put, which needs it, as all members that follow.
            type_ (Type | Unset): What kind of memory it is; may be empty.
            description (str | Unset): One line without control characters.
            tags (list[str] | Unset):
            in_context (bool | Unset):
            encrypted (bool | Unset):
            ttl (int | Unset): Seconds until it expires; 0 means never.
            occurred_at (str | Unset): When what the entry tells of happened, according to its writer: a day (`2023-05-08`),
                a month
                (`2023-05`), a year (`2023`), or a time in RFC 3339, which is kept in UTC to the microsecond. A
                time may be written without zone (`2023-05-08T13:56`): it is in `timezone`, or else in UTC. The
                year is 0001 to 9999 in UTC. A day, month or year comes back as it is, and compares as its first
                instant.
                 Example: 2023-05-08.
            timezone (str | Unset): The zone of dates and times that have none: a name of the IANA database
                (`Europe/Berlin`), or an
                offset from UTC (`+02:00`, in a URL `%2B02:00`). UTC by default. Another one is 422.
                 Example: Europe/Berlin.
            source (Any | Unset): Where the value came from: the `tool` and `session` that wrote it, and as `read` the ids
                of entries
                read before. At most 2,000 bytes of JSON, which are not verified. Readers see these members alone, and
                of the ids those of entries that they may get. A write without it leaves none.
                 Example: {'tool': 'notes', 'session': 'monday'}.
     """

    op: BatchItemOp
    key: str
    namespace: str | Unset = UNSET
    if_match: str | Unset = UNSET
    if_none_match: str | Unset = UNSET
    value: Any | Unset = UNSET
    type_: Type | Unset = UNSET
    description: str | Unset = UNSET
    tags: list[str] | Unset = UNSET
    in_context: bool | Unset = UNSET
    encrypted: bool | Unset = UNSET
    ttl: int | Unset = UNSET
    occurred_at: str | Unset = UNSET
    timezone: str | Unset = UNSET
    source: Any | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        op: str = self.op

        key = self.key

        namespace = self.namespace

        if_match = self.if_match

        if_none_match = self.if_none_match

        value = self.value

        type_: str | Unset = UNSET
        if not isinstance(self.type_, Unset):
            type_ = self.type_


        description = self.description

        tags: list[str] | Unset = UNSET
        if not isinstance(self.tags, Unset):
            tags = self.tags



        in_context = self.in_context

        encrypted = self.encrypted

        ttl = self.ttl

        occurred_at = self.occurred_at

        timezone = self.timezone

        source = self.source


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "op": op,
            "key": key,
        })
        if namespace is not UNSET:
            field_dict["namespace"] = namespace
        if if_match is not UNSET:
            field_dict["if_match"] = if_match
        if if_none_match is not UNSET:
            field_dict["if_none_match"] = if_none_match
        if value is not UNSET:
            field_dict["value"] = value
        if type_ is not UNSET:
            field_dict["type"] = type_
        if description is not UNSET:
            field_dict["description"] = description
        if tags is not UNSET:
            field_dict["tags"] = tags
        if in_context is not UNSET:
            field_dict["in_context"] = in_context
        if encrypted is not UNSET:
            field_dict["encrypted"] = encrypted
        if ttl is not UNSET:
            field_dict["ttl"] = ttl
        if occurred_at is not UNSET:
            field_dict["occurred_at"] = occurred_at
        if timezone is not UNSET:
            field_dict["timezone"] = timezone
        if source is not UNSET:
            field_dict["source"] = source

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        op = check_batch_item_op(d.pop("op"))




        key = d.pop("key")

        namespace = d.pop("namespace", UNSET)

        if_match = d.pop("if_match", UNSET)

        if_none_match = d.pop("if_none_match", UNSET)

        value = d.pop("value", UNSET)

        _type_ = d.pop("type", UNSET)
        type_: Type | Unset
        if isinstance(_type_,  Unset):
            type_ = UNSET
        else:
            type_ = check_type(_type_)




        description = d.pop("description", UNSET)

        tags = cast(list[str], d.pop("tags", UNSET))


        in_context = d.pop("in_context", UNSET)

        encrypted = d.pop("encrypted", UNSET)

        ttl = d.pop("ttl", UNSET)

        occurred_at = d.pop("occurred_at", UNSET)

        timezone = d.pop("timezone", UNSET)

        source = d.pop("source", UNSET)

        batch_item = cls(
            op=op,
            key=key,
            namespace=namespace,
            if_match=if_match,
            if_none_match=if_none_match,
            value=value,
            type_=type_,
            description=description,
            tags=tags,
            in_context=in_context,
            encrypted=encrypted,
            ttl=ttl,
            occurred_at=occurred_at,
            timezone=timezone,
            source=source,
        )

        return batch_item

