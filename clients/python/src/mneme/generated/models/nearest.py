from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from typing import cast






T = TypeVar("T", bound="Nearest")



@_without_unset
@_attrs_define
class Nearest:
    """ 
        Attributes:
            store_id (str):
            namespace (str):
            key (str):
            label (Label): A classification, lowest first.
            description (str):
            text (str): The beginning of the value in one line of at most 300 characters.
            relevance (float): Below `min_relevance`.
            unsure (bool): Always true.
     """

    store_id: str
    namespace: str
    key: str
    label: Label
    description: str
    text: str
    relevance: float
    unsure: bool





    def to_dict(self) -> dict[str, Any]:
        store_id = self.store_id

        namespace = self.namespace

        key = self.key

        label: str = self.label

        description = self.description

        text = self.text

        relevance = self.relevance

        unsure = self.unsure


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "store_id": store_id,
            "namespace": namespace,
            "key": key,
            "label": label,
            "description": description,
            "text": text,
            "relevance": relevance,
            "unsure": unsure,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        store_id = d.pop("store_id")

        namespace = d.pop("namespace")

        key = d.pop("key")

        label = check_label(d.pop("label"))




        description = d.pop("description")

        text = d.pop("text")

        relevance = d.pop("relevance")

        unsure = d.pop("unsure")

        nearest = cls(
            store_id=store_id,
            namespace=namespace,
            key=key,
            label=label,
            description=description,
            text=text,
            relevance=relevance,
            unsure=unsure,
        )

        return nearest

