from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.language import check_language
from ..models.language import Language
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.reading_progress import ReadingProgress





T = TypeVar("T", bound="StoreLanguage")



@_without_unset
@_attrs_define
class StoreLanguage:
    """ 
        Example:
            {'store_id': 'agent-7', 'language': 'multilingual', 'models': ['multilingual'], 'why': 'Multilingual was chosen:
                the multilingual model reads every entry.'}

        Attributes:
            store_id (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            language (Language): What was chosen for the store. With `auto` the English model reads what it can, and the
                multilingual one the rest; once somebody who may write to the store asks it in another language, or one in
                twenty of its entries is in another one, the multilingual model reads every entry, too.
            models (list[str]): The models that read the store's entries, `english`, `multilingual` or both, or the
                fingerprint of an embedder that reads every language, if that serves.
            why (str): Why these models, in a sentence; another one gives the progress of `reading`.
            reading (ReadingProgress | Unset): How many of the entries that a model is to read again, because the store was
                asked in another language, has many entries in one, or had its language chosen, it has read, among those that
                the caller may read. Until it has read them all, searches judge entries by the vectors that were there before.
                Omitted when it has. Example: {'done': 120, 'total': 400}.
     """

    store_id: str
    language: Language
    models: list[str]
    why: str
    reading: ReadingProgress | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.reading_progress import ReadingProgress # noqa: PLC0415
        store_id = self.store_id

        language: str = self.language

        models = self.models



        why = self.why

        reading: dict[str, Any] | Unset = UNSET
        if not isinstance(self.reading, Unset):
            reading = self.reading.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "store_id": store_id,
            "language": language,
            "models": models,
            "why": why,
        })
        if reading is not UNSET:
            field_dict["reading"] = reading

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.reading_progress import ReadingProgress # noqa: PLC0415
        d = dict(src_dict)
        store_id = d.pop("store_id")

        language = check_language(d.pop("language"))




        models = cast(list[str], d.pop("models"))


        why = d.pop("why")

        _reading = d.pop("reading", UNSET)
        reading: ReadingProgress | Unset
        if isinstance(_reading,  Unset):
            reading = UNSET
        else:
            reading = ReadingProgress.from_dict(_reading)




        store_language = cls(
            store_id=store_id,
            language=language,
            models=models,
            why=why,
            reading=reading,
        )

        return store_language

