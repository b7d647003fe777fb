from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="OptionalTimeCondition")



@_without_unset
@_attrs_define
class OptionalTimeCondition:
    """ 
        Attributes:
            eq (str | Unset): RFC 3339, or without zone (`2026-05-01T09:00`); a day, month or year (`2026-05-01`, `2026-05`,
                `2026`), which is all of it: `gt` is after its end, `lte` through its end, `eq` within it; or relative to the
                instant of the call: `now`, `now-7d`, `now+12h` (s, m, h, d, w; at most 100 years). Without zone it is in
                `timezone`, or else in UTC. Compared in microseconds. The dates of `occurred_at` are the same in every zone.
                Example: now-7d.
            ne (str | Unset): RFC 3339, or without zone (`2026-05-01T09:00`); a day, month or year (`2026-05-01`, `2026-05`,
                `2026`), which is all of it: `gt` is after its end, `lte` through its end, `eq` within it; or relative to the
                instant of the call: `now`, `now-7d`, `now+12h` (s, m, h, d, w; at most 100 years). Without zone it is in
                `timezone`, or else in UTC. Compared in microseconds. The dates of `occurred_at` are the same in every zone.
                Example: now-7d.
            in_ (list[str] | Unset):
            nin (list[str] | Unset):
            gt (str | Unset): RFC 3339, or without zone (`2026-05-01T09:00`); a day, month or year (`2026-05-01`, `2026-05`,
                `2026`), which is all of it: `gt` is after its end, `lte` through its end, `eq` within it; or relative to the
                instant of the call: `now`, `now-7d`, `now+12h` (s, m, h, d, w; at most 100 years). Without zone it is in
                `timezone`, or else in UTC. Compared in microseconds. The dates of `occurred_at` are the same in every zone.
                Example: now-7d.
            gte (str | Unset): RFC 3339, or without zone (`2026-05-01T09:00`); a day, month or year (`2026-05-01`,
                `2026-05`, `2026`), which is all of it: `gt` is after its end, `lte` through its end, `eq` within it; or
                relative to the instant of the call: `now`, `now-7d`, `now+12h` (s, m, h, d, w; at most 100 years). Without zone
                it is in `timezone`, or else in UTC. Compared in microseconds. The dates of `occurred_at` are the same in every
                zone. Example: now-7d.
            lt (str | Unset): RFC 3339, or without zone (`2026-05-01T09:00`); a day, month or year (`2026-05-01`, `2026-05`,
                `2026`), which is all of it: `gt` is after its end, `lte` through its end, `eq` within it; or relative to the
                instant of the call: `now`, `now-7d`, `now+12h` (s, m, h, d, w; at most 100 years). Without zone it is in
                `timezone`, or else in UTC. Compared in microseconds. The dates of `occurred_at` are the same in every zone.
                Example: now-7d.
            lte (str | Unset): RFC 3339, or without zone (`2026-05-01T09:00`); a day, month or year (`2026-05-01`,
                `2026-05`, `2026`), which is all of it: `gt` is after its end, `lte` through its end, `eq` within it; or
                relative to the instant of the call: `now`, `now-7d`, `now+12h` (s, m, h, d, w; at most 100 years). Without zone
                it is in `timezone`, or else in UTC. Compared in microseconds. The dates of `occurred_at` are the same in every
                zone. Example: now-7d.
            exists (bool | Unset):
     """

    eq: str | Unset = UNSET
    ne: str | Unset = UNSET
    in_: list[str] | Unset = UNSET
    nin: list[str] | Unset = UNSET
    gt: str | Unset = UNSET
    gte: str | Unset = UNSET
    lt: str | Unset = UNSET
    lte: str | Unset = UNSET
    exists: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        eq = self.eq

        ne = self.ne

        in_: list[str] | Unset = UNSET
        if not isinstance(self.in_, Unset):
            in_ = self.in_



        nin: list[str] | Unset = UNSET
        if not isinstance(self.nin, Unset):
            nin = self.nin



        gt = self.gt

        gte = self.gte

        lt = self.lt

        lte = self.lte

        exists = self.exists


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if eq is not UNSET:
            field_dict["eq"] = eq
        if ne is not UNSET:
            field_dict["ne"] = ne
        if in_ is not UNSET:
            field_dict["in"] = in_
        if nin is not UNSET:
            field_dict["nin"] = nin
        if gt is not UNSET:
            field_dict["gt"] = gt
        if gte is not UNSET:
            field_dict["gte"] = gte
        if lt is not UNSET:
            field_dict["lt"] = lt
        if lte is not UNSET:
            field_dict["lte"] = lte
        if exists is not UNSET:
            field_dict["exists"] = exists

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        eq = d.pop("eq", UNSET)

        ne = d.pop("ne", UNSET)

        in_ = cast(list[str], d.pop("in", UNSET))


        nin = cast(list[str], d.pop("nin", UNSET))


        gt = d.pop("gt", UNSET)

        gte = d.pop("gte", UNSET)

        lt = d.pop("lt", UNSET)

        lte = d.pop("lte", UNSET)

        exists = d.pop("exists", UNSET)

        optional_time_condition = cls(
            eq=eq,
            ne=ne,
            in_=in_,
            nin=nin,
            gt=gt,
            gte=gte,
            lt=lt,
            lte=lte,
            exists=exists,
        )

        return optional_time_condition

