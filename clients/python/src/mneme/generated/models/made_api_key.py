from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset

from typing import cast

if TYPE_CHECKING:
  from ..models.issued_key import IssuedKey





T = TypeVar("T", bound="MadeAPIKey")



@_without_unset
@_attrs_define
class MadeAPIKey:
    """ 
        Attributes:
            secret (str): The key that its holder sends, as `Authorization: Bearer` or `X-API-Key`.
            key (IssuedKey): An API key or a token, without its secret.
     """

    secret: str
    key: IssuedKey





    def to_dict(self) -> dict[str, Any]:
        from ..models.issued_key import IssuedKey # noqa: PLC0415
        secret = self.secret

        key = self.key.to_dict()


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "secret": secret,
            "key": key,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.issued_key import IssuedKey # noqa: PLC0415
        d = dict(src_dict)
        secret = d.pop("secret")

        key = IssuedKey.from_dict(d.pop("key"))




        made_api_key = cls(
            secret=secret,
            key=key,
        )

        return made_api_key

