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
  from ..models.payment_requirement_extra import PaymentRequirementExtra





T = TypeVar("T", bound="PaymentRequirement")



@_without_unset
@_attrs_define
class PaymentRequirement:
    """ A payment by x402, version 1, that pays for the call.

        Attributes:
            scheme (str): `exact`, `upto` or `robutler-credits`.
            network (str):  Example: base.
            max_amount_required (str): What has to be paid, in the asset's smallest unit: the most that the call could cost.
            asset (str): The asset's address.
            pay_to (str): Who is paid.
            resource (str): The call's URL.
            description (str):
            mime_type (str):
            max_timeout_seconds (int): For how long a payment has to be good.
            extra (PaymentRequirementExtra | Unset): What the scheme needs to know beside.
     """

    scheme: str
    network: str
    max_amount_required: str
    asset: str
    pay_to: str
    resource: str
    description: str
    mime_type: str
    max_timeout_seconds: int
    extra: PaymentRequirementExtra | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.payment_requirement_extra import PaymentRequirementExtra # noqa: PLC0415
        scheme = self.scheme

        network = self.network

        max_amount_required = self.max_amount_required

        asset = self.asset

        pay_to = self.pay_to

        resource = self.resource

        description = self.description

        mime_type = self.mime_type

        max_timeout_seconds = self.max_timeout_seconds

        extra: dict[str, Any] | Unset = UNSET
        if not isinstance(self.extra, Unset):
            extra = self.extra.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "scheme": scheme,
            "network": network,
            "maxAmountRequired": max_amount_required,
            "asset": asset,
            "payTo": pay_to,
            "resource": resource,
            "description": description,
            "mimeType": mime_type,
            "maxTimeoutSeconds": max_timeout_seconds,
        })
        if extra is not UNSET:
            field_dict["extra"] = extra

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.payment_requirement_extra import PaymentRequirementExtra # noqa: PLC0415
        d = dict(src_dict)
        scheme = d.pop("scheme")

        network = d.pop("network")

        max_amount_required = d.pop("maxAmountRequired")

        asset = d.pop("asset")

        pay_to = d.pop("payTo")

        resource = d.pop("resource")

        description = d.pop("description")

        mime_type = d.pop("mimeType")

        max_timeout_seconds = d.pop("maxTimeoutSeconds")

        _extra = d.pop("extra", UNSET)
        extra: PaymentRequirementExtra | Unset
        if isinstance(_extra,  Unset):
            extra = UNSET
        else:
            extra = PaymentRequirementExtra.from_dict(_extra)




        payment_requirement = cls(
            scheme=scheme,
            network=network,
            max_amount_required=max_amount_required,
            asset=asset,
            pay_to=pay_to,
            resource=resource,
            description=description,
            mime_type=mime_type,
            max_timeout_seconds=max_timeout_seconds,
            extra=extra,
        )


        payment_requirement.additional_properties = d
        return payment_requirement

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
