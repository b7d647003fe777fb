from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.type_ import check_type
from ..models.type_ import Type
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Write")



@_without_unset
@_attrs_define
class Write:
    """ 
        Attributes:
            value (Any): Any JSON value, up to 100 kB unless the server is configured otherwise. It is stored and
                returned byte for byte. Arrays and objects nest at most 100 deep. The value of an encrypted entry is the
                client's opaque blob.
            type_ (Type | Unset): What kind of memory it is; may be empty.
            description (str | Unset): One line without control characters.
            tags (list[str] | Unset):
            in_context (bool | Unset): Default true, and fixed at creation. If false, only the owner can read the entry, by
                its
                exact key, and it is never listed, searched or exported.
            encrypted (bool | Unset): Default false, and fixed at creation. If true, the value is an opaque blob that the
                server never inspects.
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

    value: Any
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
            "value": value,
        })
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
        value = d.pop("value")

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

        write = cls(
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

        return write

