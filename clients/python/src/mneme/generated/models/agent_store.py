from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.label import check_label
from ..models.label import Label
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.grant import Grant
  from ..models.store_info import StoreInfo





T = TypeVar("T", bound="AgentStore")



@_without_unset
@_attrs_define
class AgentStore:
    """ 
        Attributes:
            store (StoreInfo): At level `search` language, models, why and reading are omitted. Example: {'store_id':
                'agent-7', 'kind': 'self', 'level': 'readwrite', 'language': 'auto', 'models': ['english'], 'why': 'Nothing in
                it has needed the multilingual model yet.'}.
            max_label (Label): A classification, lowest first.
            makers (list[str]): The agents on whom the grant depends: who made it, who made that agent's grant, and so on.
                Empty if the level does not come from a grant.
            grant (Grant | Unset):
     """

    store: StoreInfo
    max_label: Label
    makers: list[str]
    grant: Grant | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.grant import Grant # noqa: PLC0415
        from ..models.store_info import StoreInfo # noqa: PLC0415
        store = self.store.to_dict()

        max_label: str = self.max_label

        makers = self.makers



        grant: dict[str, Any] | Unset = UNSET
        if not isinstance(self.grant, Unset):
            grant = self.grant.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "store": store,
            "max_label": max_label,
            "makers": makers,
        })
        if grant is not UNSET:
            field_dict["grant"] = grant

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.grant import Grant # noqa: PLC0415
        from ..models.store_info import StoreInfo # noqa: PLC0415
        d = dict(src_dict)
        store = StoreInfo.from_dict(d.pop("store"))




        max_label = check_label(d.pop("max_label"))




        makers = cast(list[str], d.pop("makers"))


        _grant = d.pop("grant", UNSET)
        grant: Grant | Unset
        if isinstance(_grant,  Unset):
            grant = UNSET
        else:
            grant = Grant.from_dict(_grant)




        agent_store = cls(
            store=store,
            max_label=max_label,
            makers=makers,
            grant=grant,
        )

        return agent_store

