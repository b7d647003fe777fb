from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.problem_type import check_problem_type
from ..models.problem_type import ProblemType
from ..models.problem_x402_version import check_problem_x402_version
from ..models.problem_x402_version import ProblemX402Version
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.payment_requirement import PaymentRequirement





T = TypeVar("T", bound="Problem")



@_without_unset
@_attrs_define
class Problem:
    """ An RFC 9457 problem.

        Example:
            {'type': 'urn:mneme:problem:rule', 'title': 'The request breaks a rule', 'status': 422, 'detail': 'tags: must be
                at most 32', 'instance': 'urn:uuid:01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a02', 'field': 'tags'}

        Attributes:
            type_ (ProblemType): What kind of problem it is; stable.
            title (str): The kind in words; the same for every problem of a type.
            status (int):
            instance (str): The request's id.
            detail (str | Unset): What is wrong with this request. Never contains request data, or data of another caller.
            field (str | Unset): The invalid field or parameter.
            limit (str | Unset): The limit that was reached.
            item (int | Unset): Only of an atomic batch: the index of the item that failed, from 0.
            price (int | Unset): Only of status 402: the most that the call could cost, in micros.
            balance (int | Unset): Only of status 402: of the caller's account, in micros.
            offer (str | Unset): Only of status 402: the offer to accept, or to pay for.
            x_402_version (ProblemX402Version | Unset): Only of status 402, where payments by x402 or in credits are taken:
                the version of `accepts`.
            error (str | Unset): Beside `x402Version`: why x402 asks for a payment; a word of x402 if one was refused.
            accepts (list[PaymentRequirement] | Unset): Beside `x402Version`: the payments that are taken. One of them is
                enough.
     """

    type_: ProblemType
    title: str
    status: int
    instance: str
    detail: str | Unset = UNSET
    field: str | Unset = UNSET
    limit: str | Unset = UNSET
    item: int | Unset = UNSET
    price: int | Unset = UNSET
    balance: int | Unset = UNSET
    offer: str | Unset = UNSET
    x_402_version: ProblemX402Version | Unset = UNSET
    error: str | Unset = UNSET
    accepts: list[PaymentRequirement] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.payment_requirement import PaymentRequirement # noqa: PLC0415
        type_: str = self.type_

        title = self.title

        status = self.status

        instance = self.instance

        detail = self.detail

        field = self.field

        limit = self.limit

        item = self.item

        price = self.price

        balance = self.balance

        offer = self.offer

        x_402_version: int | Unset = UNSET
        if not isinstance(self.x_402_version, Unset):
            x_402_version = self.x_402_version


        error = self.error

        accepts: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.accepts, Unset):
            accepts = []
            for accepts_item_data in self.accepts:
                accepts_item = accepts_item_data.to_dict()
                accepts.append(accepts_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "type": type_,
            "title": title,
            "status": status,
            "instance": instance,
        })
        if detail is not UNSET:
            field_dict["detail"] = detail
        if field is not UNSET:
            field_dict["field"] = field
        if limit is not UNSET:
            field_dict["limit"] = limit
        if item is not UNSET:
            field_dict["item"] = item
        if price is not UNSET:
            field_dict["price"] = price
        if balance is not UNSET:
            field_dict["balance"] = balance
        if offer is not UNSET:
            field_dict["offer"] = offer
        if x_402_version is not UNSET:
            field_dict["x402Version"] = x_402_version
        if error is not UNSET:
            field_dict["error"] = error
        if accepts is not UNSET:
            field_dict["accepts"] = accepts

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.payment_requirement import PaymentRequirement # noqa: PLC0415
        d = dict(src_dict)
        type_ = check_problem_type(d.pop("type"))




        title = d.pop("title")

        status = d.pop("status")

        instance = d.pop("instance")

        detail = d.pop("detail", UNSET)

        field = d.pop("field", UNSET)

        limit = d.pop("limit", UNSET)

        item = d.pop("item", UNSET)

        price = d.pop("price", UNSET)

        balance = d.pop("balance", UNSET)

        offer = d.pop("offer", UNSET)

        _x_402_version = d.pop("x402Version", UNSET)
        x_402_version: ProblemX402Version | Unset
        if isinstance(_x_402_version,  Unset):
            x_402_version = UNSET
        else:
            x_402_version = check_problem_x402_version(_x_402_version)




        error = d.pop("error", UNSET)

        _accepts = d.pop("accepts", UNSET)
        accepts: list[PaymentRequirement] | Unset = UNSET
        if _accepts is not UNSET:
            accepts = []
            for accepts_item_data in _accepts:
                accepts_item = PaymentRequirement.from_dict(accepts_item_data)



                accepts.append(accepts_item)


        problem = cls(
            type_=type_,
            title=title,
            status=status,
            instance=instance,
            detail=detail,
            field=field,
            limit=limit,
            item=item,
            price=price,
            balance=balance,
            offer=offer,
            x_402_version=x_402_version,
            error=error,
            accepts=accepts,
        )


        problem.additional_properties = d
        return problem

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
