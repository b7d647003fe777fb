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
  from ..models.similar import Similar





T = TypeVar("T", bound="Written")



@_without_unset
@_attrs_define
class Written:
    """ 
        Attributes:
            id (UUID): A UUID of version 7.
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            owner_id (str): The agent that created the entry.
            namespace (str): At most 256 bytes of UTF-8 in NFC, without control, format or line-separator characters; empty
                by default.
            key (str): 1–512 bytes of UTF-8 in NFC, without control, format or line-separator characters, without
                a leading or trailing `/`, and without empty, `.` or `..` segments.
                 Example: diet/anna.
            label (Label): A classification, lowest first.
            value (Any): Any JSON value, up to 100 kB unless the server is configured otherwise. It is stored and
                returned byte for byte. Arrays and objects nest at most 100 deep. The value of an encrypted entry is the
                client's opaque blob.
            type_ (Type): What kind of memory it is; may be empty.
            description (str): One line without control characters.
            tags (list[str]):
            in_context (bool):
            encrypted (bool):
            version (int):
            created_at (datetime.datetime):
            updated_at (datetime.datetime):
            updated_by (str): The agent that wrote this version.
            source (Any | Unset): Where the entry came from, according to its writer; not verified. Omitted if unknown.
            expires_at (datetime.datetime | Unset): Omitted if it never expires.
            occurred_at (str | Unset): When what the entry tells of happened, according to its writer: a day (`2023-05-08`),
                a month
                (`2023-05`), a year (`2023`), or a time in RFC 3339, which is kept in UTC to the microsecond. A
                time may be written without zone (`2023-05-08T13:56`): it is in `timezone`, or else in UTC. The
                year is 0001 to 9999 in UTC. A day, month or year comes back as it is, and compares as its first
                instant.
                 Example: 2023-05-08.
            type_by (str | Unset): The agent that wrote the type, if not the owner. Empty if unknown.
            description_by (str | Unset): The agent that wrote the description, if not the owner. Empty if unknown.
            indexed (bool | Unset): Only with `wait=indexed` or `similar=true`; whether a search can return the entry by its
                meaning. Never above `openai.max_label`.
            similar (list[Similar] | Unset): Only with `similar=true`: entries of the store at other paths that say nearly
                the same or the opposite, most alike first, of those that the caller may read. Empty if there are none. Omitted
                if it is not known: the entry was not indexed in time, or is never searched (encrypted, or not in context), or
                has no text.
     """

    id: UUID
    store_id: str
    owner_id: str
    namespace: str
    key: str
    label: Label
    value: Any
    type_: Type
    description: str
    tags: list[str]
    in_context: bool
    encrypted: bool
    version: int
    created_at: datetime.datetime
    updated_at: datetime.datetime
    updated_by: str
    source: Any | Unset = UNSET
    expires_at: datetime.datetime | Unset = UNSET
    occurred_at: str | Unset = UNSET
    type_by: str | Unset = UNSET
    description_by: str | Unset = UNSET
    indexed: bool | Unset = UNSET
    similar: list[Similar] | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.similar import Similar # noqa: PLC0415
        id = str(self.id)

        store_id = self.store_id

        owner_id = self.owner_id

        namespace = self.namespace

        key = self.key

        label: str = self.label

        value = self.value

        type_: str = self.type_

        description = self.description

        tags = self.tags



        in_context = self.in_context

        encrypted = self.encrypted

        version = self.version

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        updated_by = self.updated_by

        source = self.source

        expires_at: str | Unset = UNSET
        if not isinstance(self.expires_at, Unset):
            expires_at = self.expires_at.isoformat()

        occurred_at = self.occurred_at

        type_by = self.type_by

        description_by = self.description_by

        indexed = self.indexed

        similar: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.similar, Unset):
            similar = []
            for similar_item_data in self.similar:
                similar_item = similar_item_data.to_dict()
                similar.append(similar_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "id": id,
            "store_id": store_id,
            "owner_id": owner_id,
            "namespace": namespace,
            "key": key,
            "label": label,
            "value": value,
            "type": type_,
            "description": description,
            "tags": tags,
            "in_context": in_context,
            "encrypted": encrypted,
            "version": version,
            "created_at": created_at,
            "updated_at": updated_at,
            "updated_by": updated_by,
        })
        if source is not UNSET:
            field_dict["source"] = source
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if occurred_at is not UNSET:
            field_dict["occurred_at"] = occurred_at
        if type_by is not UNSET:
            field_dict["type_by"] = type_by
        if description_by is not UNSET:
            field_dict["description_by"] = description_by
        if indexed is not UNSET:
            field_dict["indexed"] = indexed
        if similar is not UNSET:
            field_dict["similar"] = similar

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.similar import Similar # noqa: PLC0415
        d = dict(src_dict)
        id = UUID(d.pop("id"))




        store_id = d.pop("store_id")

        owner_id = d.pop("owner_id")

        namespace = d.pop("namespace")

        key = d.pop("key")

        label = check_label(d.pop("label"))




        value = d.pop("value")

        type_ = check_type(d.pop("type"))




        description = d.pop("description")

        tags = cast(list[str], d.pop("tags"))


        in_context = d.pop("in_context")

        encrypted = d.pop("encrypted")

        version = d.pop("version")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at").replace("Z", "+00:00"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at").replace("Z", "+00:00"))




        updated_by = d.pop("updated_by")

        source = d.pop("source", UNSET)

        _expires_at = d.pop("expires_at", UNSET)
        expires_at: datetime.datetime | Unset
        if isinstance(_expires_at,  Unset):
            expires_at = UNSET
        else:
            expires_at = datetime.datetime.fromisoformat(_expires_at.replace("Z", "+00:00"))




        occurred_at = d.pop("occurred_at", UNSET)

        type_by = d.pop("type_by", UNSET)

        description_by = d.pop("description_by", UNSET)

        indexed = d.pop("indexed", UNSET)

        _similar = d.pop("similar", UNSET)
        similar: list[Similar] | Unset = UNSET
        if _similar is not UNSET:
            similar = []
            for similar_item_data in _similar:
                similar_item = Similar.from_dict(similar_item_data)



                similar.append(similar_item)


        written = cls(
            id=id,
            store_id=store_id,
            owner_id=owner_id,
            namespace=namespace,
            key=key,
            label=label,
            value=value,
            type_=type_,
            description=description,
            tags=tags,
            in_context=in_context,
            encrypted=encrypted,
            version=version,
            created_at=created_at,
            updated_at=updated_at,
            updated_by=updated_by,
            source=source,
            expires_at=expires_at,
            occurred_at=occurred_at,
            type_by=type_by,
            description_by=description_by,
            indexed=indexed,
            similar=similar,
        )

        return written

