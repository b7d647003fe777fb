from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.slow_searches_steps_ms import SlowSearchesStepsMs





T = TypeVar("T", bound="SlowSearches")



@_without_unset
@_attrs_define
class SlowSearches:
    """ 
        Attributes:
            mode (str): `hybrid`, `lexical` or `vector`; empty if no store was searched.
            options (list[str]): The options that they had, by name.
            limit (int):
            wordings (int):
            stores (int): How many stores they searched.
            degraded (bool):
            searches (int):
            last (datetime.datetime):
            steps_ms (SlowSearchesStepsMs): How long the steps of the slowest took.
     """

    mode: str
    options: list[str]
    limit: int
    wordings: int
    stores: int
    degraded: bool
    searches: int
    last: datetime.datetime
    steps_ms: SlowSearchesStepsMs





    def to_dict(self) -> dict[str, Any]:
        from ..models.slow_searches_steps_ms import SlowSearchesStepsMs # noqa: PLC0415
        mode = self.mode

        options = self.options



        limit = self.limit

        wordings = self.wordings

        stores = self.stores

        degraded = self.degraded

        searches = self.searches

        last = self.last.isoformat()

        steps_ms = self.steps_ms.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "mode": mode,
            "options": options,
            "limit": limit,
            "wordings": wordings,
            "stores": stores,
            "degraded": degraded,
            "searches": searches,
            "last": last,
            "steps_ms": steps_ms,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.slow_searches_steps_ms import SlowSearchesStepsMs # noqa: PLC0415
        d = dict(src_dict)
        mode = d.pop("mode")

        options = cast(list[str], d.pop("options"))


        limit = d.pop("limit")

        wordings = d.pop("wordings")

        stores = d.pop("stores")

        degraded = d.pop("degraded")

        searches = d.pop("searches")

        last = datetime.datetime.fromisoformat(d.pop("last").replace("Z", "+00:00"))




        steps_ms = SlowSearchesStepsMs.from_dict(d.pop("steps_ms"))




        slow_searches = cls(
            mode=mode,
            options=options,
            limit=limit,
            wordings=wordings,
            stores=stores,
            degraded=degraded,
            searches=searches,
            last=last,
            steps_ms=steps_ms,
        )

        return slow_searches

