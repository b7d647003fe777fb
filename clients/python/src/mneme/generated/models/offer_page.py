from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.offer import Offer





T = TypeVar("T", bound="OfferPage")



@_without_unset
@_attrs_define
class OfferPage:
    """ 
        Attributes:
            offers (list[Offer]):
            next_cursor (str | Unset): The `cursor` of the next page. Omitted on the last page.
     """

    offers: list[Offer]
    next_cursor: str | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.offer import Offer # noqa: PLC0415
        offers = []
        for offers_item_data in self.offers:
            offers_item = offers_item_data.to_dict()
            offers.append(offers_item)



        next_cursor = self.next_cursor


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "offers": offers,
        })
        if next_cursor is not UNSET:
            field_dict["next_cursor"] = next_cursor

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


        next_cursor = d.pop("next_cursor", UNSET)

        offer_page = cls(
            offers=offers,
            next_cursor=next_cursor,
        )

        return offer_page

