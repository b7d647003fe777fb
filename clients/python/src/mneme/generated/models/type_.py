from typing import Literal

Type = Literal['', 'feedback', 'project', 'reference', 'user']

TYPE_VALUES: set[Type] = { '', 'feedback', 'project', 'reference', 'user',  }

def check_type(value: str) -> Type:
    if value in TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TYPE_VALUES!r}")
