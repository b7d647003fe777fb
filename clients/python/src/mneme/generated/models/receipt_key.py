from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from ..models.receipt_key_crv import check_receipt_key_crv
from ..models.receipt_key_crv import ReceiptKeyCrv
from ..models.receipt_key_kty import check_receipt_key_kty
from ..models.receipt_key_kty import ReceiptKeyKty
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ReceiptKey")



@_without_unset
@_attrs_define
class ReceiptKey:
    """ A public key as a JSON Web Key (RFC 8037).

        Attributes:
            kty (ReceiptKeyKty):
            crv (ReceiptKeyCrv):
            x (str):
            kid (str): Its thumbprint (RFC 7638).
            alg (str | Unset):
            use (str | Unset):
     """

    kty: ReceiptKeyKty
    crv: ReceiptKeyCrv
    x: str
    kid: str
    alg: str | Unset = UNSET
    use: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        kty: str = self.kty

        crv: str = self.crv

        x = self.x

        kid = self.kid

        alg = self.alg

        use = self.use


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kty": kty,
            "crv": crv,
            "x": x,
            "kid": kid,
        })
        if alg is not UNSET:
            field_dict["alg"] = alg
        if use is not UNSET:
            field_dict["use"] = use

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kty = check_receipt_key_kty(d.pop("kty"))




        crv = check_receipt_key_crv(d.pop("crv"))




        x = d.pop("x")

        kid = d.pop("kid")

        alg = d.pop("alg", UNSET)

        use = d.pop("use", UNSET)

        receipt_key = cls(
            kty=kty,
            crv=crv,
            x=x,
            kid=kid,
            alg=alg,
            use=use,
        )


        receipt_key.additional_properties = d
        return receipt_key

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
