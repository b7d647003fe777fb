from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.offer import Offer





T = TypeVar("T", bound="StoreOffers")



@_without_unset
@_attrs_define
class StoreOffers:
    """ 
        Attributes:
            offers (list[Offer]):
     """

    offers: list[Offer]





    def to_dict(self) -> dict[str, Any]:
        from ..models.offer import Offer # noqa: PLC0415
        offers = []
        for offers_item_data in self.offers:
            offers_item = offers_item_data.to_dict()
            offers.append(offers_item)




        field_dict: dict[str, Any] = {}

        field_dict.update({
            "offers": offers,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.offer import Offer # noqa: PLC0415
        d = dict(src_dict)
        offers = []
        _offers = d.pop("offers")
        for offers_item_data in (_offers):
            offers_item = Offer.from_dict(offers_item_data)



            offers.append(offers_item)


        store_offers = cls(
            offers=offers,
        )

        return store_offers

