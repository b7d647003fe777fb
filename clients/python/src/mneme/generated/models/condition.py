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
  from ..models.encrypted_condition import EncryptedCondition
  from ..models.label_condition import LabelCondition
  from ..models.member_condition import MemberCondition
  from ..models.optional_time_condition import OptionalTimeCondition
  from ..models.tags_condition import TagsCondition
  from ..models.text_condition import TextCondition
  from ..models.time_condition import TimeCondition
  from ..models.type_condition import TypeCondition





T = TypeVar("T", bound="Condition")



@_without_unset
@_attrs_define
class Condition:
    """ Fields with operators, all of which must hold; `and`, `or` and `not` combine conditions. It judges the
    entry that a path resolves to. `value.a.b` names a member of a value that is a JSON object; it takes the
    operators of MemberCondition. A field that is absent (no type, tags, `occurred_at` or `expires_at`, no such
    member or a null one, any member of an encrypted value) fits `exists: false`, `ne`, `nin` and `not` alone.

    At most 64 comparisons, 8 levels of `and`, `or` and `not` (several members count as an `and`), and
    64 KiB. Strings are at most 512 bytes, and compared byte by byte. 422 names the place of what is wrong, such as
    `where.and[1].updated_at.gte`. Stores that the caller may search but not read are left out, or 403 if named.

        Example:
            {'updated_at': {'gte': '2026-05-01'}, 'tags': {'contains': 'travel'}}

        Attributes:
            and_ (list[Condition] | Unset):
            or_ (list[Condition] | Unset):
            not_ (Condition | Unset): Fields with operators, all of which must hold; `and`, `or` and `not` combine
                conditions. It judges the
                entry that a path resolves to. `value.a.b` names a member of a value that is a JSON object; it takes the
                operators of MemberCondition. A field that is absent (no type, tags, `occurred_at` or `expires_at`, no such
                member or a null one, any member of an encrypted value) fits `exists: false`, `ne`, `nin` and `not` alone.

                At most 64 comparisons, 8 levels of `and`, `or` and `not` (several members count as an `and`), and
                64 KiB. Strings are at most 512 bytes, and compared byte by byte. 422 names the place of what is wrong, such as
                `where.and[1].updated_at.gte`. Stores that the caller may search but not read are left out, or 403 if named.
                 Example: {'updated_at': {'gte': '2026-05-01'}, 'tags': {'contains': 'travel'}}.
            key (TextCondition | Unset):
            namespace (TextCondition | Unset):
            owner_id (TextCondition | Unset):
            updated_by (TextCondition | Unset):
            type_ (TypeCondition | Unset):
            tags (TagsCondition | Unset):
            label (LabelCondition | Unset): Labels are ordered as in Label.
            encrypted (EncryptedCondition | Unset):
            created_at (TimeCondition | Unset):
            updated_at (TimeCondition | Unset):
            occurred_at (OptionalTimeCondition | Unset):
            expires_at (OptionalTimeCondition | Unset):
     """

    and_: list[Condition] | Unset = UNSET
    or_: list[Condition] | Unset = UNSET
    not_: Condition | Unset = UNSET
    key: TextCondition | Unset = UNSET
    namespace: TextCondition | Unset = UNSET
    owner_id: TextCondition | Unset = UNSET
    updated_by: TextCondition | Unset = UNSET
    type_: TypeCondition | Unset = UNSET
    tags: TagsCondition | Unset = UNSET
    label: LabelCondition | Unset = UNSET
    encrypted: EncryptedCondition | Unset = UNSET
    created_at: TimeCondition | Unset = UNSET
    updated_at: TimeCondition | Unset = UNSET
    occurred_at: OptionalTimeCondition | Unset = UNSET
    expires_at: OptionalTimeCondition | Unset = UNSET
    additional_properties: dict[str, MemberCondition] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.encrypted_condition import EncryptedCondition # noqa: PLC0415
        from ..models.label_condition import LabelCondition # noqa: PLC0415
        from ..models.member_condition import MemberCondition # noqa: PLC0415
        from ..models.optional_time_condition import OptionalTimeCondition # noqa: PLC0415
        from ..models.tags_condition import TagsCondition # noqa: PLC0415
        from ..models.text_condition import TextCondition # noqa: PLC0415
        from ..models.time_condition import TimeCondition # noqa: PLC0415
        from ..models.type_condition import TypeCondition # noqa: PLC0415
        and_: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.and_, Unset):
            and_ = []
            for and_item_data in self.and_:
                and_item = and_item_data.to_dict()
                and_.append(and_item)



        or_: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.or_, Unset):
            or_ = []
            for or_item_data in self.or_:
                or_item = or_item_data.to_dict()
                or_.append(or_item)



        not_: dict[str, Any] | Unset = UNSET
        if not isinstance(self.not_, Unset):
            not_ = self.not_.to_dict()

        key: dict[str, Any] | Unset = UNSET
        if not isinstance(self.key, Unset):
            key = self.key.to_dict()

        namespace: dict[str, Any] | Unset = UNSET
        if not isinstance(self.namespace, Unset):
            namespace = self.namespace.to_dict()

        owner_id: dict[str, Any] | Unset = UNSET
        if not isinstance(self.owner_id, Unset):
            owner_id = self.owner_id.to_dict()

        updated_by: dict[str, Any] | Unset = UNSET
        if not isinstance(self.updated_by, Unset):
            updated_by = self.updated_by.to_dict()

        type_: dict[str, Any] | Unset = UNSET
        if not isinstance(self.type_, Unset):
            type_ = self.type_.to_dict()

        tags: dict[str, Any] | Unset = UNSET
        if not isinstance(self.tags, Unset):
            tags = self.tags.to_dict()

        label: dict[str, Any] | Unset = UNSET
        if not isinstance(self.label, Unset):
            label = self.label.to_dict()

        encrypted: dict[str, Any] | Unset = UNSET
        if not isinstance(self.encrypted, Unset):
            encrypted = self.encrypted.to_dict()

        created_at: dict[str, Any] | Unset = UNSET
        if not isinstance(self.created_at, Unset):
            created_at = self.created_at.to_dict()

        updated_at: dict[str, Any] | Unset = UNSET
        if not isinstance(self.updated_at, Unset):
            updated_at = self.updated_at.to_dict()

        occurred_at: dict[str, Any] | Unset = UNSET
        if not isinstance(self.occurred_at, Unset):
            occurred_at = self.occurred_at.to_dict()

        expires_at: dict[str, Any] | Unset = UNSET
        if not isinstance(self.expires_at, Unset):
            expires_at = self.expires_at.to_dict()


        field_dict: dict[str, Any] = {}
        for prop_name, prop in self.additional_properties.items():
            field_dict[prop_name] = prop.to_dict()

        field_dict.update({
        })
        if and_ is not UNSET:
            field_dict["and"] = and_
        if or_ is not UNSET:
            field_dict["or"] = or_
        if not_ is not UNSET:
            field_dict["not"] = not_
        if key is not UNSET:
            field_dict["key"] = key
        if namespace is not UNSET:
            field_dict["namespace"] = namespace
        if owner_id is not UNSET:
            field_dict["owner_id"] = owner_id
        if updated_by is not UNSET:
            field_dict["updated_by"] = updated_by
        if type_ is not UNSET:
            field_dict["type"] = type_
        if tags is not UNSET:
            field_dict["tags"] = tags
        if label is not UNSET:
            field_dict["label"] = label
        if encrypted is not UNSET:
            field_dict["encrypted"] = encrypted
        if created_at is not UNSET:
            field_dict["created_at"] = created_at
        if updated_at is not UNSET:
            field_dict["updated_at"] = updated_at
        if occurred_at is not UNSET:
            field_dict["occurred_at"] = occurred_at
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.encrypted_condition import EncryptedCondition # noqa: PLC0415
        from ..models.label_condition import LabelCondition # noqa: PLC0415
        from ..models.member_condition import MemberCondition # noqa: PLC0415
        from ..models.optional_time_condition import OptionalTimeCondition # noqa: PLC0415
        from ..models.tags_condition import TagsCondition # noqa: PLC0415
        from ..models.text_condition import TextCondition # noqa: PLC0415
        from ..models.time_condition import TimeCondition # noqa: PLC0415
        from ..models.type_condition import TypeCondition # noqa: PLC0415
        d = dict(src_dict)
        _and_ = d.pop("and", UNSET)
        and_: list[Condition] | Unset = UNSET
        if _and_ is not UNSET:
            and_ = []
            for and_item_data in _and_:
                and_item = Condition.from_dict(and_item_data)



                and_.append(and_item)


        _or_ = d.pop("or", UNSET)
        or_: list[Condition] | Unset = UNSET
        if _or_ is not UNSET:
            or_ = []
            for or_item_data in _or_:
                or_item = Condition.from_dict(or_item_data)



                or_.append(or_item)


        _not_ = d.pop("not", UNSET)
        not_: Condition | Unset
        if isinstance(_not_,  Unset):
            not_ = UNSET
        else:
            not_ = Condition.from_dict(_not_)




        _key = d.pop("key", UNSET)
        key: TextCondition | Unset
        if isinstance(_key,  Unset):
            key = UNSET
        else:
            key = TextCondition.from_dict(_key)




        _namespace = d.pop("namespace", UNSET)
        namespace: TextCondition | Unset
        if isinstance(_namespace,  Unset):
            namespace = UNSET
        else:
            namespace = TextCondition.from_dict(_namespace)




        _owner_id = d.pop("owner_id", UNSET)
        owner_id: TextCondition | Unset
        if isinstance(_owner_id,  Unset):
            owner_id = UNSET
        else:
            owner_id = TextCondition.from_dict(_owner_id)




        _updated_by = d.pop("updated_by", UNSET)
        updated_by: TextCondition | Unset
        if isinstance(_updated_by,  Unset):
            updated_by = UNSET
        else:
            updated_by = TextCondition.from_dict(_updated_by)




        _type_ = d.pop("type", UNSET)
        type_: TypeCondition | Unset
        if isinstance(_type_,  Unset):
            type_ = UNSET
        else:
            type_ = TypeCondition.from_dict(_type_)




        _tags = d.pop("tags", UNSET)
        tags: TagsCondition | Unset
        if isinstance(_tags,  Unset):
            tags = UNSET
        else:
            tags = TagsCondition.from_dict(_tags)




        _label = d.pop("label", UNSET)
        label: LabelCondition | Unset
        if isinstance(_label,  Unset):
            label = UNSET
        else:
            label = LabelCondition.from_dict(_label)




        _encrypted = d.pop("encrypted", UNSET)
        encrypted: EncryptedCondition | Unset
        if isinstance(_encrypted,  Unset):
            encrypted = UNSET
        else:
            encrypted = EncryptedCondition.from_dict(_encrypted)




        _created_at = d.pop("created_at", UNSET)
        created_at: TimeCondition | Unset
        if isinstance(_created_at,  Unset):
            created_at = UNSET
        else:
            created_at = TimeCondition.from_dict(_created_at)




        _updated_at = d.pop("updated_at", UNSET)
        updated_at: TimeCondition | Unset
        if isinstance(_updated_at,  Unset):
            updated_at = UNSET
        else:
            updated_at = TimeCondition.from_dict(_updated_at)




        _occurred_at = d.pop("occurred_at", UNSET)
        occurred_at: OptionalTimeCondition | Unset
        if isinstance(_occurred_at,  Unset):
            occurred_at = UNSET
        else:
            occurred_at = OptionalTimeCondition.from_dict(_occurred_at)




        _expires_at = d.pop("expires_at", UNSET)
        expires_at: OptionalTimeCondition | Unset
        if isinstance(_expires_at,  Unset):
            expires_at = UNSET
        else:
            expires_at = OptionalTimeCondition.from_dict(_expires_at)




        condition = cls(
            and_=and_,
            or_=or_,
            not_=not_,
            key=key,
            namespace=namespace,
            owner_id=owner_id,
            updated_by=updated_by,
            type_=type_,
            tags=tags,
            label=label,
            encrypted=encrypted,
            created_at=created_at,
            updated_at=updated_at,
            occurred_at=occurred_at,
            expires_at=expires_at,
        )


        additional_properties = {}
        for prop_name, prop_dict in d.items():
            additional_property = MemberCondition.from_dict(prop_dict)



            additional_properties[prop_name] = additional_property

        condition.additional_properties = additional_properties
        return condition

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> MemberCondition:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: MemberCondition) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
