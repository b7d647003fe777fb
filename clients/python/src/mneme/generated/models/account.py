from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset
from ..types import without_unset as _without_unset







T = TypeVar("T", bound="Account")



@_without_unset
@_attrs_define
class Account:
    """ 
        Example:
            {'agent': 'agent-7', 'balance': 4997500, 'currency': 'USD'}

        Attributes:
            agent (str): An id of a store, agent, chat or user. Not `.`, `..`, `self` or `shared`. Example: agent-7.
            balance (int): In micros.
            currency (str): ISO 4217; a credit is one unit of it.
     """

    agent: str
    balance: int
    currency: str





    def to_dict(self) -> dict[str, Any]:
        agent = self.agent

        balance = self.balance

        currency = self.currency


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "agent": agent,
            "balance": balance,
            "currency": currency,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        agent = d.pop("agent")

        balance = d.pop("balance")

        currency = d.pop("currency")

        account = cls(
            agent=agent,
            balance=balance,
            currency=currency,
        )

        return account

