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






T = TypeVar("T", bound="Similar")



@_without_unset
@_attrs_define
class Similar:
    """ 
        Attributes:
            namespace (str):
            key (str):
            label (Label): A classification, lowest first.
            description (str):
            relevance (float): How likely both say nearly the same, or the opposite.
     """

    namespace: str
    key: str
    label: Label
    description: str
    relevance: float





    def to_dict(self) -> dict[str, Any]:
        namespace = self.namespace

        key = self.key

        label: str = self.label

        description = self.description

        relevance = self.relevance


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "namespace": namespace,
            "key": key,
            "label": label,
            "description": description,
            "relevance": relevance,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        namespace = d.pop("namespace")

        key = d.pop("key")

        label = check_label(d.pop("label"))




        description = d.pop("description")

        relevance = d.pop("relevance")

        similar = cls(
            namespace=namespace,
            key=key,
            label=label,
            description=description,
            relevance=relevance,
        )

        return similar

