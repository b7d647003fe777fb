from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.language import check_language
from ..models.language import Language
from ..models.level import check_level
from ..models.level import Level
from ..models.store_info_kind import check_store_info_kind
from ..models.store_info_kind import StoreInfoKind
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.reading_progress import ReadingProgress





T = TypeVar("T", bound="StoreInfo")



@_without_unset
@_attrs_define
class StoreInfo:
    """ At level `search` language, models, why and reading are omitted.

        Example:
            {'store_id': 'agent-7', 'kind': 'self', 'level': 'readwrite', 'language': 'auto', 'models': ['english'], 'why':
                'Nothing in it has needed the multilingual model yet.'}

        Attributes:
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            kind (StoreInfoKind):
            level (Level): What an agent may do with a store. Each level includes the one before it.
            expires_at (datetime.datetime | Unset): Omitted if the access does not expire.
            accepted (bool | Unset): Of kind `grant`: whether the store counts in calls that name none.
            language (Language | Unset): What was chosen for the store. With `auto` the English model reads what it can, and
                the multilingual one the rest; once somebody who may write to the store asks it in another language, or one in
                twenty of its entries is in another one, the multilingual model reads every entry, too.
            models (list[str] | Unset): The models that read the store's entries, `english`, `multilingual` or both, or the
                fingerprint of an embedder that reads every language, if that serves.
            why (str | Unset): Why these models, in a sentence; another one gives the progress of `reading`.
            reading (ReadingProgress | Unset): How many of the entries that a model is to read again, because the store was
                asked in another language, has many entries in one, or had its language chosen, it has read, among those that
                the caller may read. Until it has read them all, searches judge entries by the vectors that were there before.
                Omitted when it has. Example: {'done': 120, 'total': 400}.
     """

    store_id: str
    kind: StoreInfoKind
    level: Level
    expires_at: datetime.datetime | Unset = UNSET
    accepted: bool | Unset = UNSET
    language: Language | Unset = UNSET
    models: list[str] | Unset = UNSET
    why: str | Unset = UNSET
    reading: ReadingProgress | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.reading_progress import ReadingProgress # noqa: PLC0415
        store_id = self.store_id

        kind: str = self.kind

        level: str = self.level

        expires_at: str | Unset = UNSET
        if not isinstance(self.expires_at, Unset):
            expires_at = self.expires_at.isoformat()

        accepted = self.accepted

        language: str | Unset = UNSET
        if not isinstance(self.language, Unset):
            language = self.language


        models: list[str] | Unset = UNSET
        if not isinstance(self.models, Unset):
            models = self.models



        why = self.why

        reading: dict[str, Any] | Unset = UNSET
        if not isinstance(self.reading, Unset):
            reading = self.reading.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "store_id": store_id,
            "kind": kind,
            "level": level,
        })
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if accepted is not UNSET:
            field_dict["accepted"] = accepted
        if language is not UNSET:
            field_dict["language"] = language
        if models is not UNSET:
            field_dict["models"] = models
        if why is not UNSET:
            field_dict["why"] = why
        if reading is not UNSET:
            field_dict["reading"] = reading

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.reading_progress import ReadingProgress # noqa: PLC0415
        d = dict(src_dict)
        store_id = d.pop("store_id")

        kind = check_store_info_kind(d.pop("kind"))




        level = check_level(d.pop("level"))




        _expires_at = d.pop("expires_at", UNSET)
        expires_at: datetime.datetime | Unset
        if isinstance(_expires_at,  Unset):
            expires_at = UNSET
        else:
            expires_at = datetime.datetime.fromisoformat(_expires_at.replace("Z", "+00:00"))




        accepted = d.pop("accepted", UNSET)

        _language = d.pop("language", UNSET)
        language: Language | Unset
        if isinstance(_language,  Unset):
            language = UNSET
        else:
            language = check_language(_language)




        models = cast(list[str], d.pop("models", UNSET))


        why = d.pop("why", UNSET)

        _reading = d.pop("reading", UNSET)
        reading: ReadingProgress | Unset
        if isinstance(_reading,  Unset):
            reading = UNSET
        else:
            reading = ReadingProgress.from_dict(_reading)




        store_info = cls(
            store_id=store_id,
            kind=kind,
            level=level,
            expires_at=expires_at,
            accepted=accepted,
            language=language,
            models=models,
            why=why,
            reading=reading,
        )

        return store_info

