from typing import Literal

TypeConditionInItem = Literal['feedback', 'project', 'reference', 'user']

TYPE_CONDITION_IN_ITEM_VALUES: set[TypeConditionInItem] = { 'feedback', 'project', 'reference', 'user',  }

def check_type_condition_in_item(value: str) -> TypeConditionInItem:
    if value in TYPE_CONDITION_IN_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TYPE_CONDITION_IN_ITEM_VALUES!r}")
