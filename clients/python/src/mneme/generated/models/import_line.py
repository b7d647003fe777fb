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
import datetime






T = TypeVar("T", bound="ImportLine")



@_without_unset
@_attrs_define
class ImportLine:
    """ One line of an import. The server sets the last fields itself; they are accepted, since exports
    have them, and ignored.

        Example:
            {'key': 'diet/anna', 'value': 'no nuts', 'tags': ['food'], 'ttl': 86400}

        Attributes:
            key (str): 1–512 bytes of UTF-8 in NFC, without control, format or line-separator characters, without
                a leading or trailing `/`, and without empty, `.` or `..` segments.
                 Example: diet/anna.
            value (Any): Any JSON value, up to 100 kB unless the server is configured otherwise. It is stored and
                returned byte for byte. Arrays and objects nest at most 100 deep. The value of an encrypted entry is the
                client's opaque blob.
            namespace (str | Unset): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator
                characters; empty by default.
            store (str | Unset): If given, it must be the store of the call.
            store_id (str | Unset): Alias of `store`, as in exports.
            type_ (Type | Unset): What kind of memory it is; may be empty.
            description (str | Unset): One line without control characters.
            tags (list[str] | Unset):
            in_context (bool | Unset):
            encrypted (bool | Unset):
            ttl (int | Unset): Seconds until it expires; 0 means never.
            expires_at (datetime.datetime | Unset): Instead of `ttl`; a line whose time has passed is refused.
            occurred_at (str | Unset): When what the entry tells of happened, according to its writer: a day (`2023-05-08`),
                a month
                (`2023-05`), a year (`2023`), or a time in RFC 3339, which is kept in UTC to the microsecond. A
                time may be written without zone (`2023-05-08T13:56`): it is in `timezone`, or else in UTC. The
                year is 0001 to 9999 in UTC. A day, month or year comes back as it is, and compares as its first
                instant.
                 Example: 2023-05-08.
            source (Any | Unset): Where the value came from: the `tool` and `session` that wrote it, and as `read` the ids
                of entries
                read before. At most 2,000 bytes of JSON, which are not verified. Readers see these members alone, and
                of the ids those of entries that they may get. A write without it leaves none.
                 Example: {'tool': 'notes', 'session': 'monday'}.
            id (Any | Unset): Set by the server.
            owner_id (Any | Unset): Set by the server.
            label (Any | Unset): Set by the server.
            version (Any | Unset): Set by the server.
            created_at (Any | Unset): Set by the server.
            updated_at (Any | Unset): Set by the server.
            updated_by (Any | Unset): Set by the server.
            type_by (Any | Unset): Set by the server.
            description_by (Any | Unset): Set by the server.
     """

    key: str
    value: Any
    namespace: str | Unset = UNSET
    store: str | Unset = UNSET
    store_id: str | Unset = UNSET
    type_: Type | Unset = UNSET
    description: str | Unset = UNSET
    tags: list[str] | Unset = UNSET
    in_context: bool | Unset = UNSET
    encrypted: bool | Unset = UNSET
    ttl: int | Unset = UNSET
    expires_at: datetime.datetime | Unset = UNSET
    occurred_at: str | Unset = UNSET
    source: Any | Unset = UNSET
    id: Any | Unset = UNSET
    owner_id: Any | Unset = UNSET
    label: Any | Unset = UNSET
    version: Any | Unset = UNSET
    created_at: Any | Unset = UNSET
    updated_at: Any | Unset = UNSET
    updated_by: Any | Unset = UNSET
    type_by: Any | Unset = UNSET
    description_by: Any | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        key = self.key

        value = self.value

        namespace = self.namespace

        store = self.store

        store_id = self.store_id

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

        expires_at: str | Unset = UNSET
        if not isinstance(self.expires_at, Unset):
            expires_at = self.expires_at.isoformat()

        occurred_at = self.occurred_at

        source = self.source

        id = self.id

        owner_id = self.owner_id

        label = self.label

        version = self.version

        created_at = self.created_at

        updated_at = self.updated_at

        updated_by = self.updated_by

        type_by = self.type_by

        description_by = self.description_by


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "key": key,
            "value": value,
        })
        if namespace is not UNSET:
            field_dict["namespace"] = namespace
        if store is not UNSET:
            field_dict["store"] = store
        if store_id is not UNSET:
            field_dict["store_id"] = store_id
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
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if occurred_at is not UNSET:
            field_dict["occurred_at"] = occurred_at
        if source is not UNSET:
            field_dict["source"] = source
        if id is not UNSET:
            field_dict["id"] = id
        if owner_id is not UNSET:
            field_dict["owner_id"] = owner_id
        if label is not UNSET:
            field_dict["label"] = label
        if version is not UNSET:
            field_dict["version"] = version
        if created_at is not UNSET:
            field_dict["created_at"] = created_at
        if updated_at is not UNSET:
            field_dict["updated_at"] = updated_at
        if updated_by is not UNSET:
            field_dict["updated_by"] = updated_by
        if type_by is not UNSET:
            field_dict["type_by"] = type_by
        if description_by is not UNSET:
            field_dict["description_by"] = description_by

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        key = d.pop("key")

        value = d.pop("value")

        namespace = d.pop("namespace", UNSET)

        store = d.pop("store", UNSET)

        store_id = d.pop("store_id", UNSET)

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

        _expires_at = d.pop("expires_at", UNSET)
        expires_at: datetime.datetime | Unset
        if isinstance(_expires_at,  Unset):
            expires_at = UNSET
        else:
            expires_at = datetime.datetime.fromisoformat(_expires_at.replace("Z", "+00:00"))




        occurred_at = d.pop("occurred_at", UNSET)

        source = d.pop("source", UNSET)

        id = d.pop("id", UNSET)

        owner_id = d.pop("owner_id", UNSET)

        label = d.pop("label", UNSET)

        version = d.pop("version", UNSET)

        created_at = d.pop("created_at", UNSET)

        updated_at = d.pop("updated_at", UNSET)

        updated_by = d.pop("updated_by", UNSET)

        type_by = d.pop("type_by", UNSET)

        description_by = d.pop("description_by", UNSET)

        import_line = cls(
            key=key,
            value=value,
            namespace=namespace,
            store=store,
            store_id=store_id,
            type_=type_,
            description=description,
            tags=tags,
            in_context=in_context,
            encrypted=encrypted,
            ttl=ttl,
            expires_at=expires_at,
            occurred_at=occurred_at,
            source=source,
            id=id,
            owner_id=owner_id,
            label=label,
            version=version,
            created_at=created_at,
            updated_at=updated_at,
            updated_by=updated_by,
            type_by=type_by,
            description_by=description_by,
        )

        return import_line

