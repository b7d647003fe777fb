from typing import Literal

TypeConditionNinItem = Literal['feedback', 'project', 'reference', 'user']

TYPE_CONDITION_NIN_ITEM_VALUES: set[TypeConditionNinItem] = { 'feedback', 'project', 'reference', 'user',  }

def check_type_condition_nin_item(value: str) -> TypeConditionNinItem:
    if value in TYPE_CONDITION_NIN_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TYPE_CONDITION_NIN_ITEM_VALUES!r}")
