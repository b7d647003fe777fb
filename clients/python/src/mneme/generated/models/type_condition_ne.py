from typing import Literal

TypeConditionNe = Literal['feedback', 'project', 'reference', 'user']

TYPE_CONDITION_NE_VALUES: set[TypeConditionNe] = { 'feedback', 'project', 'reference', 'user',  }

def check_type_condition_ne(value: str) -> TypeConditionNe:
    if value in TYPE_CONDITION_NE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TYPE_CONDITION_NE_VALUES!r}")
