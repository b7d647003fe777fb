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

if TYPE_CHECKING:
  from ..models.agent_store import AgentStore
  from ..models.settings import Settings





T = TypeVar("T", bound="AgentAccess")



@_without_unset
@_attrs_define
class AgentAccess:
    """ 
        Attributes:
            agent (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            taint (Label): A classification, lowest first.
            settings (Settings):  Example: {'enabled': True, 'self': True, 'chat': True, 'user': False}.
            stores (list[AgentStore]):
     """

    agent: str
    taint: Label
    settings: Settings
    stores: list[AgentStore]





    def to_dict(self) -> dict[str, Any]:
        from ..models.agent_store import AgentStore # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        agent = self.agent

        taint: str = self.taint

        settings = self.settings.to_dict()

        stores = []
        for stores_item_data in self.stores:
            stores_item = stores_item_data.to_dict()
            stores.append(stores_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "agent": agent,
            "taint": taint,
            "settings": settings,
            "stores": stores,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_store import AgentStore # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        d = dict(src_dict)
        agent = d.pop("agent")

        taint = check_label(d.pop("taint"))




        settings = Settings.from_dict(d.pop("settings"))




        stores = []
        _stores = d.pop("stores")
        for stores_item_data in (_stores):
            stores_item = AgentStore.from_dict(stores_item_data)



            stores.append(stores_item)


        agent_access = cls(
            agent=agent,
            taint=taint,
            settings=settings,
            stores=stores,
        )

        return agent_access

