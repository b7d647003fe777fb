from typing import Literal

TypeConditionEq = Literal['feedback', 'project', 'reference', 'user']

TYPE_CONDITION_EQ_VALUES: set[TypeConditionEq] = { 'feedback', 'project', 'reference', 'user',  }

def check_type_condition_eq(value: str) -> TypeConditionEq:
    if value in TYPE_CONDITION_EQ_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TYPE_CONDITION_EQ_VALUES!r}")
