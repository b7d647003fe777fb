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
  from ..models.offer_caps import OfferCaps
  from ..models.terms_request import TermsRequest





T = TypeVar("T", bound="OfferRequest")



@_without_unset
@_attrs_define
class OfferRequest:
    """ 
        Attributes:
            title (str): One line, not blank, without control characters and marks that change the direction of text.
            description (str): What the store holds, for buyers. Line breaks are its only control characters.
            terms (TermsRequest):
            caps (OfferCaps | Unset): Caps on all buyers of the offer together, against one buyer under many names. An
                omitted one is none. Example: {'entries_per_day': 1000}.
     """

    title: str
    description: str
    terms: TermsRequest
    caps: OfferCaps | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.offer_caps import OfferCaps # noqa: PLC0415
        from ..models.terms_request import TermsRequest # noqa: PLC0415
        title = self.title

        description = self.description

        terms = self.terms.to_dict()

        caps: dict[str, Any] | Unset = UNSET
        if not isinstance(self.caps, Unset):
            caps = self.caps.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "title": title,
            "description": description,
            "terms": terms,
        })
        if caps is not UNSET:
            field_dict["caps"] = caps

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.offer_caps import OfferCaps # noqa: PLC0415
        from ..models.terms_request import TermsRequest # noqa: PLC0415
        d = dict(src_dict)
        title = d.pop("title")

        description = d.pop("description")

        terms = TermsRequest.from_dict(d.pop("terms"))




        _caps = d.pop("caps", UNSET)
        caps: OfferCaps | Unset
        if isinstance(_caps,  Unset):
            caps = UNSET
        else:
            caps = OfferCaps.from_dict(_caps)




        offer_request = cls(
            title=title,
            description=description,
            terms=terms,
            caps=caps,
        )

        return offer_request

