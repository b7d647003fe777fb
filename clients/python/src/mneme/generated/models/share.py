from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..models.level import check_level
from ..models.level import Level
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.caps import Caps





T = TypeVar("T", bound="Share")



@_without_unset
@_attrs_define
class Share:
    """ 
        Example:
            {'level': 'search', 'ttl': 604800, 'caps': {'searches_per_hour': 60, 'entries_per_day': 50}}

        Attributes:
            level (Level | Unset): What an agent may do with a store. Each level includes the one before it.
            ttl (int | Unset): Seconds until it expires; 0 means never.
            max_label (Label | Unset): A classification, lowest first.
            caps (Caps | Unset): What a grant of level search shows, at most. An omitted one is the default: 600 searches an
                hour, and 500 entries a day that were not shown before.
     """

    level: Level | Unset = UNSET
    ttl: int | Unset = UNSET
    max_label: Label | Unset = UNSET
    caps: Caps | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.caps import Caps # noqa: PLC0415
        level: str | Unset = UNSET
        if not isinstance(self.level, Unset):
            level = self.level


        ttl = self.ttl

        max_label: str | Unset = UNSET
        if not isinstance(self.max_label, Unset):
            max_label = self.max_label


        caps: dict[str, Any] | Unset = UNSET
        if not isinstance(self.caps, Unset):
            caps = self.caps.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if level is not UNSET:
            field_dict["level"] = level
        if ttl is not UNSET:
            field_dict["ttl"] = ttl
        if max_label is not UNSET:
            field_dict["max_label"] = max_label
        if caps is not UNSET:
            field_dict["caps"] = caps

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.caps import Caps # noqa: PLC0415
        d = dict(src_dict)
        _level = d.pop("level", UNSET)
        level: Level | Unset
        if isinstance(_level,  Unset):
            level = UNSET
        else:
            level = check_level(_level)




        ttl = d.pop("ttl", UNSET)

        _max_label = d.pop("max_label", UNSET)
        max_label: Label | Unset
        if isinstance(_max_label,  Unset):
            max_label = UNSET
        else:
            max_label = check_label(_max_label)




        _caps = d.pop("caps", UNSET)
        caps: Caps | Unset
        if isinstance(_caps,  Unset):
            caps = UNSET
        else:
            caps = Caps.from_dict(_caps)




        share = cls(
            level=level,
            ttl=ttl,
            max_label=max_label,
            caps=caps,
        )

        return share

